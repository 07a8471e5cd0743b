//! Which lines of a letter its writer typed (protocol.md, Reading a mail).
//!
//! Lines behind `>` never count, whatever stands above or below them. Reading stops where a quotation without marks
//! begins: at a header block, a forwarded letter, or a line only our own mails have; our examples must never come back as
//! orders.

use super::fold::fold;

/// A line of the letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typed {
    /// 1-based, counted over all lines of the text.
    pub line: usize,
    /// What stands there.
    pub what: What,
}

/// What a line is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// Typed by the writer.
    Text {
        /// as it came
        raw: String,
        /// look-alikes folded
        folded: String,
    },
    /// An empty line: the end of a paragraph.
    Blank,
    /// One or more lines of a quotation stood here.
    Quote,
}

/// How many lines an attribution may be wrapped into.
const ATTRIBUTION_LINES_MAX: usize = 4;
/// How many lines after `From:` are searched for `Subject:` and its like.
const HEADER_LINES_MAX: usize = 6;
/// The most lines that are looked at.
pub const LINES_MAX: usize = 2000;

/// `From:` in the languages mail programs speak; lower case.
const FROM: [&str; 19] = [
    "from",
    "von",
    "de",
    "da",
    "van",
    "från",
    "fra",
    "od",
    "от",
    "feladó",
    "lähettäjä",
    "kimden",
    "από",
    "expéditeur",
    "remitente",
    "mittente",
    "差出人",
    "发件人",
    "寄件者",
];
/// The other fields of such a block; lower case.
const FIELDS: [&str; 52] = [
    "sent",
    "date",
    "to",
    "cc",
    "subject",
    "reply-to",
    "gesendet",
    "datum",
    "an",
    "betreff",
    "envoyé",
    "à",
    "objet",
    "enviado",
    "enviado el",
    "enviada em",
    "para",
    "asunto",
    "assunto",
    "data",
    "fecha",
    "inviato",
    "a",
    "oggetto",
    "verzonden",
    "aan",
    "onderwerp",
    "skickat",
    "till",
    "ämne",
    "sendt",
    "til",
    "emne",
    "wysłano",
    "do",
    "temat",
    "odesláno",
    "komu",
    "předmět",
    "дата",
    "кому",
    "тема",
    "отправлено",
    "lähetetty",
    "vastaanottaja",
    "送信日時",
    "日付",
    "宛先",
    "件名",
    "发送时间",
    "收件人",
    "主题",
];
/// What stands between the dashes of `-----Original Message-----`; lower case.
const ORIGINAL: [&str; 24] = [
    "original message",
    "original appointment",
    "forwarded message",
    "forwarded by",
    "ursprüngliche nachricht",
    "originalnachricht",
    "original-nachricht",
    "weitergeleitete nachricht",
    "message d'origine",
    "message original",
    "message transféré",
    "mensaje original",
    "mensaje reenviado",
    "messaggio originale",
    "messaggio inoltrato",
    "oorspronkelijk bericht",
    "doorgestuurd bericht",
    "mensagem original",
    "mensagem encaminhada",
    "ursprungligt meddelande",
    "oprindelig meddelelse",
    "wiadomość oryginalna",
    "исходное сообщение",
    "пересылаемое сообщение",
];
/// `Begin forwarded message:` of Apple Mail; lower case.
const FORWARDED: [&str; 8] = [
    "begin forwarded message",
    "anfang der weitergeleiteten nachricht",
    "début du message réexpédié",
    "début du message transféré",
    "inicio del mensaje reenviado",
    "inizio messaggio inoltrato",
    "begin doorgestuurd bericht",
    "vidarebefordrat brev",
];
/// How `On ... wrote:` begins and ends where no address stands in it; lower case.
const WROTE: [(&str, &str); 14] = [
    ("on ", "wrote:"),
    ("am ", "schrieb"),
    ("am ", "geschrieben:"),
    ("le ", "écrit"),
    ("el ", "escribió:"),
    ("il ", "scritto:"),
    ("op ", "schreef"),
    ("em ", "escreveu:"),
    ("a ", "escreveu:"),
    ("den ", "skrev"),
    ("w dniu ", "pisze:"),
    ("dnia ", "napisał"),
    ("dne ", "napsal"),
    ("в ", "пишет:"),
];
/// Lines phones add below what was typed; lower case.
const PHONE: [&str; 18] = [
    "sent from my",
    "sent from ",
    "sent with ",
    "sent via ",
    "get outlook for",
    "sent using",
    "von meinem ",
    "gesendet mit ",
    "gesendet von ",
    "envoyé de mon",
    "envoyé depuis",
    "enviado desde",
    "enviado do meu",
    "inviato da",
    "verstuurd vanaf",
    "skickat från",
    "verzonden vanaf",
    "отправлено с",
];

