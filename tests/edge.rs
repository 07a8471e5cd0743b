//! The edge of the program where the world misbehaves: files, pipes, programs, and servers that break at every word.

#[path = "servers/common.rs"]
mod common;
#[path = "servers/fake.rs"]
mod fake;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{letter, queued, settled};
use tulpa::edge::imap::{ImapInbox, ImapSetup};
use tulpa::edge::maildir::{MaildirCarrier, MaildirInbox};
use tulpa::edge::pipe;
use tulpa::edge::secret::Secret;
use tulpa::edge::sendmail::SendmailCarrier;
use tulpa::edge::smtp::{SmtpCarrier, SmtpSetup};
use tulpa::edge::stream::{Protection, Server};
use tulpa::edge::{Arrived, Carrier, Delivery, Inbox, InboxError};

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .flatten()
        .map(|e| e.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_maildir_is_read_oldest_first_and_settled_into_cur() {
    let dir = tempfile::tempdir().unwrap();
    let mut inbox = MaildirInbox::open(dir.path()).unwrap().limit(100);
    let new = dir.path().join("new");
    for (name, bytes, age) in [
        ("b", 10, 3),
        ("a", 10, 2),
        ("big:2,", 1000, 1),
        (".hidden", 10, 9),
    ] {
        let file = fs::File::create(new.join(name)).unwrap();
        file.set_len(bytes).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(age * 100))
            .unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", new.join("link")).unwrap();
    fs::create_dir(new.join("dir")).unwrap();
    let found = inbox.fetch(10).unwrap();
    let keys: Vec<&str> = found
        .iter()
        .map(|one| one.source_key.rsplit('|').next().unwrap())
        .collect();
    assert_eq!(keys, ["b", "a", "big"]);
    assert!(found[0].source_key.starts_with("maildir|"));
    assert_eq!((found[2].too_big, found[2].bytes.len()), (Some(1000), 100));
    assert!((jiff::Timestamp::now() - found[0].received).get_seconds() >= 299);
    assert_eq!(inbox.fetch(1).unwrap().len(), 1);
    // Not settled: there again. Settled: moved, and once more is no error.
    assert_eq!(inbox.fetch(10).unwrap().len(), 3);
    for one in found.iter().chain(&found) {
        inbox.settle(&one.id, settled()).unwrap();
    }
    assert!(inbox.fetch(10).unwrap().is_empty());
    assert_eq!(
        names(&dir.path().join("cur")),
        ["a:2,S", "b:2,S", "big:2,S"]
    );
    let started = Instant::now();
    inbox.wait(Duration::from_millis(50)).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(50));
    fs::write(new.join("c"), "x").unwrap();
    inbox.wait(Duration::from_secs(60)).unwrap();
    fs::remove_dir_all(dir.path()).unwrap();
    assert!(matches!(inbox.fetch(1), Err(InboxError::Stop(_))));
}

#[test]
fn a_repeated_mail_replaces_itself() {
    let dir = tempfile::tempdir().unwrap();
    let mut carrier = MaildirCarrier::open(dir.path()).unwrap();
    for id in ["<g7.t1@x>", "<g7.t1@x>", "<../../g7@x>"] {
        assert_eq!(
            carrier.send(&queued("a@b.test", "", id, b"x: y\r\n\r\nz\r\n")),
            Delivery::Sent
        );
    }
    assert_eq!(
        names(&dir.path().join("new")),
        ["=2E.=2F..=2Fg7@x", "g7.t1@x"]
    );
    assert!(names(&dir.path().join("tmp")).is_empty());
    fs::remove_dir_all(dir.path()).unwrap();
    assert!(matches!(
        carrier.send(&queued("a@b.test", "", "<q@x>", b"x")),
        Delivery::Stop(_)
    ));
}

#[test]
fn a_pipe_ends_at_its_limit() {
    let now = jiff::Timestamp::UNIX_EPOCH;
    let take = |bytes: &[u8], limit| pipe::take(&mut { bytes }, limit, now).unwrap();
    let whole: Arrived = take(b"From x@y Mon\nFrom: x@y\n\nhi", 100);
    assert_eq!(
        (
            whole.bytes.as_slice(),
            whole.too_big,
            whole.source_key.as_str()
        ),
        (&b"From: x@y\n\nhi"[..], None, "")
    );
    assert_eq!(take(&[b'x'; 100], 100).too_big, None);
    let large = take(&[b'x'; 5000], 100);
    assert_eq!((large.bytes.len(), large.too_big), (100, Some(5000)));
    assert!(take(b"", 100).bytes.is_empty());
}

