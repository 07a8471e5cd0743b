//! Are the templates all right? Asked once, at the start, so that a slip of the pen is not found by a player.

use std::collections::BTreeSet;

use minijinja::ErrorKind;

use super::{SUBJECT, Templates, WordsError, is_part};

impl Templates {
    /// Every variable is one that the program hands over, every filter exists, every included part exists.
    pub fn check(&self) -> Result<(), WordsError> {
        let names: Vec<String> = self.known.keys().cloned().collect();
        for name in &names {
            let known = &self.known[name];
            for variable in self.variables(name)? {
                if !is_part(name) && !known.contains(&variable) {
                    let given: Vec<&str> = known.iter().map(String::as_str).collect();
                    let what = format!(
                        "`{variable}` is not given here\n  hint: given are: {}",
                        given.join(", ")
                    );
                    return Err(WordsError::new(name, None, what));
                }
            }
            for key in self.keys(name) {
                self.check_filters(name, &key)?;
            }
        }
        Ok(())
    }

    fn keys(&self, name: &str) -> Vec<String> {
        match is_part(name) {
            true => vec![name.to_string()],
            false => vec![format!("{name}{SUBJECT}"), name.to_string()],
        }
    }

    /// The variables that a template uses, its parts included.
    pub(super) fn variables(&self, name: &str) -> Result<BTreeSet<String>, WordsError> {
        let mut used = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = self.keys(name);
        while let Some(key) = open.pop() {
            if !seen.insert(key.clone()) {
                continue;
            }
            let template = self.env.get_template(&key);
            let template = template
                .map_err(|_| WordsError::new(name, None, format!("there is no part `{key}`")))?;
            used.extend(template.undeclared_variables(false));
            open.extend(included(template.source()));
        }
        used.remove("style");
        Ok(used)
    }

    fn check_filters(&self, name: &str, key: &str) -> Result<(), WordsError> {
        let template = self
            .env
            .get_template(key)
            .map_err(|e| WordsError::from_jinja(name, &e))?;
        for (line, filter) in filters(template.source()) {
            let asked = self
                .env
                .compile_expression(&format!("''|{filter}"))
                .and_then(|e| e.eval(()));
            if asked.is_err_and(|e| e.kind() == ErrorKind::UnknownFilter) {
                return Err(WordsError::new(
                    name,
                    Some(line),
                    format!("there is no filter `{filter}`"),
                ));
            }
        }
        Ok(())
    }
}

/// The tags of a template, with their lines: what stands between `{{`, `{%` and their ends, strings blanked out, once with
/// and once without its strings.
fn tags(source: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(at) = rest.find('{') {
        line += rest[..at].matches('\n').count();
        rest = &rest[at + 1..];
        let close = match rest.chars().next() {
            Some('{') => "}}",
            Some('%') => "%}",
            Some('#') => "#}",
            _ => continue,
        };
        let end = rest.find(close).unwrap_or(rest.len());
        let inside = &rest[1.min(end)..end];
        if close != "#}" {
            let mut quote = None;
            let blank = |c: char| match quote {
                Some(q) if q == c => {
                    quote = None;
                    ' '
                }
                Some(_) => ' ',
                None if c == '"' || c == '\'' => {
                    quote = Some(c);
                    ' '
                }
                None => c,
            };
            found.push((
                line,
                inside.to_string(),
                inside.chars().map(blank).collect(),
            ));
        }
        line += rest[..end].matches('\n').count();
        rest = &rest[end..];
    }
    found
}

/// Names after `|`.
fn filters(source: &str) -> Vec<(usize, String)> {
    let name = |s: &str| {
        s.trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    tags(source)
        .iter()
        .flat_map(|(line, _, bare)| {
            bare.split('|')
                .skip(1)
                .map(|s| (*line, name(s)))
                .collect::<Vec<_>>()
        })
        .filter(|(_, name)| !name.is_empty())
        .collect()
}

/// Names after `include`.
fn included(source: &str) -> Vec<String> {
    let of = |inside: &str| {
        let word = inside
            .trim_matches(['-', '+', ' ', '\n'])
            .strip_prefix("include")?;
        Some(word.trim().trim_matches(['"', '\'']).to_string())
    };
    tags(source)
        .iter()
        .filter_map(|(_, inside, _)| of(inside))
        .collect()
}
