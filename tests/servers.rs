//! The edge against real mail servers, Dovecot and Exim on loopback with TLS.
//!
//! `cargo test --test servers -- --ignored` starts and stops them by `.ci/mailserver.sh`; with `TULPA_MAIL_DIR` set to
//! the directory of running ones, those are used.

#[path = "servers/common.rs"]
mod common;
#[path = "servers/real.rs"]
mod real;

use std::time::{Duration, Instant};

use common::{letter, queued, settled};
use real::{password, servers};
use tulpa::edge::imap::ImapInbox;
use tulpa::edge::smtp::{SmtpCarrier, SmtpSetup};
use tulpa::edge::stream::Protection;
use tulpa::edge::{Arrived, Carrier, Delivery, Inbox, InboxError};

/// Waits until as many letters are there, as delivery takes its moment.
fn fetch(inbox: &mut ImapInbox, many: usize) -> Vec<Arrived> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let found = inbox.fetch(100).expect("fetch");
        if found.len() >= many || Instant::now() > until {
            assert_eq!(found.len(), many);
            return found;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Settles what an earlier run left.
fn clear(mut inbox: ImapInbox) {
    for one in inbox.fetch(1000).expect("fetch") {
        inbox.settle(&one.id, settled()).expect("settle");
    }
}

fn post(to: &str, subject: &str) {
    let servers = servers();
    let mut carrier = servers.smtp("SUBMISSIONS_PORT", Protection::Tls, "referee");
    let mail = queued(
        to,
        "referee@pbem.test",
        &format!("<{subject}@pbem.test>"),
        &letter(to, subject),
    );
    assert_eq!(carrier.send(&mail), Delivery::Sent);
}

#[test]
#[ignore = "needs mail servers"]
fn a_mail_goes_round_and_is_settled_once() {
    let servers = servers();
    clear(servers.inbox("alice"));
    post("alice@pbem.test", "round-1");
    post("alice+g7.1.k@pbem.test", "round-2");
    let mut inbox = servers.inbox("alice");
    let found = fetch(&mut inbox, 2);
    for one in &found {
        let text = String::from_utf8_lossy(&one.bytes);
        assert!(
            text.contains("\r\n..dots\r\nend\r\n") && one.too_big.is_none(),
            "{text}"
        );
        assert!(
            one.source_key.starts_with("imap|localhost|INBOX|"),
            "{}",
            one.source_key
        );
        assert!((jiff::Timestamp::now() - one.received).get_seconds() < 120);
    }
    // Not settled: they come again, with the same keys. Settled: they do not, for another connection either.
    assert_eq!(fetch(&mut inbox, 2)[0].source_key, found[0].source_key);
    inbox.settle(&found[0].id, settled()).unwrap();
    inbox.settle(&found[0].id, settled()).unwrap();
    let left = fetch(&mut servers.inbox("alice"), 1);
    assert_eq!(left[0].source_key, found[1].source_key);
    inbox.settle(&found[1].id, settled()).unwrap();
    assert!(inbox.fetch(10).unwrap().is_empty());
}

#[test]
#[ignore = "needs mail servers"]
fn settled_letters_move() {
    let servers = servers();
    let folder = |name: &str| {
        let mut setup = servers.setup("bob");
        setup.folder = name.into();
        setup.keyword = "$Other".into();
        ImapInbox::new(setup)
    };
    clear(servers.inbox("bob"));
    clear(folder("Processed"));
    if folder("Made by us").fetch(1).is_ok() {
        clear(folder("Made by us"));
    }
    for name in ["Processed", "Made by us"] {
        post("bob@pbem.test", "move");
        let mut setup = servers.setup("bob");
        setup.done_folder = Some(name.into());
        setup.server = servers.server("IMAP_PORT", Protection::StartTls);
        let mut inbox = ImapInbox::new(setup);
        let found = fetch(&mut inbox, 1);
        inbox.settle(&found[0].id, settled()).unwrap();
        assert!(inbox.fetch(10).unwrap().is_empty());
        assert_eq!(fetch(&mut folder(name), 1).len(), 1, "{name}");
    }
}

#[test]
#[ignore = "needs mail servers"]
fn idle_wakes() {
    let servers = servers();
    clear(servers.inbox("carol"));
    let mut inbox = servers.inbox("carol");
    assert!(inbox.fetch(10).unwrap().is_empty());
    let quiet = Instant::now();
    inbox.wait(Duration::from_millis(600)).unwrap();
    assert!(
        quiet.elapsed() >= Duration::from_millis(500),
        "woke without a letter"
    );
    let sender = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(300));
        post("carol@pbem.test", "idle");
    });
    let started = Instant::now();
    inbox.wait(Duration::from_secs(60)).unwrap();
    assert!(
        started.elapsed() < Duration::from_secs(30),
        "IDLE slept through it"
    );
    sender.join().unwrap();
    assert_eq!(fetch(&mut inbox, 1).len(), 1);
    // Seen by us and not settled: no reason to wake at once.
    let quiet = Instant::now();
    inbox.wait(Duration::from_millis(400)).unwrap();
    assert!(quiet.elapsed() >= Duration::from_millis(300));
}

