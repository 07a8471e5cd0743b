//! The words of a mail once more, as HTML.
//!
//! The same text in the same order, boards in `<pre>`, and links that open a whole answer in the reader's own mail program.
//! No picture, no script, no style sheet, nothing that is fetched: opening a mail tells nobody anything.

use super::words::{Block, Words};

/// An answer that one click writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quick {
    /// What the link says: `pick amazon`.
    pub label: String,
    /// Subject of the answer.
    pub subject: String,
    /// Its text, one order a line.
    pub body: String,
}

/// At most so many links stand in a mail.
pub const QUICK_MAX: usize = 40;

/// The whole HTML part. `reply_to` is where the answers go.
pub fn page(words: &Words, quick: &[Quick], reply_to: &str) -> String {
    let mut out = String::with_capacity(4 * words.text.len());
    out.push_str("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width\">");
    out.push_str(&format!(
        "<title>{}</title></head>\n",
        escape(&words.subject)
    ));
    out.push_str(
        "<body style=\"font-family:sans-serif;font-size:15px;line-height:1.4;max-width:48em\">\n",
    );
    let mut links = links(quick, reply_to);
    for block in &words.blocks {
        match block {
            Block::Board { html, .. } => out.push_str(html),
            Block::Text(text) => {
                for paragraph in paragraphs(text) {
                    // The answers stand above the small print.
                    if paragraph.starts_with("--\n") {
                        out.push_str(&std::mem::take(&mut links));
                    }
                    out.push_str(&paragraph_html(&paragraph));
                }
            }
        }
    }
    out.push_str(&links);
    out.push_str("</body></html>\n");
    out
}

/// The text between empty lines. A line `--` begins a new one.
fn paragraphs(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.lines() {
        if line.is_empty() || line == "--" {
            all.push(String::new());
        }
        if let Some(last) = all.last_mut()
            && !line.is_empty()
        {
            last.push_str(line);
            last.push('\n');
        }
    }
    all.retain(|p| !p.is_empty());
    all
}

/// Lines that stand in, and a player's lines, keep their columns; others are ordinary text.
fn paragraph_html(paragraph: &str) -> String {
    if let Some(small) = paragraph.strip_prefix("--\n") {
        return format!(
            "<hr><p style=\"font-size:12px;color:#555\">{}</p>\n",
            broken(small)
        );
    }
    let mut out = String::new();
    let mut lines = paragraph.lines().peekable();
    while let Some(first) = lines.peek().copied() {
        let fixed = is_fixed(first);
        let mut run = String::new();
        while let Some(line) = lines.next_if(|l| is_fixed(l) == fixed) {
            run.push_str(line);
            run.push('\n');
        }
        match fixed {
            true => out.push_str(&format!(
                "<pre style=\"font-size:14px\">{}</pre>\n",
                escape(run.trim_end())
            )),
            false => out.push_str(&format!("<p>{}</p>\n", broken(&run))),
        }
    }
    out
}

fn is_fixed(line: &str) -> bool {
    line.starts_with("  ") || line.starts_with("| ") || line == "|"
}

fn broken(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for (at, line) in text.trim_end().lines().enumerate() {
        if at > 0 {
            out.push_str("<br>\n");
        }
        escape_into(&mut out, line);
    }
    out
}

fn links(quick: &[Quick], reply_to: &str) -> String {
    if quick.is_empty() {
        return String::new();
    }
    let all: Vec<String> = quick
        .iter()
        .take(QUICK_MAX)
        .map(|q| {
            let to = mailto(reply_to, &q.subject, &q.body);
            format!(
                "<a href=\"{}\" style=\"display:inline-block;margin:2px 6px 2px 0;padding:3px 9px;border:1px solid #888;\
                 border-radius:4px\">{}</a>",
                escape(&to),
                escape(&super::words::text::one_line(&q.label))
            )
        })
        .collect();
    format!("<p>Answer with one click:<br>\n{}</p>\n", all.join("\n"))
}

/// A `mailto:` link that fills in a whole answer (RFC 6068). Line ends become `%0D%0A`.
pub fn mailto(to: &str, subject: &str, body: &str) -> String {
    let subject = super::words::text::one_line(subject);
    let body = super::words::text::clean(body).replace('\n', "\r\n");
    let mut out = format!(
        "mailto:{}?subject={}",
        percent(to, "@+"),
        percent(&subject, "")
    );
    if !body.is_empty() {
        out.push_str("&body=");
        out.push_str(&percent(&body, ""));
    }
    // In the local part a plus sign stands for itself, but some programs read it as a blank.
    out.replacen('+', "%2B", 1)
}

/// Everything but the unreserved characters of RFC 3986 and those in `keep` as `%XX`.
fn percent(text: &str, keep: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let c = char::from(byte);
        match c.is_ascii_alphanumeric() || "-._~".contains(c) || (c.is_ascii() && keep.contains(c))
        {
            true => out.push(c),
            false => {
                out.push('%');
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
                }
            }
        }
    }
    out
}

/// Text that stands for itself in HTML, in elements and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

/// The same, written behind what is there.
pub(super) fn escape_into(out: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let name = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        out.push_str(name);
        from = at + 1;
    }
    out.push_str(&text[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Words {
        Words {
            subject: "s <1>".into(),
            text: text.into(),
            blocks: vec![Block::Text(text.into())],
        }
    }

    #[test]
    fn the_same_words_escaped() {
        let page = page(
            &words("Hi <b>bob</b>.\nNext & last.\n\n    Nc1-d3\n| <script>\n--\ngame 42\n"),
            &[],
            "r@x.test",
        );
        assert!(
            page.contains("<p>Hi &lt;b&gt;bob&lt;/b&gt;.<br>\nNext &amp; last.</p>"),
            "{page}"
        );
        assert!(
            page.contains("<pre style=\"font-size:14px\">    Nc1-d3\n| &lt;script&gt;</pre>"),
            "{page}"
        );
        assert!(
            page.contains("<hr><p style=\"font-size:12px;color:#555\">game 42</p>"),
            "{page}"
        );
        assert!(page.contains("<title>s &lt;1&gt;</title>"));
        assert!(!page.contains("<script") && !page.contains("<b>"));
    }

    #[test]
    fn one_click_writes_the_whole_answer() {
        let quick = [Quick {
            label: "pick \"amazon\"".into(),
            subject: "[tulpas #42]\r\nBcc: x".into(),
            body: "pick amazon\nguess ox".into(),
        }];
        let page = page(
            &words("Your move.\n--\ngame 42\n"),
            &quick,
            "ref+k.2.t@example.org",
        );
        let link = "mailto:ref%2Bk.2.t@example.org?subject=%5Btulpas%20%2342%5D%20Bcc%3A%20x&amp;body=pick%20amazon%0D%0Aguess%20ox";
        assert!(page.contains(&format!("<a href=\"{link}\"")), "{page}");
        assert!(page.contains(">pick &quot;amazon&quot;</a>"), "{page}");
        assert!(
            page.find("mailto:") < page.find("<hr>"),
            "the answers stand above the small print"
        );
    }

    #[test]
    fn nothing_is_fetched_from_anywhere() {
        let page = page(&words("see https://example.org/x.png\n"), &[], "r@x.test");
        for word in [
            "<img", "<link", "<script", "src=", "url(", "@import", "<form", "<iframe",
        ] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
