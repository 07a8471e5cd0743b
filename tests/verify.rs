//! Forgeries by somebody who holds the key and signs everything again; and two verifiers that must agree.

mod ledgers;

use std::io::Write;
use std::process::{Command, Stdio};

use ledgers::{Book, GID, Rng, game, key};
use tulpa::cli::verify::{SCRIPT, rules};
use tulpa::fair::chain;
use tulpa::fair::dice::Roll;
use tulpa::fair::entropy::{entropy, seed_commitment, words_seed};
use tulpa::fair::fold::{Shown, find, fold};
use tulpa::fair::head::HeadKey;
use tulpa::fair::ledger::link;
use tulpa::fair::line::{hash, hex};
use tulpa::fair::seal::commitment;
use tulpa::fair::verify::{Fault, verify};
use tulpa::rules::Shelf;

/// Who must find it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum By {
    /// `verify` alone, and verify.py.
    File,
    /// `verify --rules`.
    Rules,
}
use By::{File, Rules};

/// The honest ledgers that are tampered with.
struct Honest {
    dice: Book,
    passed: Book,
    cards: Book,
    secret: Book,
}

fn honest(shelf: &Shelf) -> Honest {
    let passed = (1..200)
        .map(|seed| game(shelf, "chaturaji", true, seed, 250).book)
        .find(|b| b.count("pass") > 0)
        .expect("some game passes a seat over");
    Honest {
        dice: game(shelf, "chaturaji", true, 7, 12).book,
        passed,
        cards: game(shelf, "tulpas", true, 3, 12).book,
        secret: game(shelf, "tulpas", false, 4, 12).book,
    }
}

/// One seat has committed in the first turn and does not open; the other's card is with the referee.
fn defaulted(book: &Book, seat: usize, answer: &str) -> Book {
    with(book, |b| {
        let at = b.at("seal", seat - 1);
        b.set(at, "by", "player");
        let at = b.at("result", 0);
        b.set(at, "match", answer);
        b.set(at, "why", "default");
        b.insert(at, format!("timeout t=1 seat={seat} for=open"));
        let at = b.at("open", seat - 1);
        b.remove(at);
    })
}

type Forgery = (&'static str, By, &'static str, fn(&Honest) -> Book);

fn with(book: &Book, change: impl FnOnce(&mut Book)) -> Book {
    let mut book = book.clone();
    change(&mut book);
    book
}

/// A seal and its opening for a card of the cheat's own choice, hashed as it should be.
fn recard(b: &mut Book, kind_at: usize, card: &str) {
    let open = b.at("open", kind_at);
    let (t, seat) = (b.get(open, "t"), b.get(open, "seat"));
    let (turn, place) = (t.parse().unwrap(), seat.parse().unwrap());
    let seal = (0..b.count("seal"))
        .map(|n| b.at("seal", n))
        .find(|i| b.get(*i, "t") == t && b.get(*i, "seat") == seat)
        .unwrap();
    b.bodies[seal] = Book::seal(turn, place, card);
    b.bodies[open] = Book::open(turn, place, card);
}

fn last_roll(b: &Book) -> usize {
    b.at("roll", b.count("roll") - 1)
}

