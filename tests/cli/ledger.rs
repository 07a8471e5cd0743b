//! The ledger as its players check it: played by mail, exported, read by both verifiers.

use std::fs;
use std::process::Command;

use super::common::{ALICE, BOB, Home};
use tulpa::fair::line::{hash, hex};

#[test]
fn what_is_exported_both_verifiers_let_through() {
    let home = Home::chess();
    home.receive(ALICE, "#1", "e2-e4");
    home.receive(BOB, "#1", "e7-e5");
    home.receive(ALICE, "#1", "resign");
    let ledger = home.run(&["export", "1", "--as", "ledger"]).good();
    assert!(ledger.lines().last().unwrap().starts_with("head "));
    assert!(!ledger.contains("example") && !ledger.contains("Alice"));
    // a player finds his own letter by `mid=`; the second letter was no answer, so it saw no head
    let mid = |n: u32, host: &str| hex(&hash(&format!("{n}@{host}")))[..16].to_owned();
    let e4 = ledger.lines().find(|l| l.contains("e2-e4")).unwrap();
    assert!(
        e4.ends_with(&format!(" mid={}", mid(4, "hill.example"))),
        "{e4}"
    );
    fs::write(home.path("one.ledger"), &ledger).unwrap();

    // the key that the first mail named, and every head that Bob was mailed
    let (_, after) = ledger.split_once(" key=").unwrap();
    let key = after.split_whitespace().next().unwrap();
    let mut mbox = home.mails_to(BOB).join("\nFrom x\n");
    mbox.insert_str(0, "From x\n");
    fs::write(home.path("bob.mbox"), mbox).unwrap();
    let said = home
        .run(&[
            "verify",
            "one.ledger",
            "--rules",
            "--key",
            key,
            "--mbox",
            "bob.mbox",
        ])
        .good();
    assert!(said.contains("all holds"), "{said}");
    assert!(!said.contains(" 0 heads"), "{said}");

    let script = home.run(&["verify", "--script"]).good();
    fs::write(home.path("verify.py"), script).unwrap();
    let python = Command::new("python3")
        .args(["verify.py", "one.ledger"])
        .current_dir(home.dir.path())
        .output();
    match python {
        Ok(out) => assert!(out.status.success(), "{out:?}"),
        Err(e) => eprintln!("skipped: no python3 here, verify.py was not run: {e}"),
    }

    // an edited one is refused
    fs::write(home.path("two.ledger"), ledger.replace("e2-e4", "d2-d4")).unwrap();
    assert_eq!(home.run(&["verify", "two.ledger"]).code, 1);
}

#[test]
fn without_the_key_nothing_is_signed() {
    let home = Home::chess();
    fs::remove_file(home.path("state/keys/server")).unwrap();
    let said = home.run(&["export", "1", "--as", "ledger"]);
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("there is no key to sign with"),
        "{}",
        said.err
    );
    assert!(!home.path("state/keys/server").exists());
}