#[test]
#[ignore = "needs mail servers"]
fn large_letters_are_noted_and_small_limits_hold() {
    let servers = servers();
    clear(servers.inbox("dave"));
    let mut carrier = servers.smtp("SUBMISSION_PORT", Protection::StartTls, "referee");
    let mut big = letter("dave@pbem.test", "big");
    for _ in 0..6000 {
        big.extend_from_slice(b"0123456789012345678901234567890123456789012345678901234567890\r\n");
    }
    assert_eq!(
        carrier.send(&queued(
            "dave@pbem.test",
            "referee@pbem.test",
            "<big@x>",
            &big
        )),
        Delivery::Sent
    );
    assert_eq!(
        carrier.send(&queued(
            "dave@pbem.test",
            "",
            "<small@x>",
            &letter("dave@pbem.test", "small")
        )),
        Delivery::Sent
    );
    let mut inbox = servers.inbox("dave");
    let found = fetch(&mut inbox, 2);
    let large: Vec<_> = found.iter().filter(|one| one.too_big.is_some()).collect();
    assert_eq!(large.len(), 1);
    assert!(
        large[0].too_big.unwrap() as usize > big.len() - 1 && large[0].bytes.len() == 64 * 1024
    );
    for one in &found {
        inbox.settle(&one.id, settled()).unwrap();
    }
    assert!(inbox.fetch(10).unwrap().is_empty());
}

#[test]
#[ignore = "needs mail servers"]
fn refusals_of_the_submission_server() {
    let servers = servers();
    for (port, protection) in [
        ("SUBMISSIONS_PORT", Protection::Tls),
        ("SUBMISSION_PORT", Protection::StartTls),
    ] {
        let mut carrier = servers.smtp(port, protection, "referee");
        let mut send =
            |to: &str, from: &str| carrier.send(&queued(to, from, "<r@x>", &letter(to, "r")));
        let us = "referee@pbem.test";
        assert_eq!(
            send("erin@pbem.test", "referee+b.1@pbem.test"),
            Delivery::Sent
        );
        let dead = send("reject-x@pbem.test", us);
        assert!(
            matches!(&dead, Delivery::Dead(why) if why.contains("550") && why.contains("no such mailbox")),
            "{dead:?}"
        );
        assert!(
            matches!(send("defer-x@pbem.test", us), Delivery::Later(why) if why.contains("451"))
        );
        assert!(matches!(send("full-x@pbem.test", us), Delivery::Dead(why) if why.contains("552")));
        assert!(matches!(
            send("nobody-here@pbem.test", us),
            Delivery::Dead(_)
        ));
        assert!(
            matches!(send("erin@pbem.test", "alice@pbem.test"), Delivery::Stop(why) if why.contains("550"))
        );
        assert!(matches!(send("-oQ/x@pbem.test", us), Delivery::Dead(_)));
        // And none of that spoils the next.
        assert_eq!(send("erin@pbem.test", us), Delivery::Sent);
    }
}

