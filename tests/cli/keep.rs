//! The Keeper's word, copies and forgetting.

use std::fs;
use std::path::Path;

use super::common::{ALICE, BOB, CAROL, Home, steady};

#[test]
fn a_match_stands_still_and_goes_on() {
    let home = Home::chess();
    let said = home.run(&["keep", "hold", "1", "--why", "we read the rules again"]);
    assert_eq!(said.whole(), "done; 2 mails to the players\nexit 0\n");
    let show = home.run(&["show", "1"]).good();
    assert!(
        steady(&show).contains("on hold since DAY TIME: we read the rules again"),
        "{show}"
    );
    assert!(!show.contains("deadline"));
    let mail = home.mails_to(BOB).pop().unwrap();
    assert!(mail.contains("The Keeper has stopped this game"), "{mail}");
    assert!(mail.contains("we read the rules again"));
    // nothing is played meanwhile, and the writer is told why
    home.receive(ALICE, "#1", "e4");
    let mail = home.mails_to(ALICE).pop().unwrap();
    assert!(mail.contains("The Keeper has stopped this game"), "{mail}");
    assert!(home.run(&["show", "1"]).good().contains("owes: turn"));
    assert_eq!(home.run(&["keep", "hold", "1"]).code, 1);
    home.run(&["keep", "resume", "1"]).good();
    home.receive(ALICE, "#1", "e4");
    assert!(
        home.run(&["log", "1"])
            .good()
            .contains("white played  e2-e4")
    );
    insta::assert_snapshot!(home.run(&["keep", "resume", "1"]).whole(), @r"
    error: game 1 is not on hold
    exit 1
    ");
}

#[test]
fn a_stop_is_charged_to_nobody_and_time_can_be_given() {
    let home = Home::new();
    let at = |time: &str, args: &[&str]| home.run(&[&["--now", time], args].concat());
    let letter = home.letter(ALICE, "x", "new chess vs bob@dale.example as white");
    fs::create_dir_all(home.path("mail/inbox/new")).unwrap();
    fs::write(home.path("mail/inbox/new/1"), letter).unwrap();
    at("2030-01-01T00:00:00Z", &["run", "--once"]).good();
    fs::write(
        home.path("mail/inbox/new/2"),
        home.letter(BOB, "#1", "accept"),
    )
    .unwrap();
    at("2030-01-01T00:00:00Z", &["run", "--once"]).good();
    let until = |now: &str| {
        let text = at(now, &["show", "1", "--json"]).good();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["deadline"].as_str().unwrap_or("none").to_owned()
    };
    assert_eq!(until("2030-01-01T00:00:00Z"), "2030-01-08T00:00:00Z");
    at("2030-01-02T00:00:00Z", &["keep", "hold", "1"]).good();
    assert_eq!(until("2030-01-02T00:00:00Z"), "none");
    at("2030-01-12T00:00:00Z", &["keep", "resume", "1"]).good();
    assert_eq!(until("2030-01-12T00:00:00Z"), "2030-01-18T00:00:00Z");
    at(
        "2030-01-12T00:00:00Z",
        &["keep", "extend", "1", "5", "--why", "holidays"],
    )
    .good();
    assert_eq!(until("2030-01-12T00:00:00Z"), "2030-01-23T00:00:00Z");
    let mail = home.mails_to(BOB).pop().unwrap();
    assert!(
        mail.contains("The Keeper gives more time: 5 days."),
        "{mail}"
    );
    assert_eq!(
        at("2030-01-12T00:00:00Z", &["keep", "extend", "1", "0"]).code,
        1
    );
}

#[test]
fn what_cannot_be_undone_is_asked_for() {
    let home = Home::chess();
    for args in [
        &["keep", "void", "1"][..],
        &["keep", "adjudicate", "1", "--draw"],
        &["keep", "replace", "1", "black", "Carol"],
        &["keep", "ban", "Bob"],
        &["keep", "erase", "Bob"],
    ] {
        let said = home.run(args);
        assert_eq!(
            said.whole(),
            "error: this cannot be undone\n  hint: say `--yes` to do it\nexit 1\n"
        );
    }
    assert!(
        home.run(&["log"])
            .good()
            .lines()
            .all(|l| !l.contains("Keeper"))
    );
}

#[test]
fn endings_by_the_keepers_word() {
    let home = Home::chess();
    insta::assert_snapshot!(home.run(&["keep", "adjudicate", "1", "--winner", "green", "--yes"]).whole(), @r"
    error: game 1 has no seat `green`
      hint: seats: white, black
    exit 1
    ");
    home.run(&["keep", "adjudicate", "1", "--winner", "black", "--yes"])
        .good();
    assert!(
        home.run(&["show", "1"])
            .good()
            .contains("won by Bob: adjudicated")
    );
    let mail = home.mails_to(BOB).pop().unwrap();
    assert!(mail.contains("The Keeper has decided this game."), "{mail}");
    assert_eq!(home.run(&["keep", "void", "1", "--yes"]).code, 1);
    home.receive(ALICE, "x", "new chess vs bob@dale.example");
    home.run(&["keep", "void", "2", "--yes"]).good();
    assert!(home.run(&["matches"]).good().contains("void"));
}

#[test]
fn another_player_takes_a_seat() {
    let home = Home::new();
    home.receive(ALICE, "x", "new tulpas vs bob@dale.example as white");
    home.receive(BOB, "#1", "accept\nguess amazon");
    assert_eq!(
        home.run(&["keep", "replace", "1", "black", CAROL, "--yes"])
            .code,
        1
    );
    home.receive(CAROL, "x", "name Carol");
    home.run(&[
        "keep",
        "replace",
        "1",
        "black",
        CAROL,
        "--yes",
        "--why",
        "Bob is ill",
    ])
    .good();
    assert!(home.run(&["show", "1"]).good().contains("black     Carol"));
    let told = home.mails_to(BOB).pop().unwrap();
    assert!(told.contains("the Keeper has given your seat to"), "{told}");
    // the card stays down; its receipt goes to the new player alone
    let mails = home.mails_to(CAROL);
    assert!(
        mails
            .iter()
            .any(|m| m.contains("amazon") && m.contains("sha256sum"))
    );
    assert!(
        home.mails_to(ALICE)
            .iter()
            .all(|m| !m.contains("sha256sum"))
    );
    // the old one has no say any more, the new one has
    home.receive(BOB, "#1", "resign");
    assert!(home.run(&["show", "1"]).good().contains("playing"));
    home.receive(ALICE, "#1", "pick ox\nelse: Nc1-a2");
    assert!(
        home.run(&["log", "1"])
            .good()
            .contains("white played  Nc1-a2")
    );
}

#[test]
fn a_ban_is_answered_and_can_be_lifted() {
    let home = Home::chess();
    home.run(&[
        "keep",
        "ban",
        "Bob",
        "--yes",
        "--why",
        "he wrote unkind things",
    ])
    .good();
    let before = home.mails_to(BOB).len();
    home.receive(BOB, "#1", "message hello");
    let mails = home.mails_to(BOB);
    assert_eq!(mails.len(), before + 1);
    assert!(
        mails[before].contains("takes no more orders from you"),
        "{}",
        mails[before]
    );
    home.receive(ALICE, "x", "new chess vs bob@dale.example");
    assert!(home.run(&["players"]).good().contains("banned"));
    home.run(&["keep", "unban", "2"]).good();
    home.receive(BOB, "x", "status");
    assert!(!home.mails_to(BOB).pop().unwrap().contains("no more orders"));
}

#[test]
fn lost_mails_go_out_again() {
    let home = Home::chess();
    let before = home.mails_to(ALICE).len();
    home.run(&["keep", "resend", "1"]).good();
    assert_eq!(home.mails_to(ALICE).len(), before + 1);
    assert_eq!(home.run(&["keep", "requeue"]).whole(), "exit 0\n");
    insta::assert_snapshot!(home.run(&["keep", "requeue", "x"]).whole(), @r"
    error: nothing dead or set aside is `x`
      hint: `tulpa keep requeue` lists what is
    exit 1
    ");
}

/// Every file below a directory.
fn files(dir: &Path, out: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        match entry.path().is_dir() {
            true => files(&entry.path(), out),
            false => out.push(entry.path()),
        }
    }
}

/// A text in the forms in which it can lie in a file, each in lower case.
fn forms(text: &str) -> Vec<Vec<u8>> {
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
    let base64 = |bytes: &[u8]| -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for three in bytes.chunks_exact(3) {
            let n = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
            for at in [18, 12, 6, 0] {
                out.push(char::from(DIGITS[(n >> at & 63) as usize]));
            }
        }
        out
    };
    let utf16 = |big: bool| -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|u| {
                if big {
                    u.to_be_bytes()
                } else {
                    u.to_le_bytes()
                }
            })
            .collect()
    };
    let bytes = text.as_bytes();
    let mut all = vec![
        bytes.to_vec(),
        text.replace('@', "%40").into_bytes(),
        text.replace('@', "=40").into_bytes(),
        text.replace('@', "\\u0040").into_bytes(),
        hex(bytes).into_bytes(),
        utf16(true),
        utf16(false),
        bytes.iter().rev().copied().collect(),
    ];
    // base64 at each of the three places it can begin
    for skip in 0..3 {
        all.push(base64(&bytes[skip..]).to_ascii_lowercase().into_bytes());
    }
    all
}

