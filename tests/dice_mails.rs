//! Every mail that tells a roll says how it is checked, and what it says holds: the lines are taken out of the mail as it
//! arrives, pasted into a shell, and what they print is compared with what the reader was told.

use std::io::Write;
use std::process::{Command, Stdio};

use tulpa::cli::demo::player;
use tulpa::edge::entropy::Source;
use tulpa::fair::fold::unfold;
use tulpa::referee::state::Stage;
use tulpa::rules::What;

mod common;
use common::*;

const FOUR: [&str; 4] = [ALICE, BOB, CAROL, DAVE];

/// All but Dave have accepted; what was mailed until then.
fn begun(seed: u64) -> (Club, Vec<Mail>) {
    let mut club = Club::new("none");
    club.quiet = true;
    club.daemon.chance = Source::Counted(seed);
    let order = format!("new chaturaji vs {BOB} and {CAROL} and {DAVE} as green\nname Alice");
    let mut mails = club.writes(ALICE, &order);
    for who in &FOUR[1..3] {
        mails.extend(club.writes(who, "accept"));
    }
    (club, mails)
}

/// Answers whoever is awaited, until the match is over or so many orders are played; all mails in order.
fn play(club: &mut Club, orders: usize) -> Vec<Mail> {
    let mut mails = club.writes(DAVE, "accept\nset news=mine");
    assert_eq!(club.game().stage, Stage::Playing);
    for i in 0..orders {
        let game = club.game();
        let Some((seat, what)) = game.awaited().into_iter().next() else {
            break;
        };
        let order = match what {
            What::Turn if !i.is_multiple_of(3) => "end".to_owned(),
            _ => player::answer(game.table.as_ref().unwrap(), seat, what, i).unwrap(),
        };
        let who = club.asked_address();
        let new = club.writes(who, &order);
        assert!(club.game().lines > game.lines, "{order}: {new:#?}");
        mails.extend(new);
    }
    mails
}

/// What a player would paste: the lines from `g=` on that stand in.
fn pasted(text: &str) -> Vec<String> {
    let from = text.lines().skip_while(|l| !l.starts_with("  g="));
    from.take_while(|l| l.starts_with("  "))
        .map(str::to_owned)
        .collect()
}

/// Of the HTML part, as it is shown.
fn shown(html: &str) -> String {
    let text = html.replace("<pre style=\"font-size:14px\">", "<pre>\n");
    [
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.replace("</pre>", "\n</pre>"), |t, (from, to)| {
        t.replace(from, to)
    })
}

fn is_there(program: &str) -> bool {
    let run = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    // openssl knows no such option in its first versions, but it runs
    run.is_ok()
}

/// What the lines print in that shell, without what `openssl` says before its number.
fn run(shell: &str, lines: &[String]) -> Vec<String> {
    let mut child = Command::new(shell)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines.join("\n").as_bytes()).unwrap();
    stdin.write_all(b"\n").unwrap();
    drop(stdin);
    let out = child.wait_with_output().unwrap();
    let errors = String::from_utf8(out.stderr).unwrap();
    assert_eq!(errors, "", "{shell}: {lines:#?}");
    let text = String::from_utf8(out.stdout).unwrap();
    let bare = |line: &str| line.rsplit(' ').next().unwrap().to_owned();
    text.lines().map(bare).collect()
}

/// Dice of four sides by eye, as the mail says it.
fn by_eye(words: &[&str]) -> Vec<String> {
    let die = |word: &&str| {
        let last = word.chars().last().unwrap();
        let of = ["048c", "159d", "26ae", "37bf"];
        (1 + of.iter().position(|d| d.contains(last)).unwrap()).to_string()
    };
    words.iter().map(die).collect()
}

/// Rolls that the words of a mail tell, the dice of each.
fn told(text: &str) -> Vec<Vec<String>> {
    let roll = |l: &&str| l.starts_with("The opening roll:") || l.starts_with("The dice for ");
    let dice = |l: &str| {
        let after = l.split_once(':').unwrap().1;
        after
            .split([' ', ','])
            .filter(|w| w.parse::<u8>().is_ok())
            .map(str::to_owned)
            .collect()
    };
    text.lines().filter(roll).map(dice).collect()
}

