use super::*;

fn wrong(text: &str) -> String {
    Config::parse(text).expect_err(text).to_string()
}

#[test]
fn the_example_is_the_default() {
    let example = Config::parse(include_str!("../../config.example.ron")).unwrap();
    assert_eq!(format!("{example:?}"), format!("{:?}", Config::default()));
    assert_eq!(
        format!("{:?}", Config::parse("()").unwrap()),
        format!("{example:?}")
    );
    assert!(example.check().is_empty(), "{:?}", example.check());
    assert!(example.is_rehearsal());
}

#[test]
fn the_commented_examples_work_too() {
    // Each `// name: Kind(` block, without its marks, in place of the plain line.
    let text = include_str!("../../config.example.ron");
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines().map(str::trim) {
        let bare = line.strip_prefix("// ");
        match (&mut block, bare) {
            (None, Some(bare)) if bare.ends_with("Imap(") || bare.ends_with("Smtp(") => {
                block = Some(bare.to_owned())
            }
            (Some(_), Some(bare)) => {
                let mut whole = block.take().unwrap();
                whole.push('\n');
                whole.push_str(bare);
                if bare == ")," {
                    blocks.push(whole)
                } else {
                    block = Some(whole)
                }
            }
            _ => {}
        }
    }
    assert_eq!(blocks.len(), 2);
    let config = Config::parse(&format!("({})", blocks.join("\n"))).unwrap();
    let InboxConf::Imap(imap) = &config.inbox else {
        panic!()
    };
    assert_eq!((imap.host.as_str(), imap.idle), ("imap.example.org", true));
    let OutboxConf::Smtp(smtp) = &config.outbox else {
        panic!()
    };
    assert_eq!(smtp.user.as_deref(), Some("referee"));
    assert!(!config.is_rehearsal());
}

#[test]
fn mistakes_are_named_with_their_place() {
    insta::assert_snapshot!(wrong("(\n    pol: \"60s\",\n)"), @r"
    2:5: unknown setting `pol`
    hint: did you mean `poll`? known here: `referee`, `state`, `inbox`, `outbox`, `identity`, `poll`, `games`, `templates`, `language`, `limits`, `clocks`, `keeper`
    ");
    insta::assert_snapshot!(wrong("(inbox: Imapp(host: \"x\"))"), @r"
    1:9: unknown choice `Imapp`
    hint: did you mean `Imap`? known here: `Maildir`, `Imap`, `Pipe`
    ");
    insta::assert_snapshot!(wrong("(poll: \"soon\")"), @"1:9: `soon` is not a length of time, expected one like `60s`, `5m`, `2h` or `3d`");
    assert!(
        wrong("(poll: 60)").starts_with("1:"),
        "{}",
        wrong("(poll: 60)")
    );
    assert!(wrong("(poll: \"1s\", poll: \"2s\")").contains("`poll` is set twice"));
    assert!(wrong("(limits: (letter_byte: 3))").contains("did you mean `letter_bytes`?"));
    assert!(wrong("(poll: \"60s\"").starts_with("1:"));
    assert!(wrong("(inbox: Imap(hots: \"x\"))").contains("did you mean `host`?"));
}

#[test]
fn lengths_of_time() {
    let good = [
        ("0s", 0),
        ("90s", 90),
        ("5m", 300),
        ("2h", 7200),
        ("3d", 259_200),
    ];
    for (text, seconds) in good {
        assert_eq!(
            load::parse_duration(text),
            Some(Duration::from_secs(seconds)),
            "{text}"
        );
    }
    for text in [
        "",
        "s",
        "5",
        "5 m",
        "-5m",
        "1.5h",
        "5w",
        "99999999999999999999s",
        "40000d",
    ] {
        assert_eq!(load::parse_duration(text), None, "{text}");
    }
}

#[test]
fn checks_find_what_parses_but_cannot_be() {
    let text = "(referee: (address: \"Tulpa <a@b>\"), poll: \"0s\", limits: (letter_bytes: 9999999, depth: 0), games: [\"/nowhere.ron\"],
        inbox: Imap(host: \"mail.example.org\", tls: Off, user: \"u\"), outbox: Smtp(host: \"h\", user: \"u\"))";
    let all: Vec<String> = Config::parse(text)
        .unwrap()
        .check()
        .iter()
        .map(ToString::to_string)
        .collect();
    let all = all.join("\n");
    for part in [
        "referee.address",
        "`poll`",
        "letter_bytes",
        "limits.depth",
        "/nowhere.ron",
        "inbox.tls",
        "inbox.password",
        "one of `user`",
    ] {
        assert!(all.contains(part), "{part} in {all}");
    }
    let same = Config::parse("(inbox: Maildir(\"m\"), outbox: Maildir(\"m\"))").unwrap();
    assert_eq!(same.check().len(), 1);
}

#[test]
fn files_paths_and_inline_passwords() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tulpa.ron");
    std::fs::write(&path, "\u{feff}(inbox: Imap(host: \"h\", user: \"u\", password: Inline(\"sesame\")), templates: \"mine\")").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = Config::load(&path).unwrap_err().to_string();
    assert!(
        refused.contains("mode 644") && refused.contains("hint: `chmod 600`"),
        "{refused}"
    );
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let config = Config::load(&path).unwrap();
    assert!(!format!("{config:?}").contains("sesame"));
    assert_eq!(config.state, dir.path().join("state"));
    assert_eq!(config.templates, Some(dir.path().join("mine")));
    let InboxConf::Imap(imap) = &config.inbox else {
        panic!()
    };
    assert_eq!(
        imap.password
            .as_ref()
            .unwrap()
            .read(Some(&path))
            .unwrap()
            .reveal(),
        "sesame"
    );
    assert!(Config::load(&dir.path().join("none.ron")).is_err());
}

#[test]
fn passwords_from_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p");
    std::fs::write(&path, "one\ntwo\n").unwrap();
    let read = |password: Password| password.read(None).map(|secret| secret.reveal().clone());
    assert_eq!(read(Password::File(path)), Ok("one".into()));
    assert_eq!(
        read(Password::Command("echo three; echo four".into())),
        Ok("three".into())
    );
    assert!(
        read(Password::Command("exit 3".into()))
            .unwrap_err()
            .contains("failed")
    );
    assert!(
        read(Password::Command("true".into()))
            .unwrap_err()
            .contains("empty")
    );
    assert!(read(Password::Env("TULPA_NO_SUCH_VARIABLE".into())).is_err());
    assert!(read(Password::Env("PATH".into())).is_ok());
    assert!(read(Password::Credential("../x".into())).is_err());
}
