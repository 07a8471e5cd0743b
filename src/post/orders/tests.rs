use super::*;
use crate::post::quote::typed;

/// The orders of one line, as text; `prose`, `slip`.
fn say(line: &str) -> String {
    let found = understand(&typed(line));
    let orders: Vec<String> = found
        .parts
        .iter()
        .flat_map(|p| {
            let game = p.game.map(|g| format!("#{g}"));
            let orders = p.orders.iter().map(|o| match &o.order {
                Ok(order) => format!("{order:?}"),
                Err(_) => "slip".to_owned(),
            });
            game.into_iter().chain(orders).collect::<Vec<_>>()
        })
        .collect();
    if orders.is_empty() {
        "prose".to_owned()
    } else {
        orders.join(" ")
    }
}

#[test]
fn greetings_and_farewells_are_not_listed() {
    let ignored = |text: &str| understand(&typed(text)).ignored;
    let letter = "Hi Bob,\na3-a4\nNice game!\nBest regards\nAlice Miller";
    assert_eq!(ignored(letter), ["Nice game!"]);
    assert_eq!(ignored("Hello\nDear referee,\nCheers,\nAl"), [""; 0]);
    // What may be a question or says something is told.
    for line in ["Hi, can you help?", "hello what do I do now", "Highland"] {
        assert_eq!(ignored(line), [line]);
    }
}

#[test]
fn both_branches_stand_in_the_line_of_the_first() {
    let found = understand(&typed("if created: A@a2; Aa2-b4\nelse: Nc1-a2"));
    let line = &found.parts[0].orders[0];
    assert_eq!(line.text, "if created: A@a2; Aa2-b4\nelse: Nc1-a2");
}

#[test]
fn commands_and_their_synonyms() {
    for (line, wanted) in [
        ("help", "Help(None)"),
        ("Help moves.", "Help(Some(\"moves\"))"),
        ("games", "Games"),
        ("rules of tulpas", "Rules(\"tulpas\")"),
        ("accept", "Accept"),
        ("I accept.", "Accept"),
        ("accept the invitation", "Accept"),
        ("accept draw", "AcceptDraw"),
        ("Accept the draw!", "AcceptDraw"),
        ("accept undo", "AcceptUndo"),
        ("decline", "Decline"),
        ("decline 42", "#42 Decline"),
        ("decline draw", "DeclineDraw"),
        ("cancel game 3", "#3 Cancel"),
        ("block bob", "Block(\"bob\")"),
        ("move e2-e4", "Play(\"e2-e4\")"),
        ("e2 e4", "Play(\"e2 e4\")"),
        ("0-0", "Play(\"0-0\")"),
        ("throw c3 to a4 from b2", "Play(\"throw c3 to a4 from b2\")"),
        ("pick the Amazon!", "Pick(\"amazon\")"),
        ("pick: wild ox", "Pick(\"wild ox\")"),
        ("guess 'ox'", "Guess(\"ox\")"),
        ("pick amazon; guess ox", "Pick(\"amazon\") Guess(\"ox\")"),
        ("pick amazon and guess ox", "Pick(\"amazon\") Guess(\"ox\")"),
        ("pick amazon; Nc1-d3", "Pick(\"amazon\") Play(\"Nc1-d3\")"),
        ("place amazon b2", "Place(\"amazon b2\")"),
        ("place A@b2", "Place(\"A@b2\")"),
        ("A@b2; Ab2-d4", "Play(\"A@b2; Ab2-d4\")"),
        ("preview Nc1-d3; Mc6*b7", "Preview(\"Nc1-d3; Mc6*b7\")"),
        ("end", "End"),
        ("pass", "End"),
        ("start green", "Start(\"green\")"),
        ("exchange second", "Exchange(\"second\")"),
        ("show 12", "Show(Some(12))"),
        ("show me the board", "Show(None)"),
        ("board", "Show(None)"),
        ("history", "History"),
        ("status", "Status"),
        ("my games", "Status"),
        ("offer draw", "OfferDraw"),
        ("draw?", "OfferDraw"),
        ("claim draw", "ClaimDraw"),
        ("claim time", "ClaimTime"),
        ("resign", "Resign"),
        ("resigns.", "Resign"),
        ("I resign!", "Resign"),
        ("give up", "Resign"),
        ("undo", "Undo"),
        ("name Alice B.", "Name(\"Alice B\")"),
        (
            "set board = unicode",
            "Set { key: \"board\", value: \"unicode\" }",
        ),
        ("set html no", "Set { key: \"html\", value: \"no\" }"),
        ("turn 7: Nc1-d3", "Turn(7) Play(\"Nc1-d3\")"),
        ("game 42: resign", "#42 Resign"),
        ("#42 e2-e4", "#42 Play(\"e2-e4\")"),
        ("join 3", "Join(3)"),
        ("away 1 Dec to 8 Dec", "Away(\"1 Dec to 8 Dec\")"),
        ("delegate to Bob", "Delegate(\"Bob\")"),
        ("erase me", "Erase"),
        ("message: hi", "Message(\"hi\")"),
        ("if Nb1-c3 then Nc1-d3", "Plan(\"if Nb1-c3 then Nc1-d3\")"),
        (
            "if created A@b2; Ab2-d4",
            "IfCreated { created: Some(\"A@b2; Ab2-d4\"), otherwise: None }",
        ),
        (
            "If not created: Nc1-d3",
            "IfCreated { created: None, otherwise: Some(\"Nc1-d3\") }",
        ),
        ("*resign*", "Resign"),
        ("- resign", "Resign"),
    ] {
        assert_eq!(say(line), wanted, "{line}");
    }
}