#[test]
fn whatever_a_mail_tells_of_dice_can_be_pasted_into_a_shell() {
    if !is_there("bash") || !is_there("sha256sum") || !is_there("openssl") {
        println!("no bash, sha256sum or openssl: nothing can be pasted");
        return;
    }
    let (mut one, mut several, mut skipped) = (0, 0, 0);
    let mut known = std::collections::BTreeMap::<String, String>::new();
    let (mut club, mut mails) = begun(7);
    mails.extend(play(&mut club, 60));
    for mail in &mails {
        let told = told(&mail.text);
        let lines = pasted(&mail.text);
        // what this reader has had before
        let had = known.entry(mail.to.clone()).or_default();
        let before = had.clone();
        had.push_str(&unfold(&mail.text));
        if told.is_empty() {
            assert!(lines.is_empty(), "{}", mail.text);
            continue;
        }
        assert!(mail.text.lines().all(|l| l.len() <= 72), "{}", mail.text);
        assert_eq!(pasted(&shown(&mail.html)), lines, "{}", mail.html);
        let board = mail.text.find(" a  b  c ").or(mail.text.find("h  g  f"));
        let below = mail.text.find("  g=").unwrap();
        assert!(below < mail.text.find("\n--\n").unwrap());
        assert!(
            board.or(mail.text.find("  8  ")).is_none_or(|b| b < below),
            "{}",
            mail.text
        );
        let printed = run("bash", &lines);
        if is_there("dash") {
            assert_eq!(run("dash", &lines), printed);
        }
        // the newest roll comes first
        let comments: Vec<&str> = lines
            .iter()
            .filter_map(|l| l.split_once("# "))
            .map(|l| l.1)
            .collect();
        let (element, rolls) = comments.split_last().unwrap();
        assert_eq!(rolls.len(), told.len(), "{}", mail.text);
        assert_eq!(printed.len(), rolls.len() + 1, "{printed:#?}");
        for ((roll, digits), dice) in rolls.iter().zip(&printed).zip(told.iter().rev()) {
            let (words, fell) = roll.split_once(": ").unwrap();
            assert!(digits.starts_with(&words.replace(' ', "")), "{}", mail.text);
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(by_eye(&words), *dice, "{}", mail.text);
            assert_eq!(fell, dice.join(" "));
        }
        // it leads to an element that the reader had already
        assert_eq!(printed.last().unwrap(), element);
        let first = mail.text.contains("The last line is the anchor=");
        let key = if first { "anchor=" } else { "c=" };
        assert_eq!(first, mail.text.contains("The opening roll:"));
        assert!(before.contains(&format!("{key}{element}")), "{}", mail.text);
        one += usize::from(rolls.len() == 1);
        several += usize::from(rolls.len() > 1);
        let step = |l: &&String| l.starts_with("  chain ") && l.split_whitespace().count() > 2;
        skipped += lines.iter().filter(step).count();
    }
    println!(
        "{one} mails of one roll, {several} of several; {skipped} rolls after turns without one"
    );
    assert!(one > 20 && several > 5, "{one} {several}");
}

/// Whoever quotes them without marks, above his own words, orders nothing by it.
#[test]
fn the_lines_of_a_check_are_no_orders() {
    let (mut club, _) = begun(7);
    play(&mut club, 4);
    let told = club.last.values().find(|m| !pasted(&m.text).is_empty());
    let body = pasted(&told.unwrap().text).join("\n");
    let who = club.asked_address();
    let game = club.game();
    let mails = club.writes(who, &body);
    assert_eq!(club.game().entry, game.entry, "{mails:#?}");
    assert_eq!(mails.len(), 1);
    assert!(
        mails[0].text.contains("No command was found"),
        "{}",
        mails[0].text
    );
}
