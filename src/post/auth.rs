//! Does the receiving mail server vouch for the sender? Authentication-Results, RFC 8601, read strictly.
//!
//! Anybody can write such a header into his letter, so only the topmost one that carries the name of the keeper's own
//! server counts (security.md 2, A); all others are ignored, whatever they say.

use crate::referee::order::Proof;

/// The longest header that is looked at; a longer one vouches for nothing.
const RESULTS_BYTES_MAX: usize = 8 * 1024;

/// The word of the topmost trusted header about `from_domain` (lower case).
///
/// `values` are the Authentication-Results values from the top of the letter down, unfolded; `trusted` the authserv-ids
/// of the keeper's own server.
pub fn vouched<'a>(
    values: impl IntoIterator<Item = &'a str>,
    trusted: &[String],
    from_domain: &str,
) -> Proof {
    if from_domain.is_empty() || trusted.is_empty() {
        return Proof::None;
    }
    for value in values {
        if value.len() > RESULTS_BYTES_MAX {
            continue;
        }
        let Some(results) = Results::parse(value) else {
            continue;
        };
        if trusted.iter().any(|t| t.eq_ignore_ascii_case(&results.by)) {
            return results.about(from_domain);
        }
    }
    Proof::None
}

/// One header, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Results {
    /// The authserv-id: which server says so.
    pub by: String,
    /// What it says, in its order.
    pub methods: Vec<Method>,
}

/// `dkim=pass header.d=example.org`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Method {
    /// `dkim`, `dmarc`, `spf` ..., lower case
    pub name: String,
    /// `pass`, `fail`, `none` ..., lower case
    pub result: String,
    /// `header.d` -> `example.org`, both lower case
    pub properties: Vec<(String, String)>,
}

impl Results {
    /// Reads one header value; `None` where it does not follow RFC 8601, section 2.2.
    pub fn parse(value: &str) -> Option<Results> {
        let tokens = tokens(value)?;
        let mut clauses = tokens.split(|t| *t == Token::Semicolon);
        let head = clauses.next()?;
        let by = match head {
            [Token::Word(by)] => by,
            [Token::Word(by), Token::Word(version)]
                if version.bytes().all(|b| b.is_ascii_digit()) =>
            {
                by
            }
            _ => return None,
        };
        let mut methods = Vec::new();
        for clause in clauses {
            match clause {
                [] => {}
                [Token::Word(none)] if none.eq_ignore_ascii_case("none") => {}
                [
                    Token::Word(name),
                    Token::Equals,
                    Token::Word(result),
                    rest @ ..,
                ] => {
                    methods.push(Method {
                        name: name
                            .split('/')
                            .next()
                            .unwrap_or_default()
                            .to_ascii_lowercase(),
                        result: result.to_ascii_lowercase(),
                        properties: properties(rest)?,
                    });
                }
                _ => return None,
            }
        }
        Some(Results {
            by: by.clone(),
            methods,
        })
    }

    fn about(&self, from_domain: &str) -> Proof {
        let said = |name: &str, result: &str, keys: &[&str], strict: bool| {
            self.methods.iter().any(|m| {
                m.name == name && m.result == result && m.speaks_of(from_domain, keys, strict)
            })
        };
        if said("dmarc", "fail", &["header.from"], false) {
            return Proof::Failed;
        }
        if said("dmarc", "pass", &["header.from"], false)
            || said("dkim", "pass", &["header.d", "header.i"], true)
        {
            return Proof::Vouched;
        }
        if said("dkim", "fail", &["header.d", "header.i"], true) {
            return Proof::Failed;
        }
        Proof::None
    }
}

impl Method {
    /// Is this about `domain`? A method without any of `keys` is, unless `strict`; one with contradicting keys is not.
    fn speaks_of(&self, domain: &str, keys: &[&str], strict: bool) -> bool {
        let mut named = self
            .properties
            .iter()
            .filter(|(key, _)| keys.contains(&key.as_str()))
            .map(|(_, value)| value.rsplit('@').next().unwrap_or_default())
            .peekable();
        if named.peek().is_none() {
            return !strict;
        }
        named.all(|d| aligned(d, domain))
    }
}

/// The signer is the domain of From or a domain above it. Stricter than DMARC's relaxed alignment, which needs the
/// list of public suffixes: a domain below From vouches for nothing here.
fn aligned(signer: &str, from: &str) -> bool {
    signer == from
        || (signer.contains('.')
            && from
                .strip_suffix(signer)
                .is_some_and(|rest| rest.ends_with('.')))
}

