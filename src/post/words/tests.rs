use super::*;
use serde_json::json;

fn with(name: &str, source: &str) -> Result<Templates, WordsError> {
    Templates::with(&BTreeMap::from([(name.to_string(), source.to_string())]))
}

#[test]
fn the_built_in_templates_are_all_right() {
    let mut templates = Templates::builtin().unwrap();
    templates.know().unwrap();
    templates.check().unwrap();
    assert!(templates.has("help/help") && !templates.has("help/nothing"));
}

#[test]
fn every_help_text_fits_one_screen_and_72_columns() {
    let templates = Templates::builtin().unwrap();
    for name in names().filter(|n| n.starts_with("help/")) {
        let words = templates
            .render(name, json!({}), &Style::default())
            .unwrap();
        assert!(
            words.text.lines().all(|l| l.chars().count() <= COLUMNS),
            "{name}"
        );
        assert!(words.text.is_ascii() && words.subject.is_ascii(), "{name}");
        let lines = words.text.lines().count();
        assert!(
            lines <= if name == "help/help" { 24 } else { 60 },
            "{name}: {lines} lines"
        );
        // Nothing was lost on the way: the files are written as they are mailed.
        // Comments tell the tests where examples are played.
        let source = BUILTIN.iter().find(|(n, _)| *n == name).unwrap().1;
        let source: String = source
            .lines()
            .filter(|l| !l.starts_with("{#"))
            .map(|l| format!("{l}\n"))
            .collect();
        assert_eq!(
            source.split_once("\n\n").unwrap().1.trim_end(),
            words.text.trim_end(),
            "{name}"
        );
    }
}

#[test]
fn a_slip_in_a_template_is_found_at_the_start() {
    let unknown = with("help/start", "Subject: x\n\nhello {{ nme }}\n").unwrap_err();
    assert_eq!(unknown.template, "help/start");
    assert!(
        unknown.what.starts_with("`nme` is not given here"),
        "{unknown}"
    );
    let filter = with("help/start", "Subject: x\n\n\n{{ 'a' | shout }}\n").unwrap_err();
    assert_eq!(
        (filter.line, filter.what.as_str()),
        (Some(4), "there is no filter `shout`")
    );
    let part = with("help/start", "Subject: x\n\n{% include \"_bord\" %}\n").unwrap_err();
    assert_eq!(part.what, "there is no part `_bord`");
    let subject = with("help/start", "hello\n").unwrap_err();
    assert_eq!(subject.what, "the first line must be `Subject: ...`");
    let syntax = with("help/start", "Subject: x\n\n{% if %}\n").unwrap_err();
    assert_eq!(syntax.line, Some(3));
    let name = with("help/strat", "Subject: x\n\ny\n").unwrap_err();
    assert_eq!(
        name.to_string(),
        "template `help/strat`: there is no template of this name"
    );
    // Names from the language itself and strings with bars in them are no slips.
    with("help/start", "Subject: x\n\n{% set a = 1 %}{{ a }} {{ 'b | c' }} {% for i in [1] %}{{ loop.index }}{% endfor %}\n")
        .unwrap();
}

fn filled(source: &str, context: Json, style: &Style) -> Words {
    let mut env = Templates::builtin().unwrap();
    env.add("test", source).unwrap();
    env.render("test", context, style).unwrap()
}

#[test]
fn values_cannot_forge_subject_lines_boards_or_template_tags() {
    let context = json!({ "who": "a\nX: y\r\n\u{E000}\u{202E}{{ secret }}{% include '_footer' %}", "secret": "s3" });
    let words = filled(
        "Subject: from {{ who }}\n\n{{ who | oneline }}\n",
        context,
        &Style::default(),
    );
    assert_eq!(
        words.subject,
        "from a X: y {{ secret }}{% include '_footer' %}"
    );
    assert_eq!(words.text, "a X: y {{ secret }}{% include '_footer' %}\n");
    assert_eq!(words.blocks.len(), 1);
}

#[test]
fn a_missing_value_is_an_error_with_its_line() {
    let mut env = Templates::builtin().unwrap();
    env.add("test", "Subject: x\n\na\n{{ foot.game }}\n")
        .unwrap();
    let error = env
        .render("test", json!({ "foot": {} }), &Style::default())
        .unwrap_err();
    assert_eq!((error.template.as_str(), error.line), ("test", Some(4)));
}