const FORGERIES: &[Forgery] = &[
    // dice
    ("a die is changed", File, "the dice are", |h| {
        with(&h.dice, |b| {
            let at = b.at("roll", 2);
            let got = b
                .get(at, "got")
                .replace('1', "9")
                .replace('2', "1")
                .replace('3', "2")
                .replace('4', "3");
            b.set(at, "got", &got);
        })
    }),
    ("two dice change places", File, "the dice are", |h| {
        with(&h.dice, |b| {
            let n = (0..b.count("roll")).find(|n| {
                let got = b.get(b.at("roll", *n), "got");
                let ends = (got.chars().next(), got.chars().last());
                ends.0 != ends.1
            });
            let at = b.at("roll", n.unwrap());
            let got: String = b.get(at, "got").chars().rev().collect();
            b.set(at, "got", &got);
        })
    }),
    (
        "an element of another slot",
        File,
        "not the chain's element",
        |h| {
            with(&h.dice, |b| {
                let c = hex(&b.elements[9]);
                b.set(b.at("roll", 1), "c", &c);
            })
        },
    ),
    (
        "an element of one's own",
        File,
        "not the chain's element",
        |h| {
            with(&h.dice, |b| {
                b.set(b.at("roll", 3), "c", &"ab".repeat(32));
            })
        },
    ),
    (
        "an element and dice of one's own",
        File,
        "not the chain's element",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("roll", 3);
                let i = b.get(at, "t").parse().unwrap();
                let got = Roll::new(&[0xab; 32], GID, i, &b.entropy, "-").dice(&[4, 4]);
                b.set(at, "c", &"ab".repeat(32));
                b.set(at, "got", &format!("{},{}", got[0], got[1]));
            })
        },
    ),
    (
        "two rolls change places",
        File,
        "does not come after",
        |h| {
            with(&h.dice, |b| {
                let (one, two) = (b.at("roll", 2), b.at("roll", 3));
                b.bodies.swap(one, two);
            })
        },
    ),
    ("a slot is used twice", File, "does not come after", |h| {
        with(&h.dice, |b| {
            let at = b.at("roll", 3);
            let again = b.bodies[at].clone();
            b.insert(at + 1, again);
        })
    }),
    (
        "a slot beyond the chain",
        File,
        "outside of the chain",
        |h| {
            with(&h.dice, |b| {
                b.set(last_roll(b), "t", "5000");
            })
        },
    ),
    (
        "a second slot of a turn that has one",
        File,
        "outside of the chain",
        |h| {
            with(&h.dice, |b| {
                b.set(last_roll(b), "j", "1");
            })
        },
    ),
    ("a die of one side", File, "makes no sense", |h| {
        with(&h.dice, |b| {
            b.set(b.at("roll", 2), "dice", "1,4");
        })
    }),
    // seeds
    (
        "e is of other seeds",
        File,
        "the anchor and the seeds give",
        |h| {
            with(&h.dice, |b| {
                b.set(b.at("start", 0), "e", &"cd".repeat(32));
            })
        },
    ),
    (
        "a player's seed is suppressed",
        File,
        "the anchor and the seeds give",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("seed", 0);
                b.bodies[at] = format!("seed seat=1 s={}", "0".repeat(64));
            })
        },
    ),
    (
        "a player's words are altered",
        File,
        "not the hash of its words",
        |h| {
            with(&h.dice, |b| {
                b.set(b.at("seed", 1), "words", "the_slow_brown_fox");
            })
        },
    ),
    (
        "a player's words are replaced, hash and all",
        File,
        "the anchor and the seeds give",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("seed", 1);
                b.set(at, "words", "the_slow_brown_fox");
                b.set(at, "s", &hex(&words_seed(GID, 2, "the slow brown fox")));
            })
        },
    ),
    (
        "another anchor",
        File,
        "the anchor and the seeds give",
        |h| {
            with(&h.dice, |b| {
                b.set(0, "anchor", &"11".repeat(32));
            })
        },
    ),
    (
        "a seed opened that was not committed",
        File,
        "does not fit its commitment",
        |h| {
            with(&h.dice, |b| {
                b.set(b.at("seed", 3), "s", &hex(&hash("a nicer seed")));
            })
        },
    ),
    (
        "a seed without words or commitment",
        File,
        "never committed to",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("seed", 1);
                b.bodies[at] = format!("seed seat=2 s={}", "ab".repeat(32));
            })
        },
    ),
    (
        "a commitment after the others' words",
        File,
        "after other seeds were known",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("seedcommit", 0);
                let line = b.remove(at);
                let words = b.at("seed", 2);
                b.insert(words + 1, line);
            })
        },
    ),
    ("words anew after a seed was opened", File, "already", |h| {
        with(&h.dice, |b| {
            let words = b.at("seed", 2);
            let zeros = format!("seed seat=3 s={}", "0".repeat(64));
            let line = std::mem::replace(&mut b.bodies[words], zeros);
            let start = b.at("start", 0);
            b.insert(start, line);
        })
    }),
    (
        "a seed opened before everybody gave",
        File,
        "before every other seat",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("seed", 1);
                b.remove(at);
            })
        },
    ),
    (
        "a seed opened under no head",
        File,
        "before a head fixed",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("seed", 2);
                b.heads.remove(&at);
            })
        },
    ),
    (
        "a committed seed is never opened",
        File,
        "never opened its committed seed",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("seed", 3);
                b.remove(at);
            })
        },
    ),
    ("two seeds of one seat", File, "already", |h| {
        with(&h.dice, |b| {
            let at = b.at("seed", 1);
            let again = b.bodies[at].clone();
            b.insert(at + 1, again);
        })
    }),
    ("a second start", File, "a second `start`", |h| {
        with(&h.dice, |b| {
            let at = b.at("start", 0);
            let again = b.bodies[at].clone();
            b.insert(at + 1, again);
        })
    }),
    ("a seed after the start", File, "the set-up is over", |h| {
        with(&h.dice, |b| {
            let seed = b.remove(b.at("seed", 0));
            let at = b.at("start", 0);
            b.insert(at + 1, seed);
            let e = entropy(
                GID,
                &b.elements[0],
                &[
                    None,
                    Some(words_seed(GID, 2, "the quick brown fox 2")),
                    Some(words_seed(GID, 3, "the quick brown fox 3")),
                    Some(hash("a seed nobody knows")),
                ],
                "-",
            );
            let zeros = format!("seed seat=1 s={}", "0".repeat(64));
            b.insert(b.at("seed", 0), zeros);
            b.set(b.at("start", 0), "e", &hex(&e));
        })
    }),
    ("a roll before the start", File, "has not begun", |h| {
        with(&h.dice, |b| {
            let at = b.at("roll", 0);
            let roll = b.remove(at);
            b.insert(at - 1, roll);
        })
    }),
    ("a move before the start", File, "has not begun", |h| {
        with(&h.cards, |b| {
            let at = b.at("start", 0);
            b.insert(at, "move t=1 seat=1 by=player text=Nc1-d3");
        })
    }),
    (
        "a beacon that was not promised",
        File,
        "promises no beacon",
        |h| {
            with(&h.dice, |b| {
                b.set(b.at("start", 0), "b", &"ee".repeat(32));
            })
        },
    ),
    (
        "a promised beacon that is missing",
        File,
        "promises a beacon",
        |h| {
            with(&h.dice, |b| {
                b.set(0, "start_beacon", "drand");
            })
        },
    ),
    (
        "a beacon's round of the past",
        File,
        "not the first one 600 s after",
        |h| {
            with(&h.dice, |b| {
                b.set(0, "start_beacon", "drand");
                b.insert(b.at("start", 0), "bind round=1000");
            })
        },
    ),
    // cards
    (
        "a card is opened that was not sealed",
        File,
        "do not fit the commitment",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("open", 0);
                let other = if b.get(at, "card") == "ox" {
                    "amazon"
                } else {
                    "ox"
                };
                b.set(at, "card", other);
            })
        },
    ),
    ("another nonce", File, "do not fit the commitment", |h| {
        with(&h.cards, |b| {
            b.set(b.at("open", 1), "nonce", &"01".repeat(32));
        })
    }),
    (
        "a sealed card is exchanged",
        File,
        "do not fit the commitment",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("seal", 0);
                b.bodies[at] = Book::seal(1, b.get(at, "seat").parse().unwrap(), "joker");
            })
        },
    ),
    (
        "a card sealed for another seat is opened here",
        File,
        "do not fit the commitment",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("seal", 1);
                let c = commitment(GID, 1, 7, "ox", &"00".repeat(32));
                b.set(at, "c", &c);
            })
        },
    ),
    (
        "the commitment is copied from the other",
        File,
        "was copied",
        |h| {
            with(&h.cards, |b| {
                let c = b.get(b.at("seal", 0), "c");
                b.set(b.at("seal", 1), "c", &c);
            })
        },
    ),
    (
        "a card is opened before the other lies",
        File,
        "before the other lies",
        |h| {
            with(&h.cards, |b| {
                let open = b.remove(b.at("open", 0));
                let at = b.at("seal", 0);
                let seat = b.get(at, "seat");
                let open = if open.contains(&format!("seat={seat} ")) {
                    open
                } else {
                    b.remove(b.at("open", 0))
                };
                b.insert(at + 1, open);
            })
        },
    ),
    (
        "a card laid down after the other was open",
        File,
        "was laid down after",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("open", 1);
                b.insert(at + 1, Book::seal(1, 1, "spider"));
            })
        },
    ),
    (
        "a second card of a seat",
        File,
        "has a card for turn",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("seal", 0);
                let seat = b.get(at, "seat").parse().unwrap();
                b.insert(at + 1, Book::seal(1, seat, "joker"));
            })
        },
    ),
    (
        "a result is turned round",
        File,
        "the cards say otherwise",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("result", 0);
                let other = if b.get(at, "match") == "yes" {
                    "no"
                } else {
                    "yes"
                };
                b.set(at, "match", other);
            })
        },
    ),
    (
        "a result is turned round where cards open at the end",
        File,
        "the cards say otherwise",
        |h| {
            with(&h.secret, |b| {
                let at = b.at("result", 1);
                let other = if b.get(at, "match") == "yes" {
                    "no"
                } else {
                    "yes"
                };
                b.set(at, "match", other);
            })
        },
    ),
    ("a result without cards", File, "without two cards", |h| {
        with(&h.cards, |b| {
            let at = b.at("seal", 0);
            b.insert(at, "result t=1 seat=1 match=yes");
        })
    }),
    ("a second result", File, "a second result", |h| {
        with(&h.cards, |b| {
            let at = b.at("result", 0);
            let again = b.bodies[at].clone();
            b.insert(at + 1, again);
        })
    }),
    (
        "cards compared and never shown",
        File,
        "are not open under this head",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("open", 1);
                b.remove(at);
            })
        },
    ),
    (
        "cards that open at the end never do",
        File,
        "were never opened",
        |h| {
            with(&h.secret, |b| {
                let at = b.at("open", 0);
                b.remove(at);
            })
        },
    ),
    ("a card is opened twice", File, "is open already", |h| {
        with(&h.cards, |b| {
            let at = b.at("open", 0);
            let again = b.bodies[at].clone();
            b.insert(at + 1, again);
        })
    }),
    (
        "a default where the referee holds the cards",
        File,
        "nobody can have defaulted",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("result", 0);
                b.set(at, "match", "yes");
                b.set(at, "why", "default");
            })
        },
    ),
    // the ledger itself
    (
        "a head that nobody could see",
        File,
        "names no head of this ledger",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("move", 1);
                b.set(at, "saw", "3:0123456789abcdef");
            })
        },
    ),
    ("a second game line", File, "a second `game`", |h| {
        with(&h.dice, |b| {
            let again = b.bodies[0].clone();
            b.insert(1, again);
        })
    }),
    ("no game line", File, "begins with its `game`", |h| {
        with(&h.dice, |b| {
            b.remove(0);
        })
    }),
    ("a move after the end", File, "the game is over", |h| {
        with(&h.dice, |b| {
            let again = b.bodies[b.at("move", 0)].clone();
            b.push(again);
        })
    }),
    (
        "a seat that the game does not have",
        File,
        "there is no seat 3",
        |h| {
            with(&h.cards, |b| {
                b.set(b.at("move", 0), "seat", "3");
            })
        },
    ),
    (
        "a kind of its own making",
        File,
        "is no kind of entry",
        |h| {
            with(&h.cards, |b| {
                b.push("wish t=3 seat=1");
            })
        },
    ),
    // what only the rules know
    ("an extra roll", Rules, "the rules ask for no roll", |h| {
        with(&h.dice, |b| {
            let t: u32 = b.get(last_roll(b), "t").parse().unwrap();
            let line = b.roll(t + 1, 0, &[4, 4], " for=turn");
            let at = last_roll(b);
            b.insert(at + 1, line);
        })
    }),
    (
        "a roll for nobody's turn",
        Rules,
        "is missing behind this",
        |h| {
            with(&h.dice, |b| {
                let at = last_roll(b);
                let t: u32 = b.get(at, "t").parse().unwrap();
                b.bodies[at] = b.roll(t + 1, 0, &[4, 4], "");
            })
        },
    ),
    ("the wrong purpose", Rules, "is for the turn", |h| {
        with(&h.dice, |b| {
            b.set(b.at("roll", 2), "for", "opening");
        })
    }),
    ("another seat's roll", Rules, "belongs to seat", |h| {
        with(&h.dice, |b| {
            let at = b.at("roll", 2);
            let other = if b.get(at, "seat") == "1" { "2" } else { "1" };
            b.set(at, "seat", other);
        })
    }),
    ("a die too many", Rules, "more dice than the rules", |h| {
        with(&h.dice, |b| {
            let at = last_roll(b);
            let t = b.get(at, "t").parse().unwrap();
            b.bodies[at] = b.roll(t, 0, &[4; 6], "");
        })
    }),
    ("a die too few", Rules, "fewer dice than the rules", |h| {
        with(&h.dice, |b| {
            let at = last_roll(b);
            let t = b.get(at, "t").parse().unwrap();
            b.bodies[at] = b.roll(t, 0, &[4], "");
        })
    }),
    (
        "dice of six sides",
        Rules,
        "rolls dice of 4 sides, not of 6",
        |h| {
            with(&h.dice, |b| {
                let at = last_roll(b);
                let t = b.get(at, "t").parse().unwrap();
                b.bodies[at] = b.roll(t, 0, &[6, 6], "");
            })
        },
    ),
    ("a roll left out", Rules, "is missing behind this", |h| {
        with(&h.dice, |b| {
            let at = last_roll(b);
            b.remove(at);
        })
    }),
    ("a skipped seat", Rules, "", |h| {
        with(&h.dice, |b| {
            let at = b.at("move", 2);
            b.remove(at);
            b.remove(at);
        })
    }),
    (
        "a seat passed over that is not",
        Rules,
        "nobody is passed over",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("move", 2);
                let (t, seat) = (b.get(at, "t"), b.get(at, "seat"));
                b.insert(at, format!("pass t={t} seat={seat}"));
            })
        },
    ),
    (
        "a pass that is not told",
        Rules,
        "the entry is missing",
        |h| {
            with(&h.passed, |b| {
                let at = b.at("pass", 0);
                b.remove(at);
            })
        },
    ),
    (
        "a pass of another seat",
        Rules,
        "the entry is missing",
        |h| {
            with(&h.passed, |b| {
                let at = b.at("pass", 0);
                let other = if b.get(at, "seat") == "1" { "2" } else { "1" };
                b.set(at, "seat", other);
            })
        },
    ),
    ("a move that is not legal", Rules, "cannot be played", |h| {
        with(&h.dice, |b| {
            let at = b.at("move", 3);
            b.set(at, "text", "a1-h8");
        })
    }),
    ("a move of another seat", Rules, "cannot be played", |h| {
        with(&h.cards, |b| {
            let at = b.at("move", 1);
            let other = if b.get(at, "seat") == "1" { "2" } else { "1" };
            b.set(at, "seat", other);
        })
    }),
    ("a move in another turn", Rules, "is under way", |h| {
        with(&h.cards, |b| {
            b.set(b.at("move", 1), "t", "9");
        })
    }),
    (
        "a move while cards are due",
        Rules,
        "cannot be played",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("seal", 0);
                let mv = b.bodies[b.at("move", 0)].clone();
                b.insert(at, mv);
            })
        },
    ),
    (
        "a card that the game does not have",
        Rules,
        "is not left",
        |h| {
            with(&h.cards, |b| {
                let yes = b.get(b.at("result", 0), "match") == "yes";
                recard(b, 0, "joker");
                if yes {
                    recard(b, 1, "joker");
                }
            })
        },
    ),
    ("a card that is spent already", Rules, "", |h| {
        with(&h.secret, |b| {
            // the card of the first piece is announced once more for the same summoner
            let made = (0..b.count("result")).find(|n| b.get(b.at("result", *n), "match") == "yes");
            let first = b.at("result", made.expect("some card matched"));
            let t: u32 = b.get(first, "t").parse().unwrap();
            let card = (0..b.count("open"))
                .map(|n| b.at("open", n))
                .find(|i| b.get(*i, "t") == t.to_string())
                .map(|i| b.get(i, "card"))
                .unwrap();
            let later = t + 2;
            let opens: Vec<usize> = (0..b.count("open"))
                .filter(|n| b.get(b.at("open", *n), "t") == later.to_string())
                .collect();
            for n in opens {
                recard(b, n, &card);
            }
            let result = (0..b.count("result"))
                .map(|n| b.at("result", n))
                .find(|i| b.get(*i, "t") == later.to_string())
                .unwrap();
            b.set(result, "match", "yes");
        })
    }),
    (
        "a summoning of the wrong seat",
        Rules,
        "belong to the summoning of the other",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("result", 0);
                let other = if b.get(at, "seat") == "1" { "2" } else { "1" };
                b.set(at, "seat", other);
            })
        },
    ),
    (
        "cards in a game that has none",
        Rules,
        "ask for no card",
        |h| {
            with(&h.dice, |b| {
                let at = b.at("move", 1);
                let t = b.get(at, "t").parse().unwrap();
                b.insert(at, Book::seal(t, 1, "ox"));
            })
        },
    ),
    (
        "a card for a turn far ahead",
        Rules,
        "no card for turn 40",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("move", 1);
                b.insert(at, Book::seal(40, 1, "ox"));
            })
        },
    ),
    (
        "a card that no dice chose",
        Rules,
        "no roll above chose",
        |h| {
            with(&h.cards, |b| {
                b.set(b.at("seal", 1), "by", "dice");
            })
        },
    ),
    ("another winner", Rules, "by the rules the winner is", |h| {
        with(&h.passed, |b| {
            let at = b.at("end", 0);
            let other = if b.get(at, "winner") == "1,3" {
                "2,4"
            } else {
                "1,3"
            };
            b.set(at, "winner", other);
        })
    }),
    (
        "an end that the board does not know",
        Rules,
        "is not so here",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("end", 0);
                b.bodies[at] = "end winner=1 reason=king%20captured".to_owned();
            })
        },
    ),
    (
        "a loss on time and no time ran out",
        Rules,
        "no `timeout` entry",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("end", 0);
                b.bodies[at] = "end winner=1 reason=time".to_owned();
            })
        },
    ),
    (
        "no end although the game is over",
        Rules,
        "no `end` follows",
        |h| {
            with(&h.passed, |b| {
                let at = b.at("end", 0);
                b.remove(at);
                b.heads.retain(|h| *h < at);
            })
        },
    ),
    (
        "a move by a deadline that never was",
        Rules,
        "no `timeout` entry above",
        |h| {
            with(&h.cards, |b| {
                b.set(b.at("move", 1), "by", "deadline");
            })
        },
    ),
    (
        "a move by the Keeper who is not named",
        Rules,
        "no `admin` entry above",
        |h| {
            with(&h.cards, |b| {
                b.set(b.at("move", 1), "by", "master");
            })
        },
    ),
    ("another game's rules", Rules, "", |h| {
        with(&h.cards, |b| b.set(0, "rules", "chess"))
    }),
    ("rules nobody knows", Rules, "are not known here", |h| {
        with(&h.cards, |b| b.set(0, "rules", "tulpas-2"))
    }),
    (
        "another text of the rules",
        Rules,
        "another text of the rules",
        |h| with(&h.cards, |b| b.set(0, "book", &"00".repeat(32))),
    ),
    ("an option the game does not have", Rules, "", |h| {
        with(&h.cards, |b| b.set(0, "opt", "luck:more"))
    }),
    (
        "a loss on time for want of a card",
        Rules,
        "no `timeout` entry",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("result", 0);
                b.insert(at, "timeout t=1 seat=2 for=card");
                let at = b.at("end", 0);
                b.bodies[at] = "end winner=1 reason=time".to_owned();
            })
        },
    ),
    (
        "a piece although the mover did not open",
        File,
        "nobody can have defaulted",
        |h| defaulted(&h.cards, 1, "yes"),
    ),
    (
        "no piece although the guesser did not open",
        File,
        "nobody can have defaulted",
        |h| defaulted(&h.cards, 2, "no"),
    ),
    (
        "no piece although the guesser alone did not open",
        Rules,
        "the guesser defaulted",
        |h| {
            with(&defaulted(&h.cards, 2, "no"), |b| {
                let at = b.at("seal", 0);
                b.set(at, "by", "player");
            })
        },
    ),
    (
        "a default although both opened good cards",
        Rules,
        "nobody defaulted",
        |h| {
            with(&h.cards, |b| {
                let at = b.at("seal", 1);
                b.set(at, "by", "player");
                let at = b.at("result", 0);
                b.set(at, "match", "yes");
                b.set(at, "why", "default");
            })
        },
    ),
];

