//! The published vectors, each one, and the dice under chi-square.

use tulpa::fair::chain;
use tulpa::fair::dice::{Roll, dice_line};
use tulpa::fair::entropy::{entropy, seed_commitment, words_seed};
use tulpa::fair::head::{Head, HeadKey};
use tulpa::fair::ledger::{Kind, Tip};
use tulpa::fair::line::{Hash, hash, hex, line_mac, unhash};
use tulpa::fair::seal::{commitment, nonce};
use tulpa::fair::token::{message_id_left, reply_token};

const GID: &str = "k7q2m5x4d3";
const SEAL: &str = "1ba1fb0509c6e3521929eda48faaa3e5078db66c352a0b682e05ee57e910f7f7";
const KEY: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn counted(from: u8) -> Hash {
    std::array::from_fn(|i| from + u8::try_from(i).unwrap())
}

fn c_129() -> Hash {
    counted(0x20)
}

fn e() -> Hash {
    let seeds = ["seat-1", "seat-2", "seat-3"].map(|s| Some(hash(s)));
    let seeds: Vec<Option<Hash>> = seeds.into_iter().chain([None]).collect();
    entropy(GID, &[0x11; 32], &seeds, "-")
}

#[test]
fn seals() {
    let n = hex(&counted(0));
    assert_eq!(commitment(GID, 17, 2, "archer", &n), SEAL);
    assert_eq!(
        commitment(GID, 17, 3, "archer", &n),
        "112b95ce56475a856ba4dd066cca491a1bb7ee43fe51feaccca7fced331fd4ba"
    );
}

#[test]
fn words_seeds_and_entropy() {
    assert_eq!(
        hex(&words_seed(GID, 2, "the quick brown fox 1987")),
        "b968228364bf2de1f8322e7bbbd0014565068476925c65ade332c43b55a42a8a"
    );
    assert_eq!(
        hex(&seed_commitment(GID, 1, &hash("seat-1"))),
        "e2187c963df7779111df4548d5d745bf74d122cea017a296392911463ad99d25"
    );
    assert_eq!(
        hex(&e()),
        "2208e36b2eb70e24b6df29926c42aee5c4a48ecd8da716bda09bc5e467c86215"
    );
}

#[test]
fn chain_steps() {
    assert_eq!(
        hex(&chain::down(GID, 129, &c_129(), 128)),
        "e0cfb123bd084aa644779091d7e238d09cbf305f3e960df5d211c39bdbe50101"
    );
    assert_eq!(
        hex(&chain::down(GID, 129, &c_129(), 121)),
        "662f2581de35213d0b5c0f78aa6ce231beeb2cd6b9488081f631bbeecf3b9b7a"
    );
}

#[test]
fn blocks_and_dice() {
    let block = |ctr| hex(&line_mac(&c_129(), &dice_line(GID, 129, &e(), "-", ctr)));
    assert_eq!(
        block(0),
        "9b32b74b37f56990d8d1b55e06c240430fb9f8fb392add7aed8e03a96929db66"
    );
    assert_eq!(
        block(1),
        "ecea656fb2793f18d8e4943e23ce42f8fd66adf8f88177182fc9d6bad4a95345"
    );
    let dice = |sides: &[u64]| Roll::new(&c_129(), GID, 129, &e(), "-").dice(sides);
    assert_eq!(dice(&[4; 8]), [4, 1, 3, 4, 4, 3, 2, 3]);
    assert_eq!(dice(&[6; 4]), [2, 1, 5, 2]);
    assert_eq!(dice(&[4, 6, 10, 20, 100]), [4, 1, 1, 12, 40]);
    assert_eq!(
        dice(&[3 << 30; 8]),
        [
            2603792204, 938830225, 113393732, 263846140, 959110523, 1764350823, 2994290457,
            600720121
        ]
    );
    let beacon = hex(&[0xee; 32]);
    let mut bound = Roll::new(&c_129(), GID, 129, &e(), &beacon);
    assert_eq!(
        hex(bound.block()),
        "2ad1b75938dbd0c348e28b012114fe2ad172a7fe618279cb5c0407a12caa7844"
    );
    assert_eq!(bound.dice(&[4; 4]), [2, 4, 2, 3]);
}