/// The lines up to where the writer's own text ends.
pub fn typed(text: &str) -> Vec<Typed> {
    let raw: Vec<&str> = text.lines().take(LINES_MAX).collect();
    let folded: Vec<String> = raw.iter().map(|l| fold(l)).collect();
    let mut out: Vec<Typed> = Vec::new();
    let mut at = 0;
    while let Some(line) = folded.get(at) {
        let push = |out: &mut Vec<Typed>, what| out.push(Typed { line: at + 1, what });
        if line.is_empty() {
            push(&mut out, What::Blank);
        } else if is_quoted(line) {
            if !matches!(
                out.last(),
                Some(Typed {
                    what: What::Quote,
                    ..
                })
            ) {
                push(&mut out, What::Quote);
            }
        } else if let Some(lines) = attribution(&folded, at) {
            let next = folded.iter().skip(at + lines).find(|l| !l.is_empty());
            if !next.is_some_and(|l| is_quoted(l)) {
                break; // quoted below without marks
            }
            push(&mut out, What::Quote);
            at += lines;
            continue;
        } else if ends_here(&folded, at) {
            break;
        } else if is_phone_signature(line) {
            push(&mut out, What::Blank);
        } else {
            let raw = raw.get(at).copied().unwrap_or_default().to_owned();
            let folded = line.clone();
            push(&mut out, What::Text { raw, folded });
        }
        at += 1;
    }
    out
}

/// `> text`, `>>text`, the `| text` of s-nail and of our own relayed chat, and the `AB> text` of old.
fn is_quoted(line: &str) -> bool {
    line.starts_with(['>', '|'])
        || line
            .split_once('>')
            .is_some_and(|(who, _)| who.len() <= 3 && who.bytes().all(|b| b.is_ascii_uppercase()))
}

/// How many lines from `at` on are one attribution (`On ..., X wrote:`), in any language where an address stands in it.
fn attribution(lines: &[String], at: usize) -> Option<usize> {
    let mut whole = String::new();
    for (n, line) in lines
        .iter()
        .skip(at)
        .take(ATTRIBUTION_LINES_MAX)
        .enumerate()
    {
        if line.is_empty() || is_quoted(line) || (n > 0 && is_command_like(line)) {
            return None;
        }
        if n > 0 {
            whole.push(' ');
        }
        whole.push_str(&line.to_lowercase());
        if whole.ends_with(':')
            || WROTE
                .iter()
                .any(|(_, end)| !end.ends_with(':') && line.to_lowercase().ends_with(end))
        {
            let known = WROTE.iter().any(|(start, end)| {
                whole.starts_with(start) && whole.contains(end.trim_end_matches(':'))
            });
            let dated = whole.bytes().filter(u8::is_ascii_digit).count() >= 4;
            // an order ends with a colon only before its branches: `if created:`, `else:`, `message bob@example.org:`
            let ours = is_command_like(lines.get(at)?);
            return (!ours
                && ((known && whole.contains(' '))
                    || has_address(&whole) && (dated || n > 0 || whole.contains('<'))))
            .then_some(n + 1);
        }
        if n == 0
            && !(has_address(&whole)
                || WROTE.iter().any(|(start, _)| whole.starts_with(start))
                || dated(&whole))
        {
            return None;
        }
    }
    None
}