#[test]
fn a_template_cannot_fill_the_disk() {
    let mut env = Templates::builtin().unwrap();
    let loops = "{% for a in l %}{% for b in l %}{% for c in l %}xxxxxxxx{% endfor %}{% endfor %}{% endfor %}";
    env.add("test", &format!("Subject: x\n\n{loops}\n"))
        .unwrap();
    let list: Vec<u32> = (0..200).collect();
    assert!(
        env.render("test", json!({ "l": list }), &Style::default())
            .is_err()
    );
    env.add("loop", "Subject: x\n\n{% include 'loop' %}\n")
        .unwrap();
    assert!(env.render("loop", json!({}), &Style::default()).is_err());
}

#[test]
fn times_lengths_and_numbers_read_as_people_say_them() {
    let source = "Subject: x\n\n{{ 1764079200 | time }}, {{ '2025-07-01T12:00:00Z' | time }}\n\
                  {{ 1 | plural('day') }}, {{ 5 | plural('day') }}, {{ 2 | plural('man', 'men') }}\n\
                  {{ 432000 | span }}, {{ 187200 | span }}, {{ 3660 | span }}, {{ 59 | span }}\n\
                  {{ 1 | seat }}, {{ 7 | seat }}\n";
    let mut style = Style {
        seats: vec!["white".into(), "black".into()],
        ..Style::default()
    };
    let words = filled(source, json!({}), &style);
    assert_eq!(
        words.text,
        "Tue 25 Nov 2025 14:00 UTC, Tue 1 Jul 2025 12:00 UTC\n1 day, 5 days, 2 men\n\
         5 days, 2 days 4 hours, 1 hour 1 minute, less than a minute\nblack, seat 8\n"
    );
    style.zone = "Europe/Berlin".into();
    let words = filled(source, json!({}), &style);
    assert!(
        words
            .text
            .starts_with("Tue 25 Nov 2025 15:00 CET, Tue 1 Jul 2025 14:00 CEST\n"),
        "{}",
        words.text
    );
    style.zone = "No/Where".into();
    assert!(
        filled(source, json!({}), &style)
            .text
            .starts_with("Tue 25 Nov 2025 14:00 UTC")
    );
}

#[test]
fn chat_is_marked_cut_and_broken() {
    let chat = text::chat("hi\x1b[31m\r\n.\r\nFrom me\u{200B}\n\n> quoted\n");
    assert_eq!(chat, "| hi[31m\n| .\n| From me\n|\n| > quoted");
    let long = text::chat(&format!("{}\n{}", "x".repeat(300), "y\n".repeat(100)));
    assert!(
        long.lines()
            .all(|l| l.chars().count() <= COLUMNS && l.starts_with('|'))
    );
    assert_eq!(long.lines().count(), text::CHAT_LINES_MAX + 1);
}

#[test]
fn lines_are_broken_at_blanks_and_keep_their_indentation() {
    let line = format!("    {}", "word ".repeat(20));
    let lines = text::wrap_line(&line, 40);
    assert!(
        lines.len() > 2
            && lines
                .iter()
                .all(|l| l.starts_with("    word") && l.len() <= 40 && !l.ends_with(' '))
    );
    assert_eq!(text::wrap_line(&"x".repeat(100), 72), ["x".repeat(100)]);
    assert_eq!(text::tidy("a  \n\n\n\n\tb\n", 72), "a\n\n    b\n");
}

#[test]
fn a_board_keeps_its_columns_and_becomes_pre() {
    let mut view = crate::rules::View {
        files: 2,
        ranks: 1,
        cells: vec![crate::rules::Cell::Empty; 2],
        last: vec![1],
        to_move: vec![],
        notes: vec![(Some(Seat(0)), "Tulpas to come".into(), "amazon ox".into())],
        four: false,
        leaderless: vec![],
    };
    view.cells[0] = crate::rules::Cell::Man {
        seat: Seat(1),
        letter: 'K',
        mark: None,
        name: Some("<king>".into()),
    };
    let style = Style {
        seats: vec!["white".into(), "black".into()],
        ..Style::default()
    };
    let words = filled(
        "Subject: s\n\nBoard:\n\n{% include \"_board\" %}\n\nDone.\n",
        json!({ "view": view }),
        &style,
    );
    assert_eq!(
        words.text,
        "Board:\n\n      a b\n   1  k(.)  1\n      a b\n  White  Tulpas to come: amazon ox\n\nDone.\n"
    );
    assert_eq!(words.blocks.len(), 3);
    let style = Style {
        board: BoardStyle::List,
        ..style
    };
    let words = filled(
        "Subject: s\n\n{{ view | board }}",
        json!({ "view": view }),
        &style,
    );
    assert_eq!(
        words.text,
        "Black: <king> a1\nTouched by the last turn: b1\n"
    );
    let page = super::super::hypertext::page(&words, &[], "r@x.test");
    assert!(page.contains("&lt;king&gt;") && !page.contains("<king>"));
}