#[test]
fn ledger_lines_and_a_head() {
    let mut tip = Tip::default();
    let anchor = hex(&[0x11; 32]);
    let line = tip.write(
        "2026-11-21T09:49:30Z".parse().unwrap(),
        Kind::Game,
        &[
            ("id", GID),
            ("rules", "demo-1"),
            ("seats", "4"),
            ("anchor", &anchor),
            ("n", "8192"),
            ("per", "8"),
            ("key", KEY),
        ],
    );
    assert_eq!(
        line,
        format!(
            "0 2026-11-21T09:49:30Z game id=k7q2m5x4d3 rules=demo-1 seats=4 anchor={anchor} n=8192 per=8 key={KEY}"
        )
    );
    assert_eq!(
        hex(&tip.h),
        "99379271165f09fb7749df448baf691b6082e9f6b6b0cef8dfceee4bd17ff7ce"
    );
    tip.write(
        "2026-11-21T09:50:00Z".parse().unwrap(),
        Kind::Seal,
        &[("t", "17"), ("seat", "2"), ("c", SEAL), ("by", "ref")],
    );
    assert_eq!(
        hex(&tip.h),
        "252e3533e4d7a4359e330f7a348a6fe61cfaa0ec6b6301c790ecec59351592ed"
    );
    // RFC 8032, 7.1, test 1
    let key = HeadKey::new(
        &unhash("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60").unwrap(),
    );
    assert_eq!(hex(&key.public()), KEY);
    let head = key.sign(GID, 1, &tip.h);
    assert_eq!(
        head.text(),
        "head k7q2m5x4d3 1 252e3533e4d7a4359e330f7a348a6fe61cfaa0ec6b6301c790ecec59351592ed \
         22bb88649722440c1ae29557013fbe0ef7cbbc865272039ee48ce401f9f3997c \
         79a3c80ddefdbf7b13d124219b0d36f5dd2da89d32b214a6ddeca159bf5bda02"
    );
    assert!(
        Head::parse(&head.text())
            .unwrap()
            .is_signed_by(&key.public())
    );
}

#[test]
fn keyed_ids() {
    let key = [0xa5; 32];
    assert_eq!(
        nonce(&key, GID, 17, 2),
        "f03f4c886e56582c385702a05755ad8005f87543de0378898ed090f17296f072"
    );
    assert_eq!(reply_token(&key, GID, 2, 1), "vz2fhyebnzen6l77yhnaaxkmra");
    assert_eq!(
        message_id_left(&key, GID, 57, 2, "board"),
        "d138aacc954563bc2c3fa4bd96112446"
    );
}

/// Counts of each face, and of each pair of neighbours that fall together, over `draws` dice.
fn chi_square(sides: u64, draws: u64) -> (f64, f64) {
    let n = usize::try_from(sides).unwrap();
    let mut faces = vec![0u64; n];
    let mut steps = vec![0u64; n];
    let mut before = 0;
    let (mut i, mut left) = (0, 0);
    let mut roll = Roll::new(&[1; 32], GID, 1, &[2; 32], "-");
    for _ in 0..draws {
        if left == 0 {
            // a real game takes few dice from an element, so elements change here too
            i += 1;
            left = 40;
            roll = Roll::new(&hash(&format!("element {i}")), GID, i, &[2; 32], "-");
        }
        left -= 1;
        let die = usize::try_from(roll.die(sides)).unwrap() - 1;
        faces[die] += 1;
        steps[(die + n - before) % n] += 1;
        before = die;
    }
    let expected = draws as f64 / sides as f64;
    let chi = |counts: &[u64]| {
        counts
            .iter()
            .map(|c| (*c as f64 - expected).powi(2) / expected)
            .sum()
    };
    (chi(&faces), chi(&steps))
}

/// Sides, and the chi-square that fair dice exceed, or fall below, once in a thousand (sides - 1 degrees of freedom).
const DICE: [(u64, f64, f64); 10] = [
    (2, 0.0000016, 10.828),
    (3, 0.0020, 13.816),
    (4, 0.0243, 16.266),
    (5, 0.0908, 18.467),
    (6, 0.2102, 20.515),
    (8, 0.5985, 24.322),
    (10, 1.1519, 27.877),
    (12, 1.8339, 31.264),
    (20, 5.4068, 43.820),
    (100, 60.326, 148.230),
];

fn fair(draws: u64) {
    for (sides, low, high) in DICE {
        let (faces, serial) = chi_square(sides, draws);
        println!("d{sides}: chi2 {faces:.2}, serial {serial:.2}, fair between {low} and {high}");
        for chi in [faces, serial] {
            assert!((low..high).contains(&chi), "d{sides}: {chi}");
        }
    }
}

#[test]
fn dice_are_fair() {
    fair(100_000);
}

#[test]
#[ignore = "10^7 dice of each size take a minute; run with --nocapture for the figures"]
fn dice_are_fair_over_ten_million() {
    fair(10_000_000);
}

/// Dice of 3 * 2^30 sides reject a quarter of the words; each quarter of what is left is as likely.
#[test]
fn rejection_bends_nothing() {
    let mut quarters = [0u64; 4];
    for i in 1..=20_000 {
        let mut roll = Roll::new(&hash(&format!("element {i}")), GID, i, &[2; 32], "-");
        for die in roll.dice(&[3 << 30; 5]) {
            quarters[usize::try_from((die - 1) * 4 / (3 << 30)).unwrap()] += 1;
        }
    }
    let chi: f64 = quarters
        .iter()
        .map(|c| (*c as f64 - 25_000.0).powi(2) / 25_000.0)
        .sum();
    assert!((0.0243..16.266).contains(&chi), "{chi} {quarters:?}");
}