/// Four digits and a separator: how every attribution begins that names the day first.
fn dated(line: &str) -> bool {
    line.bytes().filter(u8::is_ascii_digit).count() >= 6
}

/// Words that begin orders which may hold colons or addresses.
fn is_command_like(line: &str) -> bool {
    let word: String = line
        .chars()
        .take_while(|c| c.is_ascii_alphabetic())
        .collect::<String>()
        .to_ascii_lowercase();
    [
        "if",
        "else",
        "otherwise",
        "message",
        "msg",
        "note",
        "new",
        "pick",
        "guess",
        "place",
        "game",
        "preview",
        "challenge",
        "say",
        "press",
    ]
    .contains(&word.as_str())
        || super::moves::looks_like_turn(line)
}

fn has_address(line: &str) -> bool {
    line.split(|c: char| c.is_whitespace() || "<>()[],;:\"'".contains(c))
        .any(|w| {
            w.split_once('@').is_some_and(|(l, d)| {
                !l.is_empty() && d.contains('.') && !d.starts_with('.') && d.len() > 3
            })
        })
}

/// Does what the writer typed end before this line?
fn ends_here(lines: &[String], at: usize) -> bool {
    let Some(line) = lines.get(at) else {
        return false;
    };
    // `--` of a signature; phones make one dash of it
    if matches!(line.as_str(), "--" | "-") {
        return true;
    }
    let lower = line.to_lowercase();
    let bare = lower.trim_matches(['-', '_', '=', '*', '<', '>', ' ', ':', '~']);
    let ruled = lower.starts_with("--") || lower.starts_with("__") || lower.starts_with("==");
    if (ruled && ORIGINAL.iter().any(|o| bare.starts_with(o)))
        || FORWARDED.iter().any(|f| bare.starts_with(f))
        || (ruled && bare.is_empty() && line.len() >= 20)
    {
        return true;
    }
    let fields = || lines.iter().skip(at + 1).take(HEADER_LINES_MAX);
    (is_field(&lower, &FROM) && fields().any(|l| is_field(&l.to_lowercase(), &FIELDS)))
        || (is_field(&lower, &FIELDS)
            && fields()
                .take(3)
                .any(|l| is_field(&l.to_lowercase(), &FROM) && has_address(l)))
        || is_ours(line)
}

/// `*From:* bob`, `De : bob`, `差出人：bob`
fn is_field(lower: &str, names: &[&str]) -> bool {
    let Some((name, _)) = lower.split_once(':') else {
        return false;
    };
    let name = name.trim_matches(['*', '_', ' ', '|']);
    names.contains(&name)
}

/// Lines that only our own mails have: the subject tag, the board's heading, the call to move, the footer, a refusal's head.
pub fn is_ours(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["[tulpas", ..] | ["YOUR", "MOVE", ..] | ["Nothing", "was", "played.", ..] => return true,
        ["Subject:", "[tulpas", ..] | ["Both", "cards", "are", "open:", ..] => return true,
        ["Also:", rest @ ..]
            if rest
                .iter()
                .any(|w| w.starts_with("resign") || w.starts_with("help")) =>
        {
            return true;
        }
        ["game", number, rest @ ..]
            if is_number(number)
                && (rest.contains(&"entry") || rest.ends_with(&["help", "verify"])) =>
        {
            return true;
        }
        ["Line", number, "was", "fine:", ..] if is_number(number) => return true,
        _ => {}
    }
    // `a b c d e f`, or `f e d c b a`: the files of a board
    let files: Vec<u8> = words
        .iter()
        .take(26)
        .filter(|w| w.len() == 1)
        .flat_map(|w| w.bytes())
        .filter(u8::is_ascii_lowercase)
        .collect();
    files.len() >= 6
        && files.len() == words.len().min(26)
        && (files.windows(2).all(|w| matches!(w, [a, b] if a + 1 == *b))
            || files.windows(2).all(|w| matches!(w, [a, b] if b + 1 == *a)))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