#[test]
fn slips_stop_the_letter() {
    for line in [
        "pick",
        "guess",
        "pikc amazon",
        "gusse ox",
        "plcae A@b2",
        "resgin",
        "resign later",
        "resign? never",
        "accept nothing",
        "place amazon",
        "preview",
        "if created: hello",
        "if Nb1-c3 Nc1-d3",
        "else: hello",
        "exchange third",
        "exchange",
        "claim",
        "new",
        "set",
        "set board",
        "join bob",
        "message",
        "erase everything",
        "guess äx",
        "pick one two three",
        "move it",
        "offer cake",
        "if created:",
        "else:",
        "esle: Nc1-d3",
        "turn around",
    ] {
        assert_eq!(say(line), "slip", "{line}");
    }
}

#[test]
fn prose_is_prose() {
    for line in [
        "Hello bob,",
        "Nice game so far",
        "I guess we will see",
        "Good move!",
        "see you on Monday",
        "Show me what you can do with it",
        "The game is afoot",
        "Play on, I am curious what comes",
        "Back home at last after a long day",
        "Names are hard to remember, sorry",
        "I accept that this is going to be hard",
        "Otherwise all is well",
        "Cheers",
        "Alice",
        "If you like we can play again soon",
        "New year greetings to all of you",
        "42",
        "ok",
        "Best regards",
        "Mit freundlichen Grüßen",
        "Message in a bottle ä",
    ] {
        let said = say(line);
        assert!(
            said == "prose" || line.starts_with("Message"),
            "{line}: {said}"
        );
    }
}

#[test]
fn seeds_and_cards_that_the_referee_cannot_read() {
    let h = "0123456789abcdef".repeat(4);
    let big = h.to_uppercase();
    let commit = format!("CardCommit {{ guess: false, commitment: \"{h}\" }}");
    let guess = format!("CardCommit {{ guess: true, commitment: \"{h}\" }}");
    let open = format!("CardOpen {{ card: \"archer\", nonce: \"{h}\" }}");
    let sealed = format!("SeedCommit(\"{h}\")");
    for (line, wanted) in [
        (
            "accept The Quick brown fox.",
            "Seed(\"The Quick brown fox\") Accept",
        ),
        (
            "accept 42 the quick fox",
            "#42 Seed(\"the quick fox\") Accept",
        ),
        (
            "accept game #42: quick fox",
            "#42 Seed(\"quick fox\") Accept",
        ),
        ("accept your draw", "slip"),
        ("accept?", "slip"),
        ("join 7 my own words", "Seed(\"my own words\") Join(7)"),
        ("seed my words, of course", "Seed(\"my words, of course\")"),
        ("seed", "slip"),
        ("seed commit", "slip"),
        ("seed commit 0123", "slip"),
        ("seed \u{e4}\u{f6}", "slip"),
        (&format!("seed commit {big}"), &sealed),
        (&format!("seed commit\n{h}"), &sealed),
        (&format!("seed open {h}"), &sealed.replace("Commit", "Open")),
        (&format!("pick commit {h}."), &commit),
        (&format!("guess commit: {h}"), &guess),
        (&format!("pick open Archer {h}"), &open),
        (
            &format!("pick open archer\n{h}\nNc1-d3"),
            &format!("{open} Play(\"Nc1-d3\")"),
        ),
        ("pick open archer", "slip"),
        ("pick commit archer", "slip"),
        ("message hi\npick open archer", "Message(\"hi\") slip"),
    ] {
        assert_eq!(say(line), wanted, "{line}");
    }
}