/// A card and a seed on a player's own computer: kept before they are told, readable by nobody else, never overwritten.
#[test]
fn secrets_of_ones_own_are_kept_before_they_are_told() {
    use std::os::unix::fs::PermissionsExt;
    use tulpa::fair::entropy::seed_commitment;
    use tulpa::fair::line::unhash;
    use tulpa::fair::seal::commitment;

    let home = Home::new();
    let gid = "k7q2m5x4d3";
    let line = home.run(&["seed", "--commit", gid, "2"]).good();
    let file = format!("seed-{gid}-2.txt");
    let mode = fs::metadata(home.path(&file)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(home.run(&["seed", "--commit", gid, "2"]).code, 1);
    let open = home.run(&["seed", "--open", &file]);
    let seed = open.out.trim().strip_prefix("seed open ").unwrap();
    assert!(open.err.contains("do not send it before"), "{}", open.err);
    let c = seed_commitment(gid, 2, &unhash(seed).unwrap());
    assert_eq!(line.trim(), format!("seed commit {}", hex(&c)));

    let line = home
        .run(&["pick", "--commit", gid, "7", "1", "Amazon"])
        .good();
    let open = home
        .run(&["pick", "--open", &format!("pick-{gid}-7-1.txt")])
        .good();
    let nonce = open.trim().strip_prefix("pick open amazon ").unwrap();
    let c = commitment(gid, 7, 1, "amazon", nonce);
    assert_eq!(line.trim(), format!("pick commit {c}"));

    for bad in [
        ["seed", "--commit", gid, "0"],
        ["seed", "--commit", "short", "1"],
    ] {
        assert_eq!(home.run(&bad).code, 1, "{bad:?}");
    }
    fs::write(home.path("empty.txt"), "nothing").unwrap();
    assert_eq!(home.run(&["seed", "--open", "empty.txt"]).code, 1);
}

/// A file that came with a mail.
fn attached(mail: &str, name: &str) -> String {
    let mail = mailparse::parse_mail(mail.as_bytes()).unwrap();
    assert_eq!(mail.ctype.mimetype, "multipart/mixed");
    let part = mail.subparts.iter().find(|p| {
        let disposition = p.get_content_disposition();
        disposition.params.get("filename").map(String::as_str) == Some(name)
    });
    part.expect("a file of that name").get_body().unwrap()
}

/// A player needs no Keeper: the verifier and the ledger come by mail, and his own mails are a ledger too.
#[test]
fn a_player_checks_with_what_is_mailed_to_him() {
    let home = Home::chess();
    home.receive(ALICE, "#1", "e2-e4");
    home.receive(BOB, "#1", "e7-e5");
    home.receive(ALICE, "#1", "Ng1-f3");
    home.receive(BOB, "verify", "help verify");
    let mails = home.mails_to(BOB);
    let script = attached(mails.last().unwrap(), "verify.py");
    assert_eq!(script, home.run(&["verify", "--script"]).good());
    home.receive(BOB, "#1", "export");
    let mails = home.mails_to(BOB);
    let ledger = attached(mails.last().unwrap(), "game-1.ledger");
    assert_eq!(ledger, home.run(&["export", "1", "--as", "ledger"]).good());
    // the form without HTML too
    home.receive(BOB, "me", "set html=no");
    home.receive(BOB, "#1", "export");
    let mails = home.mails_to(BOB);
    let plain = attached(mails.last().unwrap(), "game-1.ledger");
    assert_eq!(plain, ledger);

    let all = format!("From x\n{}", mails.join("\nFrom x\n"));
    fs::write(home.path("bob.mbox"), &all).unwrap();
    let said = home.run(&["verify", "bob.mbox", "--rules"]).good();
    assert!(said.contains("all holds"), "{said}");
    // without his first mail the beginning is not there
    let late: Vec<&String> = mails.iter().skip(1).collect();
    let late: String = late.iter().map(|m| format!("From x\n{m}\n")).collect();
    fs::write(home.path("late.mbox"), late).unwrap();
    let said = home.run(&["verify", "late.mbox"]);
    assert_eq!(said.code, 1);
    assert!(
        said.out.contains("entries 0 to 1 stand in none"),
        "{}",
        said.out
    );
    // copied out of the mails by hand, in any form of quotation
    let text = mailparse::parse_mail(mails[0].as_bytes()).unwrap();
    let text = text.subparts[0].get_body().unwrap();
    let foot = text.split("help verify").last().unwrap();
    let quoted: String = foot.lines().map(|l| format!("> {l}\n")).collect();
    fs::write(home.path("copied.txt"), quoted).unwrap();
    let said = home.run(&["verify", "copied.txt"]).good();
    assert!(said.contains("2 entries"), "{said}");
    // two mails that differ
    let forged = all.replacen("text=e2-e4", "text=d2-d4", 1);
    fs::write(home.path("forged.mbox"), forged).unwrap();
    let said = home.run(&["verify", "forged.mbox"]);
    assert_eq!(said.code, 1, "{}", said.out);
}