fn is_phone_signature(line: &str) -> bool {
    let lower = line.to_lowercase();
    PHONE.iter().any(|p| lower.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mine(text: &str) -> Vec<String> {
        typed(text)
            .into_iter()
            .filter_map(|t| match t.what {
                What::Text { folded, .. } => Some(folded),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn above_between_and_below_marks() {
        assert_eq!(
            mine(
                "one\nOn Tue, 18 Nov 2025 at 14:00, Ref <ref@x.org>\nwrote:\n\n> a\ntwo\n>b\nthree\n"
            ),
            ["one", "two", "three"]
        );
        assert_eq!(mine("AB> resign\nNc1-d3"), ["Nc1-d3"]);
    }

    #[test]
    fn attributions() {
        for line in [
            "On Tue, 18 Nov 2025 at 14:00, Ref <ref@x.org> wrote:",
            "On Tuesday, Ref wrote:",
            "Am 18.11.2025 um 14:00 schrieb Ref:",
            "Am Di., 18. Nov. 2025 um 14:00 Uhr schrieb Ref <\nref@x.org>:",
            "Le mar. 18 nov. 2025 à 14:00, Ref <ref@x.org> a écrit :",
            "El mar, 18 nov 2025 a las 14:00, Ref (<ref@x.org>) escribió:",
            "Il giorno mar 18 nov 2025 Ref ha scritto:",
            "Op di 18 nov 2025 om 14:00 schreef Ref <ref@x.org>:",
            "2025年11月18日(火) 14:00 Ref <ref@x.org>:",
            "вт, 18 нояб. 2025 г. в 14:00, Ref <ref@x.org>:",
            "Ref <ref@x.org> writes:",
        ] {
            assert_eq!(
                mine(&format!("Nc1-d3\n\n{line}\n> x\nA@b2")),
                ["Nc1-d3", "A@b2"],
                "{line}"
            );
            assert_eq!(
                mine(&format!("Nc1-d3\n\n{line}\n\nresign")),
                ["Nc1-d3"],
                "{line}"
            );
        }
        assert_eq!(mine("if created:\n> x\nA@b2"), ["if created:", "A@b2"]);
        assert_eq!(mine("else:\nNc1-d3"), ["else:", "Nc1-d3"]);
    }

    #[test]
    fn quotations_without_marks() {
        for stop in [
            "-----Original Message-----",
            "-----Ursprüngliche Nachricht-----",
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "________________________________",
            "From: Ref\nSent: Tuesday\nTo: me",
            "*From:* Ref <ref@x.org>\n*Date:* x",
            "Von: Ref\nGesendet: Dienstag\nAn: ich\nBetreff: x",
            "De : Ref\nEnvoyé : mardi\nÀ : moi",
            "差出人: Ref\n送信日時: x",
            "Date: Tue\nFrom: Ref <ref@x.org>",
            "[tulpas #42] Your move 7, vs bob",
            "YOUR MOVE 8. Reply with one turn, for example",
            "      a b c d e f g h i j",
            "game 42  entry 31  head 6f1c...9a02",
            "game 42   how to check it: help verify",
            "      j i h g f e d c b a",
            "Nothing was played. Line 2 cannot be done:",
            "--",
            "-- ",
            "\u{2014}",
        ] {
            assert_eq!(
                mine(&format!("Nc1-d3\n{stop}\nresign\n")),
                ["Nc1-d3"],
                "{stop}"
            );
        }
    }

    #[test]
    fn appending_a_quotation_changes_nothing() {
        let own = "pick ox\n\nNc1-d3\n";
        let quoted: String = own.lines().map(|l| format!("> {l}\n")).collect();
        assert_eq!(mine(&format!("{own}\n{quoted}")), mine(own));
        assert_eq!(mine(&format!("{quoted}\n{own}")), mine(own));
    }
}
