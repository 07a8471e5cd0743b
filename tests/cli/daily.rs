//! What a Keeper does every day: rounds, looking, the pipe, signals, the doctor.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::common::{ALICE, BOB, Home, steady, tulpa};

#[test]
fn a_round_tells_what_it_did() {
    let home = Home::new();
    home.run(&["run", "--once"]).good();
    let letter = home.letter(ALICE, "a game", "new chess vs bob@dale.example as white");
    fs::write(home.path("mail/inbox/new/1"), letter).unwrap();
    insta::assert_snapshot!(home.run(&["run", "--once"]).whole(), @r"
    1 letter read, 0 turns played, 2 mails sent, 0 mails waiting
    exit 0
    ");
    fs::write(
        home.path("mail/inbox/new/2"),
        home.letter(BOB, "#1", "accept"),
    )
    .unwrap();
    fs::write(
        home.path("mail/inbox/new/3"),
        home.letter(ALICE, "#1", "e4"),
    )
    .unwrap();
    insta::assert_snapshot!(home.run(&["run", "--once"]).whole(), @r"
    2 letters read, 1 turn played, 4 mails sent, 0 mails waiting
    exit 0
    ");
}

#[test]
fn what_is_going_on() {
    let home = Home::chess();
    home.receive(ALICE, "#1", "e4\nmessage a word in private");
    let tables = [
        &["matches"][..],
        &["players"],
        &["show", "1"],
        &["log"],
        &["log", "1", "-n", "2"],
    ];
    let all: String = tables
        .iter()
        .map(|a| steady(&home.run(a).whole()))
        .collect();
    assert!(!all.contains("a word in private"), "{all}");
    insta::assert_snapshot!(all);
    for args in [
        &["matches"][..],
        &["players"],
        &["show", "1"],
        &["log"],
        &["games"],
    ] {
        let text = home.run(&[args, &["--json"]].concat()).good();
        serde_json::from_str::<serde_json::Value>(&text).expect("one JSON value");
    }
    insta::assert_snapshot!(home.run(&["show", "9"]).whole(), @r"
    error: there is no match 9
      hint: `tulpa matches` lists them
    exit 1
    ");
}

#[test]
fn no_card_that_lies_face_down_is_shown_to_the_keeper() {
    let home = Home::new();
    home.receive(ALICE, "x", "new tulpas vs bob@dale.example as white");
    home.receive(BOB, "#1", "accept");
    home.receive(ALICE, "#1", "pick amazon\nelse: Nc1-a2\nguess spider");
    let nonce = home
        .mails_to(ALICE)
        .iter()
        .any(|m| m.contains("amazon") && m.contains("sha256sum"));
    assert!(nonce, "the picker has a receipt");
    for args in [
        &["show", "1"][..],
        &["log", "1"],
        &["log", "1", "--json"],
        &["export", "1"],
    ] {
        let text = home.run(args).good();
        assert!(!text.contains("Nc1-a2"), "{args:?}: {text}");
        let told = text
            .lines()
            .filter(|l| l.contains("amazon") && !l.contains("to come"))
            .count();
        assert_eq!(told, 0, "{args:?}: {text}");
    }
    let said = home.run(&["export", "1", "--as", "mails"]);
    assert!(said.err.contains("left out: 1 with cards"), "{}", said.err);
    assert!(said.err.contains("keep them to yourself"));
    assert!(!said.out.contains("echo") || !said.out.contains("sha256sum"));
    assert!(said.out.starts_with("From referee@example.org "));
}

#[test]
fn receive_answers_zero_only_when_the_letter_is_safe() {
    let home = Home::new();
    for letter in [
        home.letter(ALICE, "x", "games").into_bytes(),
        Vec::new(),
        vec![0xff; 1000],
        [
            home.letter(ALICE, "big", "").into_bytes(),
            vec![b'x'; 5 << 20],
        ]
        .concat(),
    ] {
        let said = home.feed(&["receive"], &letter);
        assert_eq!((said.code, said.out.as_str()), (0, ""), "{}", said.err);
    }
    // a configuration that cannot be read, a state that cannot be written: the server tries again
    let letter = home.letter(ALICE, "x", "games");
    let said = home.feed(&["-c", "none.ron", "receive"], letter.as_bytes());
    assert_eq!(said.code, 75, "{}", said.whole());
    let text = fs::read_to_string(home.path("tulpa.ron")).unwrap();
    fs::write(
        home.path("bad.ron"),
        text.replace("state: \"state\"", "state: \"/proc/nowhere\""),
    )
    .unwrap();
    let said = home.feed(&["-c", "bad.ron", "receive"], letter.as_bytes());
    assert_eq!(said.code, 75, "{}", said.whole());
}

struct Running(std::process::Child);

impl Running {
    fn start(home: &Home) -> Running {
        let child = tulpa()
            .arg("run")
            .current_dir(home.dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let open = format!("\"pid\":{},\"clean\":null", child.id());
        while !fs::read_to_string(home.path("state/lock")).is_ok_and(|t| t.contains(&open)) {
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "it did not start"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        Running(child)
    }

    fn stop(mut self, signal: &str) -> Option<i32> {
        let id = self.0.id().to_string();
        let sent = std::process::Command::new("bash")
            .args(["-c", &format!("kill -{signal} {id}")])
            .status()
            .unwrap();
        assert!(sent.success());
        self.0.wait().unwrap().code()
    }
}

#[test]
fn beside_a_running_referee() {
    let home = Home::chess();
    let running = Running::start(&home);
    insta::assert_snapshot!(home.run(&["run", "--once"]).whole(), @r"
    error: another process uses `HOME/state`
      hint: stop it first; only one referee may write a state directory
    exit 75
    ");
    let letter = home.letter(ALICE, "x", "status");
    // it is kept, and the referee at work takes it up
    assert_eq!(home.feed(&["receive"], letter.as_bytes()).code, 0);
    // looking, copying and the Keeper's word need no stop
    assert!(home.run(&["matches"]).good().contains("Alice, Bob"));
    assert_eq!(home.run(&["show", "1"]).code, 0);
    home.run(&["backup", "copy"]).good();
    let done = std::thread::scope(|s| {
        let word = s.spawn(|| home.run(&["keep", "extend", "1", "2"]));
        // a letter wakes it before its time
        std::thread::sleep(Duration::from_millis(1500));
        fs::write(
            home.path("mail/inbox/new/9"),
            home.letter(BOB, "x", "status"),
        )
        .unwrap();
        word.join().unwrap()
    });
    assert_eq!(done.whole(), "done; 2 mails to the players\nexit 0\n");
    assert_eq!(running.stop("TERM"), Some(0));
    // it stopped cleanly: the lock file says at which transaction
    let lock = fs::read_to_string(home.path("state/lock")).unwrap();
    assert!(!lock.contains("\"clean\":null"), "{lock}");
    let running = Running::start(&home);
    assert_eq!(running.stop("INT"), Some(0));
}

/// A sendmail that delivers into the inbox, as a mail server on this machine does.
fn with_sendmail(home: &Home, script: &str) {
    let program = home.path("sendmail");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let text = fs::read_to_string(home.path("tulpa.ron")).unwrap();
    let text = text.replace(
        "outbox: Maildir(\"mail/outbox\")",
        "outbox: Sendmail(\"sendmail\")",
    );
    fs::write(home.path("tulpa.ron"), text).unwrap();
}

fn grades(out: &str) -> Vec<String> {
    out.lines()
        .filter(|l| !l.starts_with(' '))
        .map(|l| {
            let (grade, rest) = l.split_at(4);
            format!(
                "{} {}",
                grade.trim(),
                rest.trim().split([':', ' ']).next().unwrap()
            )
        })
        .collect()
}

#[test]
fn the_doctor_sends_itself_a_letter() {
    let home = Home::new();
    home.run(&["run", "--once"]).good();
    with_sendmail(
        &home,
        "{ echo 'Authentication-Results: mx.other.example; dmarc=pass header.from=example.org'; cat; } > mail/inbox/new/$$",
    );
    let said = home.run(&["doctor", "--wait", "20"]);
    assert_eq!(said.code, 0, "{}", said.whole());
    assert!(
        said.out
            .contains("ok    round trip: the letter was back after"),
        "{}",
        said.out
    );
    assert!(
        said.out
            .contains("ok    plus-addressing: the letter was back"),
        "{}",
        said.out
    );
    assert!(
        said.out
            .contains("trusted_authserv: [\"mx.other.example\"]"),
        "{}",
        said.out
    );
    // nothing of it is left, and the referee answered none of its own letters
    assert_eq!(
        fs::read_dir(home.path("mail/inbox/new")).unwrap().count(),
        0
    );
    let json = home.run(&["doctor", "--offline", "--json"]).good();
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
}

#[test]
fn the_doctor_finds_what_is_ill() {
    let home = Home::new();
    home.run(&["run", "--once"]).good();
    fs::set_permissions(home.path("state"), fs::Permissions::from_mode(0o755)).unwrap();
    let said = home.run(&["doctor", "--offline"]);
    assert_eq!(said.code, 1);
    assert!(
        said.out
            .contains("fail  permissions: others can read `HOME/state` (mode 755)"),
        "{}",
        said.out
    );
    assert!(said.out.contains("hint: chmod -R go= HOME/state"));
    fs::set_permissions(home.path("state"), fs::Permissions::from_mode(0o700)).unwrap();
    // no plus-addresses: the server refuses that one recipient
    with_sendmail(
        &home,
        "case \"$5\" in *+*) echo 'no such user' >&2; exit 67;; esac; cat > mail/inbox/new/$$",
    );
    let said = home.run(&["doctor", "--wait", "20"]);
    assert_eq!(said.code, 1, "{}", said.whole());
    assert!(
        said.out.contains("set `identity.plus_addressing` to false"),
        "{}",
        said.out
    );
    // a letter that never comes
    with_sendmail(&home, "cat > /dev/null");
    let text = fs::read_to_string(home.path("tulpa.ron")).unwrap();
    fs::write(
        home.path("tulpa.ron"),
        text.replace("plus_addressing: true", "plus_addressing: false"),
    )
    .unwrap();
    let said = home.run(&["doctor", "--wait", "1"]);
    assert!(
        said.out
            .contains("fail  round trip: no letter came within 1 s"),
        "{}",
        said.out
    );
    // a clock before the last transaction
    let said = home.run(&["--now", "2001-01-01T00:00:00Z", "doctor", "--offline"]);
    assert!(
        !grades(&said.out).contains(&"fail clock".to_owned()),
        "real mail has a real clock"
    );
}
