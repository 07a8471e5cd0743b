//! Configuration: where it is found, what is wrong with it, what may never be printed.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::common::{Home, tulpa};
use tulpa::config::{Config, Imap, Smtp};

#[test]
fn every_setting_stands_in_the_example() {
    let example = include_str!("../../config.example.ron");
    let shown: BTreeSet<&str> = example
        .lines()
        .map(|l| l.trim_start().trim_start_matches("// ").trim_start())
        .filter_map(|l| l.split_once(':').map(|(name, _)| name))
        .collect();
    let all = format!(
        "{:#?}{:#?}{:#?}",
        Config::default(),
        Imap::default(),
        Smtp::default()
    );
    let mut fields = BTreeSet::new();
    for line in all.lines() {
        let name = line.trim_start().split(':').next().unwrap_or_default();
        if line.contains(": ") && name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
            fields.insert(name);
        }
    }
    fields.remove("file");
    assert!(fields.len() > 40, "{fields:?}");
    let missing: Vec<_> = fields.difference(&shown).collect();
    assert!(missing.is_empty(), "not in config.example.ron: {missing:?}");
}

#[test]
fn the_example_works_as_it_is() {
    let home = Home::new();
    fs::write(
        home.path("tulpa.ron"),
        include_str!("../../config.example.ron"),
    )
    .unwrap();
    insta::assert_snapshot!(home.run(&["check"]).whole(), @"exit 0");
    insta::assert_snapshot!(home.run(&["run", "--once"]).whole(), @r"
    0 letters read, 0 turns played, 0 mails sent, 0 mails waiting
    exit 0
    ");
    let mut open = Vec::new();
    let mut dirs = vec![home.path("state")];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).unwrap().flatten() {
            if entry.path().is_dir() {
                dirs.push(entry.path());
            }
        }
    }
    for path in [
        "state",
        "state/keys",
        "state/keys/server",
        "state/lock",
        "state/journal.000001",
    ] {
        let mode = fs::metadata(home.path(path)).unwrap().permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            open.push((path, mode));
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_configuration_is_looked_for_here_then_xdg_then_etc() {
    let home = Home::new();
    let (here, xdg) = (home.path("tulpa.ron"), home.path("xdg/tulpa/tulpa.ron"));
    fs::create_dir_all(xdg.parent().unwrap()).unwrap();
    fs::write(&xdg, "(poll: \"xdg\")").unwrap();
    let run = |extra: &[&str]| {
        let done = tulpa()
            .args(extra)
            .arg("check")
            .env("XDG_CONFIG_HOME", home.path("xdg"))
            .current_dir(home.dir.path())
            .output()
            .unwrap();
        String::from_utf8(done.stderr).unwrap()
    };
    assert_eq!(run(&[]), "");
    fs::rename(&here, home.path("other.ron")).unwrap();
    assert!(run(&[]).contains("`xdg` is not a length of time"));
    assert_eq!(run(&["-c", "other.ron"]), "");
    fs::remove_file(&xdg).unwrap();
    let none = run(&[]);
    assert!(
        none.contains("no configuration: looked for `tulpa.ron`") && none.contains("/etc/tulpa"),
        "{none}"
    );
    assert!(none.contains("  hint: copy `config.example.ron`"), "{none}");
}

#[test]
fn a_wrong_configuration_names_line_column_and_the_nearest_word() {
    let home = Home::new();
    let mut all = String::new();
    for text in [
        "(\n    pol: \"60s\",\n)",
        "(limits: (letter_byte: 3))",
        "(inbox: Imapp(host: \"x\"))",
        "(poll: \"soon\")",
        "(poll: \"60s\"",
        "(referee: (address: \"Tulpa <a@b>\"), limits: (depth: 0))",
        "(inbox: Maildir(\"m\"), outbox: Maildir(\"m\"))",
        "(games: [\"nowhere.ron\"])",
    ] {
        fs::write(home.path("tulpa.ron"), text).unwrap();
        let said = home.run(&["check"]);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{text}");
        all.push_str(&said.err);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn no_secret_is_ever_printed() {
    let home = Home::new();
    let text = "(inbox: Imap(host: \"imap.example.org\", user: \"u\", password: Inline(\"sesame9\")), \
                outbox: Smtp(host: \"smtp.example.org\", user: \"u\", password: Inline(\"sesame9\"), tsl: Off))";
    for text in [text.to_owned(), text.replace(", tsl: Off", "")] {
        for mode in [0o600, 0o644] {
            fs::write(home.path("tulpa.ron"), &text).unwrap();
            fs::set_permissions(home.path("tulpa.ron"), fs::Permissions::from_mode(mode)).unwrap();
            for args in [
                &["check"][..],
                &["-vv", "matches"],
                &["doctor", "--offline"],
            ] {
                let said = home.run(args).whole();
                assert!(!said.contains("sesame9"), "{said}");
            }
        }
    }
    let said = home.run(&["check"]);
    assert!(said.err.contains("others can read"), "{}", said.whole());
}

#[test]
fn the_clock_is_set_only_in_rehearsals() {
    let home = Home::new();
    let now = ["--now", "2030-01-01T00:00:00Z", "run", "--once"];
    assert_eq!(home.run(&now).code, 0);
    let text = fs::read_to_string(home.path("tulpa.ron")).unwrap();
    let text = text.replace("inbox: Maildir(\"mail/inbox\")", "inbox: Pipe");
    fs::write(home.path("tulpa.ron"), text).unwrap();
    insta::assert_snapshot!(home.run(&now).whole(), @r"
    error: `--now` needs both transports to be Maildirs
      hint: real mail has real times
    exit 1
    ");
}

#[test]
fn usage_is_code_two_and_everything_has_completions_and_a_manual() {
    let home = Home::new();
    assert_eq!(home.run(&["frobnicate"]).code, 2);
    assert_eq!(home.run(&["keep", "adjudicate", "1"]).code, 2);
    let man = home.run(&["man"]).good();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = home.run(&["completions", shell]).good();
        for word in [
            "demo",
            "run",
            "receive",
            "read",
            "check",
            "doctor",
            "games",
            "rules",
            "legal",
            "replay",
            "perft",
            "board",
            "matches",
            "show",
            "log",
            "players",
            "export",
            "keep",
            "backup",
            "restore",
            "rebuild",
            "completions",
            "man",
        ] {
            assert!(text.contains(word), "{shell}: {word}");
            assert!(man.contains(word), "man: {word}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = Home::new();
    let bin = env!("CARGO_BIN_EXE_tulpa");
    for command in ["games", "man", "completions bash", "legal overlord"] {
        let done = std::process::Command::new("bash")
            .args([
                "-c",
                &format!("set -o pipefail; '{bin}' {command} | head -n 1 >/dev/null"),
            ])
            .current_dir(home.dir.path())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success() && err.is_empty(), "{command}: {err}");
    }
}