#[test]
fn honest_ledgers_hold() {
    let shelf = Shelf::builtin();
    let h = honest(&shelf);
    for book in [&h.dice, &h.passed, &h.cards, &h.secret] {
        let text = book.render();
        let report = verify(&text, Some(&key().public()));
        assert_eq!(report.findings, [], "{text}");
        assert_eq!(rules::replay(&shelf, &report), Ok(()), "{text}");
    }
}

#[test]
fn every_forgery_is_refused() {
    assert!(FORGERIES.len() >= 40, "{}", FORGERIES.len());
    let shelf = Shelf::builtin();
    let h = honest(&shelf);
    let mut files = Vec::new();
    let mut wrong = Vec::new();
    for (name, by, says, forge) in FORGERIES {
        let text = forge(&h).render();
        let report = verify(&text, None);
        let found: Vec<String> = match by {
            File => report
                .findings
                .iter()
                .map(|f| f.fault.to_string())
                .collect(),
            Rules if report.findings.is_empty() => rules::replay(&shelf, &report)
                .err()
                .map(|(_, what)| what)
                .into_iter()
                .collect(),
            Rules => {
                wrong.push(format!(
                    "{name}: found without the rules: {:?}",
                    report.findings
                ));
                continue;
            }
        };
        files.push((text, report.findings.is_empty()));
        if !found.iter().any(|f| f.contains(says)) {
            wrong.push(format!("{name}: {found:?} says nothing of `{says}`"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    agree(&files);
}

/// One process of the other verifier judges all; `None` where there is no python3.
fn judged(files: &[(String, bool)]) -> Option<Vec<bool>> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("verify.py"), SCRIPT).unwrap();
    let judge = "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import verify\n\
        for line in sys.stdin: print(0 if verify.verify(bytes.fromhex(line.strip()))[0] else 1)";
    python(
        &[judge, dir.path().to_str().unwrap()],
        files.iter().map(|(text, _)| hex(text.as_bytes())),
    )
    .map(|out| out.lines().map(|l| l == "1").collect())
}

/// Runs python3 with lines on its standard input.
fn python(args: &[&str], lines: impl Iterator<Item = String>) -> Option<String> {
    let Ok(mut child) = Command::new("python3")
        .arg("-c")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    else {
        eprintln!("skipped: there is no python3 on this machine, so verify.py was not run");
        return None;
    };
    let text: String = lines.map(|l| l + "\n").collect();
    let mut stdin = child.stdin.take().unwrap();
    let feed = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let out = child.wait_with_output().unwrap();
    feed.join().unwrap().unwrap();
    assert!(out.status.success());
    Some(String::from_utf8(out.stdout).unwrap())
}

/// verify.py thinks of each file what `verify` thinks.
fn agree(files: &[(String, bool)]) {
    let Some(theirs) = judged(files) else { return };
    assert_eq!(theirs.len(), files.len());
    for ((text, ours), theirs) in files.iter().zip(theirs) {
        assert_eq!(
            *ours, theirs,
            "we say {ours}, verify.py says {theirs}:\n{text}"
        );
    }
}

#[test]
fn times_keys_and_mailboxes() {
    let shelf = Shelf::builtin();
    let h = honest(&shelf);
    let text = h.dice.render_at(|i| {
        if i == 5 {
            1_700_000_000
        } else {
            1_795_254_570 + i as i64
        }
    });
    assert!(
        verify(&text, None)
            .findings
            .iter()
            .any(|f| f.fault == Fault::Backwards)
    );
    let text = h.dice.render();
    let other = HeadKey::new(&[1; 32]).public();
    let report = verify(&text, Some(&other));
    assert!(matches!(report.findings[0].fault, Fault::OtherKey { .. }));
    // the same signed by somebody else
    let ours = hex(&key().public());
    let stolen = text.replace(&ours, &hex(&other));
    assert!(!verify(&stolen, None).findings.is_empty());
    // a mailbox: a head of this ledger, of a longer one, of another one, of another game, of another key
    let report = verify(&text, None);
    let k = key();
    let last = report.links.len() as u64 - 1;
    assert_eq!(report.holds(&k.sign(GID, 3, &report.links[3])), Ok(()));
    assert_eq!(
        report.holds(&k.sign(GID, last + 1, &[1; 32])),
        Err(Fault::Beyond { seq: last + 1 })
    );
    assert_eq!(
        report.holds(&k.sign(GID, 3, &[1; 32])),
        Err(Fault::Fork { seq: 3 })
    );
    assert_eq!(report.holds(&k.sign("aaaaaaaaaa", 3, &[1; 32])), Ok(()));
    assert_eq!(
        report.holds(&HeadKey::new(&[1; 32]).sign(GID, 3, &[1; 32])),
        Ok(())
    );
}

#[test]
fn a_beacon_that_was_bound_holds() {
    use sha2::Digest;
    let shelf = Shelf::builtin();
    let mut b = Book::new("tulpas", 2, 8, " start_beacon=drand");
    b.set_up(2);
    let at = b.at("start", 0);
    let second = 1_795_254_570 + 60 * at as i64;
    let round = (second + 600 - 1_692_803_367 + 2) / 3 + 1;
    b.insert(at, format!("bind round={round}"));
    let sig: Vec<u8> = (0..48).collect();
    let beacon = hex(&sha2::Sha256::digest(&sig));
    let seeds = [
        Some(words_seed(GID, 1, "the quick brown fox 1")),
        Some(hash("a seed nobody knows")),
    ];
    let e = entropy(GID, &b.elements[0], &seeds, &beacon);
    let sig = hex(&sig);
    b.bodies[at + 1] = format!(
        "start e={} b={beacon} sig={} sig2={} round={round}",
        hex(&e),
        &sig[..60],
        &sig[60..]
    );
    let text = b.render();
    let report = verify(&text, None);
    assert_eq!(report.findings, []);
    assert_eq!(rules::replay(&shelf, &report), Ok(()));
    let forged = with(&b, |b| b.set(at + 1, "sig", &"0".repeat(60))).render();
    assert_eq!(verify(&forged, None).findings[0].fault, Fault::Beacon);
    agree(&[(text, true), (forged, false)]);
}

/// The two neutral kinds: a head is left out that is not the last, nor the one under which a committed seed was opened;
/// the file ends behind an earlier head.
fn is_neutral(honest: &str, mutant: &str) -> bool {
    let is_head = |l: &&str| l.starts_with("head ");
    let whole = mutant.ends_with('\n');
    let cut =
        honest.starts_with(mutant) && whole && mutant.lines().last().is_some_and(|l| is_head(&l));
    let lines: Vec<&str> = honest.lines().collect();
    let opens = |l: &str| l.contains(" seed seat=") && !l.contains(" words=");
    let left_out = (0..lines.len() - 1).any(|i| {
        let mut rest = lines.clone();
        let fixes = opens(rest[i + 1]);
        let head = rest.remove(i);
        is_head(&head) && !fixes && mutant.lines().eq(rest)
    });
    cut || (whole && left_out)
}

/// One change of a byte, a line, an end.
fn mutate(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = rng.below(bytes.len());
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = rng.below(lines.len());
    match rng.below(10) {
        0 => bytes[at] ^= 1 << rng.below(7),
        1 => bytes[at] = 0x20 + u8::try_from(rng.below(95)).unwrap(),
        2 => {
            bytes.remove(at);
        }
        3 => bytes.insert(at, 0x20 + u8::try_from(rng.below(95)).unwrap()),
        4 => bytes.truncate(at),
        5 => bytes[at] = bytes[at].to_ascii_uppercase(),
        6 => {
            lines.remove(line);
            return lines.concat();
        }
        7 => {
            lines.insert(line, lines[line]);
            return lines.concat();
        }
        8 => {
            let other = rng.below(lines.len());
            lines.swap(line, other);
            return lines.concat();
        }
        _ => {
            let cut = rng.below(lines.len());
            lines.truncate(cut);
            return lines.concat();
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn mutations(ledgers: u64, each: usize, asked_python: usize) {
    let shelf = Shelf::builtin();
    let mut sample = Vec::new();
    let (mut neutral, mut same, mut refused) = (0u32, 0u32, 0u32);
    for n in 1..=ledgers {
        let id = if n % 2 == 0 { "chaturaji" } else { "tulpas" };
        let mut book = game(&shelf, id, n % 4 < 2, n, 5).book;
        // few heads, so that the cost is in the hashes
        book.heads = book
            .heads
            .iter()
            .copied()
            .filter(|h| *h < 12 || h % 8 == 0)
            .collect();
        for result in 0..book.count("result") {
            // in mode both a head may not stand between a result and its openings
            let at = book.at("result", result);
            book.heads.remove(&at);
            book.heads.remove(&(at + 1));
        }
        let honest = book.render();
        assert_eq!(verify(&honest, None).findings, [], "{honest}");
        let mut rng = Rng(n * 7919);
        for i in 0..each {
            let mutant = mutate(&honest, &mut rng);
            let accepted = verify(&mutant, None).findings.is_empty();
            if mutant == honest {
                same += 1;
                assert!(accepted);
            } else if is_neutral(&honest, &mutant) {
                neutral += 1;
                assert!(accepted, "a neutral change was refused:\n{mutant}");
            } else {
                refused += 1;
                assert!(!accepted, "a mutant was accepted:\n{mutant}");
            }
            if i < asked_python {
                sample.push((mutant, accepted));
            }
        }
    }
    println!("{refused} refused, {neutral} neutral, {same} changed nothing");
    assert!(neutral > 0 && refused > 0);
    agree(&sample);
}

#[test]
fn no_single_mutation_is_accepted() {
    mutations(20, 250, 25);
}

#[test]
#[ignore = "20 ledgers x 10,000 mutations; run with --nocapture for the counts"]
fn no_single_mutation_of_two_hundred_thousand_is_accepted() {
    mutations(20, 10_000, 100);
}

/// Random cases for each tag, computed by both.
#[test]
fn both_programs_compute_the_same() {
    const CASES: usize = 10_000;
    let mut rng = Rng(20_261_121);
    let mut ours = Vec::new();
    let mut cases = Vec::new();
    let gid = || -> String { "k7q2m5x4d3".to_owned() };
    for n in 0..CASES {
        let h = hash(&format!("case {n}"));
        let g = hash(&format!("other {n}"));
        let seat = u32::try_from(rng.below(16)).unwrap() + 1;
        let turn = u32::try_from(rng.below(5000)).unwrap() + 1;
        let gid = gid();
        let (case, result) = match n % 8 {
            0 => (
                format!("chain(\"{gid}\", {turn}, \"{}\")", hex(&h)),
                hex(&chain::down(&gid, turn, &h, turn - 1)),
            ),
            1 => {
                let words = format!("the {turn} words, of: {seat}");
                (
                    format!("words_seed(\"{gid}\", {seat}, \"{words}\")"),
                    hex(&words_seed(&gid, seat, &words)),
                )
            }
            2 => (
                format!("seed_commitment(\"{gid}\", {seat}, \"{}\")", hex(&h)),
                hex(&seed_commitment(&gid, seat, &h)),
            ),
            3 => {
                let seeds: Vec<Option<[u8; 32]>> = (0..seat)
                    .map(|i| (i % 3 != 0).then(|| hash(&format!("{n} {i}"))))
                    .collect();
                let list: Vec<String> = seeds
                    .iter()
                    .map(|s| format!("\"{}\"", hex(&s.unwrap_or_default())))
                    .collect();
                let b = if n % 16 == 3 { "-".to_owned() } else { hex(&g) };
                (
                    format!(
                        "entropy(\"{gid}\", \"{}\", [{}], \"{b}\")",
                        hex(&h),
                        list.join(", ")
                    ),
                    hex(&entropy(&gid, &h, &seeds, &b)),
                )
            }
            4 => (
                format!(
                    "seal(\"{gid}\", {turn}, {seat}, \"archer\", \"{}\")",
                    hex(&h)
                ),
                commitment(&gid, turn, seat, "archer", &hex(&h)),
            ),
            5 => (
                format!("link(\"{}\", \"{turn} a line\")", hex(&h)),
                hex(&link(&h, &format!("{turn} a line"))),
            ),
            6 => {
                let sides: Vec<u64> = (0..rng.below(20) + 1)
                    .map(|_| {
                        [
                            2,
                            3,
                            4,
                            5,
                            6,
                            8,
                            10,
                            12,
                            20,
                            100,
                            3 << 30,
                            1 << 32,
                            (1 << 31) + 1,
                        ][rng.below(13)]
                    })
                    .collect();
                let fell = Roll::new(&h, &gid, turn, &g, "-").dice(&sides);
                let text = |n: &[u64]| n.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
                (
                    format!(
                        "dice(\"{}\", \"{gid}\", {turn}, \"{}\", \"-\", [{}])",
                        hex(&h),
                        hex(&g),
                        text(&sides)
                    ),
                    format!("[{}]", text(&fell)),
                )
            }
            _ if n % 80 != 7 => (
                format!("seal(\"{gid}\", {seat}, {seat}, \"ox\", \"{}\")", hex(&g)),
                commitment(&gid, seat, seat, "ox", &hex(&g)),
            ),
            _ => {
                let key = HeadKey::new(&h);
                let mut head = key.sign(&gid, u64::from(turn), &g);
                if n % 160 == 7 {
                    head.signature[rng.below(64)] ^= 1 << rng.below(8);
                }
                let signed = format!("tulpa1/head {gid} {turn} {}", hex(&g));
                (
                    format!(
                        "signed(bytes.fromhex(\"{}\"), b\"{signed}\", bytes.fromhex(\"{}\"))",
                        hex(&key.public()),
                        hex(&head.signature)
                    ),
                    if head.is_signed_by(&key.public()) {
                        "True"
                    } else {
                        "False"
                    }
                    .to_owned(),
                )
            }
        };
        cases.push(case);
        ours.push(result);
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("verify.py"), SCRIPT).unwrap();
    let run = "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1])\nfrom verify import *\n\
        for line in sys.stdin: print(eval(line))";
    let Some(out) = python(&[run, dir.path().to_str().unwrap()], cases.iter().cloned()) else {
        return;
    };
    let theirs: Vec<&str> = out.lines().collect();
    assert_eq!(theirs.len(), CASES);
    for ((case, ours), theirs) in cases.iter().zip(&ours).zip(theirs) {
        assert_eq!(ours, theirs, "{case}");
    }
}

/// The block of a mail after what mail programs do to it; found again through the letters' own reader.
#[test]
fn the_block_survives_mail_programs() {
    use tulpa::post::letter::{Limits, open};
    let shelf = Shelf::builtin();
    let text = game(&shelf, "chaturaji", true, 5, 2).book.render();
    let block: Vec<String> = text.lines().map(fold).collect();
    let block = block.join("\n");
    assert!(block.lines().all(|l| l.len() <= 72));
    let whole = format!(
        "Hello,\n\nYour move 3, reply = move.\n\n--\ngame 42  how to check it: help verify\n{block}\n"
    );
    let crlf = |t: &str| t.replace('\n', "\r\n");
    let mail = |kind: &str, encoding: &str, body: &str| {
        format!(
            "From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{}",
            crlf(body)
        )
    };
    let qp = |t: &str| -> String {
        let mut out = String::new();
        for line in t.lines() {
            let coded = line.replace('=', "=3D");
            let mut rest = coded.as_str();
            while rest.len() > 70 {
                // not through an escape
                let mut at = 70;
                while rest.as_bytes()[at - 1] == b'=' || rest.as_bytes()[at - 2] == b'=' {
                    at -= 1;
                }
                out.push_str(&format!("{}=\n", &rest[..at]));
                rest = &rest[at..];
            }
            out.push_str(rest);
            out.push('\n');
        }
        out
    };
    let quoted = |mark: &str| -> String { whole.lines().map(|l| format!("{mark}{l}\n")).collect() };
    let base64 = {
        const A: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let bytes = crlf(&whole).into_bytes();
        let coded: String = bytes
            .chunks(3)
            .flat_map(|c| {
                let n = (0..3).fold(0u32, |n, i| n << 8 | u32::from(*c.get(i).unwrap_or(&0)));
                (0..4).map(move |i| {
                    if i <= c.len() {
                        char::from(A[(n >> (18 - 6 * i) & 63) as usize])
                    } else {
                        '='
                    }
                })
            })
            .collect();
        coded
            .as_bytes()
            .chunks(76)
            .map(|l| format!("{}\n", std::str::from_utf8(l).unwrap()))
            .collect::<String>()
    };
    let flowed: String = whole
        .lines()
        .map(|l| {
            if l.starts_with(' ') {
                format!(" {l} \n")
            } else {
                format!("{l}\n")
            }
        })
        .collect();
    let escaped = whole.replace('&', "&amp;").replace('<', "&lt;");
    let rewrapped: String = {
        // as Outlook: everything in paragraphs, broken anew at another width
        let mut out = String::new();
        let mut column = 0;
        for token in block.split_whitespace() {
            if column + token.len() > 76 {
                out.push('\n');
                column = 0;
            }
            out.push_str(token);
            out.push(' ');
            column += token.len() + 1;
        }
        out
    };
    let styles = [
        ("plain", mail("text/plain", "7bit", &whole)),
        (
            "quoted-printable",
            mail("text/plain; charset=utf-8", "quoted-printable", &qp(&whole)),
        ),
        (
            "base64",
            mail("text/plain; charset=utf-8", "base64", &base64),
        ),
        ("flowed", mail("text/plain; format=flowed", "7bit", &flowed)),
        (
            "flowed, delsp",
            mail("text/plain; format=flowed; delsp=no", "7bit", &whole),
        ),
        (
            "HTML, pre",
            mail(
                "text/html",
                "7bit",
                &format!("<html><body><pre>{escaped}</pre></body></html>"),
            ),
        ),
        (
            "HTML, br",
            mail(
                "text/html",
                "7bit",
                &format!(
                    "<html><body><div>{}</div></body></html>",
                    escaped.replace('\n', "<br>\n")
                ),
            ),
        ),
        (
            "HTML, div",
            mail(
                "text/html",
                "7bit",
                &escaped
                    .lines()
                    .map(|l| format!("<div>{}</div>", l.replace(' ', "&nbsp;")))
                    .collect::<String>(),
            ),
        ),
        (
            "HTML, blockquote",
            mail(
                "text/html",
                "7bit",
                &format!("<blockquote><pre>{escaped}</pre></blockquote>"),
            ),
        ),
        ("Outlook", mail("text/plain", "7bit", &rewrapped)),
        ("quoted", mail("text/plain", "7bit", &quoted("> "))),
        ("quoted twice", mail("text/plain", "7bit", &quoted("> > "))),
        (
            "quoted without a blank",
            mail("text/plain", "7bit", &quoted(">>")),
        ),
        (
            "trailing blanks",
            mail("text/plain", "7bit", &whole.replace('\n', "  \n")),
        ),
        (
            "blanks in front",
            mail("text/plain", "7bit", &whole.replace('\n', "\n    ")),
        ),
    ];
    for (style, mail) in styles {
        let letter = open(mail.as_bytes(), &Limits::default()).unwrap();
        let found: String = find(&letter.text)
            .into_iter()
            .map(|s| match s {
                Shown::Line(line) => line + "\n",
                Shown::Head(head) => head.text() + "\n",
            })
            .collect();
        assert_eq!(found, text, "{style}:\n{}", letter.text);
    }
}