#[test]
fn sendmail_says_what_became_of_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let mail = queued("a@b.test", "ref@c.test", "<1@x>", &letter("a@b.test", "s"));
    let run = |script: &str, mail: &tulpa::store::Queued| {
        let path = dir.path().join("sendmail");
        let _ = fs::remove_file(&path);
        fs::write(dir.path().join("text"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(dir.path().join("text"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(dir.path().join("text"), &path).unwrap();
        SendmailCarrier::new(&path)
            .within(Duration::from_millis(1500))
            .send(mail)
    };
    let out = dir.path().join("out");
    let keep = format!("echo \"$@\" > {0}; cat >> {0}", out.display());
    assert_eq!(run(&keep, &mail), Delivery::Sent);
    let text = fs::read_to_string(&out).unwrap();
    assert!(
        text.starts_with("-i -f ref@c.test -- a@b.test\nFrom: Tulpa")
            && !text.contains('\r')
            && text.contains("\n..dots\n"),
        "{text}"
    );
    assert!(
        matches!(run("cat >/dev/null; echo later >&2; exit 75", &mail), Delivery::Later(why) if why.contains("later"))
    );
    assert!(
        matches!(run("cat >/dev/null; echo no such user >&2; exit 67", &mail), Delivery::Dead(why) if why.contains("no such user"))
    );
    assert!(matches!(
        run("cat >/dev/null; exit 78", &mail),
        Delivery::Stop(_)
    ));
    assert!(matches!(run("exec sleep 30", &mail), Delivery::Unknown(_)));
    assert!(matches!(run("kill -9 $$", &mail), Delivery::Unknown(_)));
    assert!(matches!(
        run(&keep, &queued("-oQ/x@b.test", "", "<1@x>", b"")),
        Delivery::Dead(_)
    ));
    assert!(matches!(
        run(&keep, &queued("a@b.test", "", "<1@x>", b"a\n.\nb")),
        Delivery::Dead(_)
    ));
    assert!(matches!(
        SendmailCarrier::new(Path::new("/no/such")).send(&mail),
        Delivery::Stop(_)
    ));
}

fn inbox(port: u16, protection: Protection) -> ImapInbox {
    let server = Server {
        host: "127.0.0.1".into(),
        port,
        protection,
        ca: None,
    };
    ImapInbox::new(ImapSetup::new(
        server,
        "u",
        Box::new(|| Ok(Secret::new("p".into()))),
    ))
}

#[test]
fn the_fake_server_works_when_it_behaves() {
    let mut inbox = inbox(
        fake::imap(Box::new(|_, _| Some(String::new()))),
        Protection::None,
    );
    let found = inbox.fetch(5).unwrap();
    assert_eq!(found[0].bytes, fake::LETTER.as_bytes());
    assert_eq!(found[0].source_key, "imap|127.0.0.1|INBOX|9|4");
    assert_eq!(found[0].received.to_string(), "2025-11-20T14:00:00Z");
    inbox.settle(&found[0].id, settled()).unwrap();
}

#[test]
fn a_server_that_breaks_at_any_word_costs_a_connection_and_no_letter() {
    let breaks: [fn(&str) -> Option<String>; 6] = [
        |_| None,
        |_| Some("* BYE going down\r\n\u{4}".into()),
        |tag| Some(format!("{tag} BAD what\r\n")),
        |_| Some("wrong OK done\r\n".into()),
        |_| Some("* 1 FETCH (UID 4 BODY[] {100}\r\nhalf a literal)\r\n\u{4}".into()),
        |_| Some("?? \u{ff} no IMAP at all\r\n".into()),
    ];
    for verb in [
        "LOGIN",
        "CAPABILITY",
        "SELECT",
        "UID SEARCH",
        "RFC822.SIZE",
        "BODY.PEEK",
        "UID STORE",
    ] {
        for (kind, broken) in breaks.iter().copied().enumerate() {
            let mut broke = false;
            let port = fake::imap(Box::new(move |tag, command| {
                if !broke && command.contains(verb) {
                    broke = true;
                    broken(tag)
                } else {
                    Some(String::new())
                }
            }));
            let mut inbox = inbox(port, Protection::None);
            let mut got = 0;
            let mut settled_at = None;
            for _ in 0..6 {
                inbox.retry_now();
                if let Ok(found) = inbox.fetch(5) {
                    got = found.len();
                    if inbox.settle(&found[0].id, settled()).is_ok() {
                        settled_at = Some(got);
                        break;
                    }
                }
                assert!(
                    !inbox.is_connected() && (inbox.back_off().is_some()),
                    "{verb} {kind}: kept a broken connection"
                );
            }
            assert_eq!((got, settled_at), (1, Some(1)), "{verb} {kind}");
        }
    }
}

#[test]
fn half_a_literal_is_no_letter() {
    let port = fake::serve(Box::new(|talk| {
        talk.say("* OK ready\r\n");
        let turn = talk.turn;
        while let Some(line) = talk.hear() {
            let (tag, command) = line.split_once(' ').unwrap_or((&line, ""));
            if turn == 0 && command.contains("BODY.PEEK") {
                talk.say("* 1 FETCH (UID 4 BODY[] {25}\r\nFrom: a@b.te");
                return;
            }
            let answer = fake::usual(tag, command);
            talk.say(&answer);
        }
    }));
    let mut inbox = inbox(port, Protection::None);
    assert!(matches!(inbox.fetch(5), Err(InboxError::Later(_))));
    inbox.retry_now();
    assert_eq!(inbox.fetch(5).unwrap()[0].bytes, fake::LETTER.as_bytes());
}

#[test]
fn an_event_before_the_answer_to_idle_wakes() {
    let port = fake::imap(Box::new(|tag, command| {
        Some(match command {
            "IDLE" => "* 2 EXISTS\r\n* OK Still here\r\n+ idling\r\n".into(),
            // DONE has no tag of its own.
            "" if tag == "DONE" => "a5 OK done\r\n".into(),
            _ => String::new(),
        })
    }));
    let mut inbox = inbox(port, Protection::None);
    inbox.fetch(5).unwrap();
    let started = Instant::now();
    let _ = inbox.wait(Duration::from_secs(50));
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "the event was lost"
    );
    // A server that does not like IDLE after all: wait without it.
    let port = fake::imap(Box::new(|tag, command| {
        Some(if command == "IDLE" {
            format!("{tag} NO sorry\r\n")
        } else {
            String::new()
        })
    }));
    let mut inbox = self::inbox(port, Protection::None);
    inbox.fetch(5).unwrap();
    inbox.wait(Duration::from_millis(20)).unwrap();
    let started = Instant::now();
    inbox.wait(Duration::from_millis(20)).unwrap();
    assert!(inbox.is_connected() && started.elapsed() >= Duration::from_millis(20));
}

#[test]
fn greetings_that_must_not_be_believed() {
    let mut refused = Vec::new();
    for (greeting, after, protection) in [
        ("* PREAUTH welcome\r\n", "", Protection::StartTls),
        ("* PREAUTH welcome\r\n", "", Protection::None),
        (
            "* OK hi\r\n",
            "s OK go\r\n* PREAUTH injected\r\na1 OK in\r\n",
            Protection::StartTls,
        ),
        ("* OK hi\r\n", "s NO not here\r\n", Protection::StartTls),
        ("* BYE full\r\n", "", Protection::None),
        ("220 smtp here\r\n", "", Protection::None),
        ("* OK plain text\r\n", "", Protection::Tls),
    ] {
        let port = fake::serve(Box::new(move |talk| {
            talk.say(greeting);
            if talk.hear().is_some() {
                talk.say(after);
                // Long enough for the client to look before the end of the connection reaches it.
                std::thread::sleep(Duration::from_millis(200));
            }
        }));
        refused.push(match inbox(port, protection).fetch(1) {
            Err(InboxError::Stop(_)) => "stop",
            Err(InboxError::Later(_)) => "later",
            Ok(_) => "believed",
        });
    }
    assert_eq!(
        refused,
        ["stop", "stop", "stop", "stop", "later", "later", "later"]
    );
    let server = Server {
        host: "mail.example.org".into(),
        port: 143,
        protection: Protection::None,
        ca: None,
    };
    let mut far = ImapInbox::new(ImapSetup::new(
        server,
        "u",
        Box::new(|| Ok(Secret::new("p".into()))),
    ));
    assert!(matches!(far.fetch(1), Err(InboxError::Stop(why)) if why.contains("needs TLS")));
}

#[test]
fn a_server_without_an_end_is_cut_off() {
    let port = fake::imap(Box::new(|_, command| {
        Some(if command.contains("SEARCH") {
            "* SEARCH 4\r\n".repeat(500_000)
        } else {
            String::new()
        })
    }));
    let started = Instant::now();
    assert!(matches!(
        inbox(port, Protection::None).fetch(1),
        Err(InboxError::Later(_))
    ));
    assert!(started.elapsed() < Duration::from_secs(40));
}

fn carrier(port: u16) -> SmtpCarrier {
    let server = Server {
        host: "127.0.0.1".into(),
        port,
        protection: Protection::None,
        ca: None,
    };
    let mut setup = SmtpSetup::new(server, None);
    setup.timeout = Duration::from_millis(700);
    SmtpCarrier::new(setup)
}

#[test]
fn what_an_smtp_error_means_depends_on_the_step() {
    let mail = queued("a@b.test", "ref@c.test", "<1@x>", &letter("a@b.test", "s"));
    let cases: [(&str, Option<&'static str>, &str); 17] = [
        ("none", Some(""), "sent"),
        ("EHLO", Some("421 not now\r\n"), "later"),
        ("MAIL", Some("451 not now\r\n"), "later"),
        ("MAIL", Some("550 who are you\r\n"), "stop"),
        ("MAIL", Some("530 log in\r\n"), "stop"),
        ("RCPT", Some("450 busy\r\n"), "later"),
        ("RCPT", Some("550 unknown\r\n"), "dead"),
        ("RCPT", Some("421 bye\r\n"), "later"),
        ("RCPT", None, "later"),
        ("DATA", Some("451 no\r\n"), "later"),
        ("DATA", Some("554 no\r\n"), "dead"),
        ("DATA", Some("250 what\r\n"), "later"),
        ("DATA", None, "later"),
        (".", Some("451 no space\r\n"), "later"),
        (".", Some("552 too much\r\n"), "dead"),
        (".", None, "unknown"),
        (".", Some("\t"), "unknown"),
    ];
    for (at, answer, expected) in cases {
        let port = fake::smtp(Box::new(
            move |verb| if verb == at { answer } else { Some("") },
        ));
        let got = carrier(port).send(&mail);
        let name = match &got {
            Delivery::Sent => "sent",
            Delivery::Later(_) => "later",
            Delivery::Unknown(_) => "unknown",
            Delivery::Dead(_) => "dead",
            Delivery::Stop(_) => "stop",
        };
        assert_eq!(name, expected, "{at} {answer:?}: {got:?}");
        if let Delivery::Later(why)
        | Delivery::Dead(why)
        | Delivery::Stop(why)
        | Delivery::Unknown(why) = &got
        {
            assert!(!why.contains("hello") && !why.contains('\n'), "{why}");
        }
    }
    // A mail that could be cut in two is not sent at all.
    let port = fake::smtp(Box::new(|_| Some("")));
    assert!(matches!(
        carrier(port).send(&queued("a@b.test", "", "<1@x>", b"a\r\n\n.\nMAIL")),
        Delivery::Dead(_)
    ));
}

#[test]
fn one_connection_carries_many_mails_and_a_lost_one_is_replaced() {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = count.clone();
    let port = fake::smtp(Box::new(move |verb| {
        if verb == "EHLO" {
            seen.fetch_add(1, Ordering::SeqCst);
        }
        // The third NOOP finds nobody: the next mail needs a new connection.
        if verb == "NOOP" && seen.fetch_add(100, Ordering::SeqCst) == 201 {
            None
        } else {
            Some("")
        }
    }));
    let mut carrier = carrier(port);
    for n in 0..5 {
        let mail = queued(
            "a@b.test",
            "",
            &format!("<{n}@x>"),
            &letter("a@b.test", "s"),
        );
        assert_eq!(carrier.send(&mail), Delivery::Sent);
    }
    assert_eq!(count.load(Ordering::SeqCst) % 100, 2);
}