#[test]
fn who_is_erased_is_nowhere_in_the_state() {
    let home = Home::chess();
    home.receive(BOB, "#1", "message my telephone is 5550199");
    home.receive(ALICE, "x", "new chess vs Bob@Dale.example");
    fs::create_dir_all(home.path("state/quarantine")).unwrap();
    let aside = home.path(&format!("state/quarantine/{}.eml", "0".repeat(64)));
    fs::write(&aside, "From: bob@dale.example\r\n\r\nx\r\n").unwrap();
    let said = home.run(&["keep", "erase", "Bob", "--yes"]);
    assert!(
        said.err.contains("he still takes part in game 1"),
        "{}",
        said.whole()
    );
    home.run(&["keep", "adjudicate", "1", "--draw", "--yes"])
        .good();
    home.run(&["keep", "void", "2", "--yes"]).good();
    let before = home.run(&["export", "1"]).good();
    let mut state = Vec::new();
    files(&home.path("state"), &mut state);
    let raw = |p: &Path| fs::read(p).unwrap().to_ascii_lowercase();
    let has = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).any(|w| w == what);
    assert!(
        state.iter().any(|p| has(&raw(p), BOB.as_bytes())),
        "the test can fail"
    );

    home.run(&["keep", "erase", "bob@dale.example", "--yes"])
        .good();
    let mut state = Vec::new();
    files(&home.path("state"), &mut state);
    for secret in [BOB, "bob@", "5550199"] {
        for form in forms(secret).iter().filter(|f| f.len() >= 4) {
            for path in &state {
                assert!(
                    !has(&raw(path), form),
                    "{secret} in {} as {}",
                    path.display(),
                    String::from_utf8_lossy(form)
                );
            }
        }
    }
    // all else stands
    let players = home.run(&["players"]).good();
    assert!(
        players.contains("(left 2)") && players.contains(ALICE),
        "{players}"
    );
    assert_eq!(home.run(&["export", "1"]).good(), before);
    home.run(&["rebuild"]).good();
    assert_eq!(home.run(&["doctor", "--offline"]).code, 0);
    home.receive(ALICE, "x", "status");
    // he may come again, as somebody new
    home.receive(BOB, "x", "games");
    assert!(home.run(&["players"]).good().contains(BOB));
}

