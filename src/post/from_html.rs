//! HTML reduced to the text a person sees.
//!
//! html2text does the work and marks blockquotes with `> `, so one quote cutter serves both kinds of letters. What stands
//! in front of it keeps hostile HTML from taking minutes (the tree builder is quadratic in depth) and hidden words from
//! becoming orders.

use super::letter::at_most;

/// Elements open inside each other before further ones are dropped.
const DEPTH_MAX: usize = 64;
/// Text columns: wide enough that no order is wrapped.
const WIDTH: usize = 500;

/// Elements that are never closed.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Elements whose content nobody sees.
const UNSEEN: [&str; 12] = [
    "script", "style", "head", "title", "template", "noscript", "svg", "math", "object",
    "textarea", "select", "iframe",
];

/// The visible text of `html`, of which at most `most` bytes are read.
pub fn html_to_text(html: &str, most: usize) -> String {
    let tame = tame(at_most(html, most));
    let config = html2text::config::plain_no_decorate()
        .raw_mode(true)
        .no_link_wrapping()
        .link_footnotes(false)
        .allow_width_overflow();
    config
        .string_from_read(tame.as_bytes(), WIDTH)
        .unwrap_or_default()
}

/// The same HTML without what is hidden and without what is too deep; attributes are dropped on the way.
fn tame(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut open: Vec<String> = Vec::new();
    let mut dropped: Vec<String> = Vec::new();
    let mut hidden: Option<(String, usize)> = None;
    let mut rest = html;
    while let Some(lt) = rest.find('<') {
        let (text, tag) = rest.split_at(lt);
        if hidden.is_none() {
            out.push_str(text);
        }
        if let Some(comment) = tag.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some(end) = tag_end(tag) else {
            rest = "";
            break;
        };
        let (inside, after) = (&tag[1..end], &tag[end + 1..]);
        rest = after;
        let closing = inside.starts_with('/');
        let name: String = inside
            .trim_start_matches('/')
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric())
            .take(20)
            .collect::<String>()
            .to_ascii_lowercase();
        if name.is_empty() {
            continue; // <!doctype>, <?xml>, <o:p>-like debris
        }
        let void = VOID.contains(&name.as_str()) || inside.ends_with('/');
        if let Some((of, depth)) = &mut hidden {
            if name == *of && !void {
                *depth = if closing { *depth - 1 } else { *depth + 1 };
                if *depth == 0 {
                    hidden = None;
                }
            }
            continue;
        }
        if closing {
            if dropped.last() == Some(&name) {
                dropped.pop();
            } else if let Some(at) = open.iter().rposition(|o| *o == name) {
                open.truncate(at);
                out.push_str(&format!("</{name}>"));
            }
            continue;
        }
        if !void && (UNSEEN.contains(&name.as_str()) || is_hidden(inside)) {
            hidden = Some((name, 1));
            continue;
        }
        if void {
            out.push_str(match name.as_str() {
                "br" => "<br>",
                "hr" => "<br>\u{2014}\u{2014}\u{2014}\u{2014}\u{2014}<br>",
                _ => "",
            });
            continue;
        }
        if name == "p" && open.last().is_some_and(|o| o == "p") {
            open.pop();
        }
        if open.len() >= DEPTH_MAX {
            if dropped.len() < DEPTH_MAX {
                dropped.push(name);
            }
            continue;
        }
        // table cells stand in a row in few letters and one per line in most
        match name.as_str() {
            "table" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th" => out.push_str("<br>"),
            _ => {
                out.push_str(&format!("<{name}>"));
                open.push(name);
            }
        }
    }
    if hidden.is_none() {
        out.push_str(rest);
    }
    out
}

/// Where a tag that starts at 0 ends; `>` inside quotes does not count.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, b) in tag.bytes().enumerate() {
        match (quote, b) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') if at > 0 && tag.as_bytes().get(at - 1) == Some(&b'=') => {
                quote = Some(b);
            }
            (Some(q), b) if q == b => quote = None,
            _ => {}
        }
    }
    // an open quote would swallow the whole letter: take the first `>`
    quote.and_then(|_| tag.find('>'))
}

/// `hidden`, `display:none` and the other ways to write what the reader does not see.
fn is_hidden(tag: &str) -> bool {
    let tag: String = tag
        .to_ascii_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace() || *c == ' ')
        .collect();
    let squeezed = tag.replace(' ', "");
    tag.split(' ')
        .skip(1)
        .any(|a| a == "hidden" || a.starts_with("hidden="))
        || [
            "display:none",
            "visibility:hidden",
            "mso-hide:all",
            "font-size:0;",
            "font-size:0\"",
            "font-size:0'",
            "font-size:0px",
            "font-size:0pt",
            "max-height:0",
            "opacity:0;",
            "opacity:0\"",
            "color:transparent",
        ]
        .iter()
        .any(|h| squeezed.contains(h))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(html: &str) -> Vec<String> {
        html_to_text(html, 65536)
            .lines()
            .map(|l| l.trim().to_owned())
            .filter(|l| !l.is_empty())
            .collect()
    }

    #[test]
    fn what_is_seen() {
        assert_eq!(
            lines(
                "<html><head><style>x{}</style></head><body><div>Nc1-d3</div><div>guess&nbsp;ox<br>A@b2</div><p>x<p>y</body>"
            ),
            ["Nc1-d3", "guess\u{a0}ox", "A@b2", "x", "y"]
        );
        assert_eq!(
            lines("<div>mine</div><blockquote><div>On</div><div>theirs</div></blockquote>"),
            ["mine", "> On", "> theirs"]
        );
        assert_eq!(
            lines("<table><tr><td>pick ox</td></tr><tr><td>Nc1-d3</td></tr></table>"),
            ["pick ox", "Nc1-d3"]
        );
        assert_eq!(lines("a &lt; b <![endif]-->c"), ["a < b c"]);
    }

    #[test]
    fn what_is_not() {
        assert_eq!(
            lines(
                "<div style='display : none'>resign<div>pick ox</div></div><p hidden>end</p><script>resign</script>ok<!-- resign -->"
            ),
            ["ok"]
        );
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = format!("{}Nc1-d3", "<div>".repeat(12_000));
        assert_eq!(lines(&deep), ["Nc1-d3"]);
        let quotes = format!("{}Nc1-d3", "<blockquote>".repeat(5_000));
        assert!(html_to_text(&quotes, 65536).contains("Nc1-d3"));
    }
}