#[test]
#[ignore = "needs mail servers"]
fn wrong_passwords_and_wrong_authorities_stop() {
    let servers = servers();
    let mut setup = servers.setup("erin");
    setup.password = password("wrong");
    let mut inbox = ImapInbox::new(setup);
    assert!(matches!(inbox.fetch(1), Err(InboxError::Stop(why)) if why.contains("login refused")));
    assert!(inbox.back_off().is_some());
    // Not before its time: a server must not see us knock without a pause.
    assert!(matches!(inbox.fetch(1), Err(InboxError::Later(why)) if why.contains("next attempt")));

    for (port, protection) in [
        ("IMAPS_PORT", Protection::Tls),
        ("IMAP_PORT", Protection::StartTls),
    ] {
        let mut setup = servers.setup("erin");
        setup.server = servers.server(port, protection);
        setup.server.ca = Some(servers.stranger());
        let refused = ImapInbox::new(setup).fetch(1);
        assert!(
            matches!(&refused, Err(InboxError::Stop(why)) if why.contains("certificate")),
            "{refused:?}"
        );
        let mut setup = servers.setup("erin");
        setup.server = servers.server(port, protection);
        setup.server.host = "127.0.0.1".into();
        assert!(
            matches!(ImapInbox::new(setup).fetch(1), Err(InboxError::Stop(_))),
            "the name was not checked"
        );
    }
    let mail = queued(
        "erin@pbem.test",
        "referee@pbem.test",
        "<c@x>",
        &letter("erin@pbem.test", "c"),
    );
    for (port, protection) in [
        ("SUBMISSIONS_PORT", Protection::Tls),
        ("SUBMISSION_PORT", Protection::StartTls),
    ] {
        let login = |text| Some(("referee".to_owned(), password(text)));
        let mut server = servers.server(port, protection);
        let wrong = SmtpCarrier::new(SmtpSetup::new(server.clone(), login("wrong"))).send(&mail);
        assert!(
            matches!(&wrong, Delivery::Stop(why) if why.contains("535")),
            "{wrong:?}"
        );
        server.ca = Some(servers.stranger());
        let refused = SmtpCarrier::new(SmtpSetup::new(server, login("secret-referee"))).send(&mail);
        assert!(matches!(refused, Delivery::Stop(_)), "{refused:?}");
    }
    let mut server = servers.server("SUBMISSIONS_PORT", Protection::Tls);
    server.port = 1;
    assert!(matches!(
        SmtpCarrier::new(SmtpSetup::new(server, None)).send(&mail),
        Delivery::Later(_)
    ));
    // No login where one is wanted: our fault, not the recipient's.
    let open = servers.server("SUBMISSIONS_PORT", Protection::Tls);
    assert!(matches!(
        SmtpCarrier::new(SmtpSetup::new(open, None)).send(&mail),
        Delivery::Stop(_)
    ));
}

#[test]
#[ignore = "needs mail servers"]
fn a_new_uidvalidity_forgets_nothing_and_confuses_nothing() {
    let servers = servers();
    post("referee@pbem.test", "validity");
    let mut inbox = servers.inbox("referee");
    let until = Instant::now() + Duration::from_secs(20);
    let found = loop {
        let found = inbox.fetch(100).unwrap();
        if found
            .iter()
            .any(|one| String::from_utf8_lossy(&one.bytes).contains("validity"))
            || Instant::now() > until
        {
            break found;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    // The server loses its lists while we are away.
    drop(inbox);
    std::thread::sleep(Duration::from_secs(2));
    let maildir = servers.maildir("referee");
    for file in std::fs::read_dir(&maildir).unwrap().flatten() {
        if file.file_name().to_string_lossy().starts_with("dovecot") {
            let _ = std::fs::remove_file(file.path());
        }
    }
    let mut inbox = servers.inbox("referee");
    let again = inbox.fetch(100).unwrap();
    assert!(again.len() >= found.len());
    assert!(
        again
            .iter()
            .all(|one| found.iter().all(|old| old.source_key != one.source_key)),
        "validity did not change"
    );
    // The old number means nothing now: settled without harm, and the letter is still there.
    inbox.settle(&found[0].id, settled()).unwrap();
    assert_eq!(inbox.fetch(100).unwrap().len(), again.len());
    for one in &again {
        inbox.settle(&one.id, settled()).unwrap();
    }
    assert!(inbox.fetch(100).unwrap().is_empty());
}