#[test]
fn a_copy_comes_back_and_stands_still() {
    let home = Home::chess();
    home.receive(ALICE, "#1", "e4");
    let said = home.run(&["backup", "copy", "--keys"]);
    assert_eq!(said.code, 0, "{}", said.whole());
    let (matches, log) = (home.run(&["matches"]).good(), home.run(&["log"]).good());
    home.receive(BOB, "#1", "e5");
    insta::assert_snapshot!(home.run(&["restore", "copy"]).whole(), @r"
    error: `HOME/state` holds a journal already
      hint: move it away first; a restore never writes over one
    exit 1
    ");
    fs::rename(home.path("state"), home.path("old")).unwrap();
    // a copy that is not whole is refused, and leaves nothing that could be started
    let journal = home.path("copy/journal.000001");
    let good = fs::read(&journal).unwrap();
    let mut bad = good.clone();
    bad[good.len() / 2] ^= 1;
    fs::write(&journal, &bad).unwrap();
    let said = home.run(&["restore", "copy"]);
    assert!(
        said.err.contains("it is not what the manifest says"),
        "{}",
        said.whole()
    );
    assert!(!home.path("state/journal.000001").exists());
    fs::write(&journal, &good).unwrap();
    home.run(&["restore", "copy"]).good();
    assert_eq!(
        fs::read(home.path("old/keys/server")).unwrap(),
        fs::read(home.path("state/keys/server")).unwrap()
    );
    // it stands still until it is told to go on
    insta::assert_snapshot!(home.run(&["run", "--once"]).whole(), @r"
    error: the referee stands still: restored from a backup
      hint: `tulpa keep resume` lets it go on
    exit 1
    ");
    let letter = home.letter(ALICE, "x", "status");
    assert_eq!(home.feed(&["receive"], letter.as_bytes()).code, 75);
    assert_eq!(home.run(&["matches"]).good(), matches);
    assert_eq!(home.run(&["log"]).good(), log);
    home.run(&["keep", "resume"]).good();
    home.receive(BOB, "#1", "e5");
    assert!(home.run(&["log"]).good().contains("black played  e7-e5"));
}