fn properties(mut rest: &[Token]) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    while let [
        Token::Word(key),
        Token::Equals,
        Token::Word(value),
        more @ ..,
    ] = rest
    {
        found.push((key.to_ascii_lowercase(), value.to_ascii_lowercase()));
        rest = more;
    }
    rest.is_empty().then_some(found)
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Word(String),
    Equals,
    Semicolon,
}

/// Words, `=` and `;`; comments (nested ones too) are dropped, quoted strings are words.
fn tokens(value: &str) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut depth = 0usize;
    let mut chars = value.chars();
    let flush = |word: &mut String, out: &mut Vec<Token>| {
        if !word.is_empty() {
            out.push(Token::Word(std::mem::take(word)));
        }
    };
    while let Some(c) = chars.next() {
        if depth > 0 {
            match c {
                '\\' => {
                    chars.next()?;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            continue;
        }
        match c {
            '(' => {
                flush(&mut word, &mut out);
                depth = 1;
            }
            ')' => return None,
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => word.push(chars.next()?),
                    c => word.push(c),
                }
            },
            '=' if is_base_key(&out, &word) => {
                flush(&mut word, &mut out);
                out.push(Token::Equals);
            }
            ';' => {
                flush(&mut word, &mut out);
                out.push(Token::Semicolon);
            }
            c if c.is_whitespace() => flush(&mut word, &mut out),
            c if c.is_control() => return None,
            c => word.push(c),
        }
    }
    flush(&mut word, &mut out);
    (depth == 0).then_some(out)
}

/// `=` separates after a key; inside a value (`header.b=ab=cd`) it is a letter of it.
fn is_base_key(out: &[Token], word: &str) -> bool {
    word.is_empty() || out.last() != Some(&Token::Equals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(values: &[&str]) -> Proof {
        vouched(
            values.iter().copied(),
            &["mx.example.org".to_owned()],
            "club.example",
        )
    }

    #[test]
    fn own_server_vouches() {
        assert_eq!(
            ask(&["mx.example.org; dmarc=pass (p=none) header.from=club.example"]),
            Proof::Vouched
        );
        assert_eq!(
            ask(&[
                "MX.Example.Org 1; spf=pass smtp.mailfrom=x@y.z; dkim=pass reason=\"good; really\" header.d=club.example header.b=\"ab/c=\""
            ]),
            Proof::Vouched
        );
        assert_eq!(
            ask(&["mx.example.org; dkim=pass header.i=@club.example"]),
            Proof::Vouched
        );
    }

    #[test]
    fn foreign_and_forged_headers_do_not_count() {
        assert_eq!(
            ask(&["mx.evil.example; dmarc=pass header.from=club.example"]),
            Proof::None
        );
        assert_eq!(
            ask(&["mx.example.org.evil; dmarc=pass header.from=club.example"]),
            Proof::None
        );
        // the one below the server's own is the forger's
        assert_eq!(
            ask(&[
                "mx.example.org; dmarc=fail header.from=club.example",
                "mx.example.org; dmarc=pass header.from=club.example"
            ]),
            Proof::Failed
        );
        assert_eq!(
            ask(&["mx.example.org; none", "mx.example.org; dmarc=pass"]),
            Proof::None
        );
        // a comment says nothing
        assert_eq!(
            ask(&["mx.example.org; spf=fail (dmarc=pass header.from=club.example)"]),
            Proof::None
        );
        assert_eq!(
            ask(&["(mx.example.org;) other; dmarc=pass header.from=club.example"]),
            Proof::None
        );
    }

    #[test]
    fn only_the_from_domain_counts() {
        assert_eq!(
            ask(&["mx.example.org; dkim=pass header.d=evil.example"]),
            Proof::None
        );
        assert_eq!(
            ask(&["mx.example.org; dmarc=pass header.from=evil.example"]),
            Proof::None
        );
        assert_eq!(
            ask(&["mx.example.org; dkim=pass header.d=example"]),
            Proof::None
        );
        assert_eq!(
            ask(&["mx.example.org; dkim=pass header.d=notclub.example"]),
            Proof::None
        );
        assert_eq!(ask(&["mx.example.org; spf=pass"]), Proof::None);
        assert_eq!(
            ask(&["mx.example.org; dkim=fail header.d=club.example"]),
            Proof::Failed
        );
    }

    #[test]
    fn broken_headers_vouch_for_nothing() {
        for bad in [
            "",
            ";",
            "mx.example.org dmarc=pass",
            "mx.example.org; dmarc",
            "mx.example.org; dmarc=pass (unclosed",
            "mx.example.org; \"open",
            "mx.example.org; dmarc=pass header.from=club.example junk",
        ] {
            assert_eq!(ask(&[bad]), Proof::None, "{bad}");
        }
    }
}
