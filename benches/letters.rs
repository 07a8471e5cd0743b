//! One letter through the whole path: `cargo bench --bench letters`. The table with its yardsticks is `tulpa bench`.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tulpa::cli::bench::club::{CHESS, Club, Pile, arrived};
use tulpa::daemon::Daemon;
use tulpa::edge::Arrived;
use tulpa::fair::fold::unfold;
use tulpa::post::guard::{Allowed, look};
use tulpa::post::letter::{self, Limits};
use tulpa::referee::Registry;
use tulpa::referee::secrets::secrets;
use tulpa::store::Opening;

/// Letters that share a sync.
const TOGETHER: u32 = 100;

fn letters(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let club = Club::found(dir.path(), &CHESS, TOGETHER, &|_| {});
    let mut club = club.unwrap_or_else(|e| panic!("{}", e.what));
    let letters = club
        .letters(TOGETHER)
        .unwrap_or_else(|e| panic!("{}", e.what));
    let mut daemon = club
        .open(Opening::Careful)
        .unwrap_or_else(|e| panic!("{}", e.what));
    let one = arrived(&letters[0]).unwrap_or_else(|e| panic!("{}", e.what));
    c.bench_function("read, judge and write one turn", |b| {
        b.iter(|| daemon.rehearse(black_box(&one), daemon.clock.now(), &[7; 32]));
    });
    guard(c, &daemon, &one);
    // after the first time they are resent letters: what finding that out costs
    c.bench_function("a hundred letters, most of them resent", |b| {
        let pile = || Pile::of(&letters).unwrap_or_else(|e| panic!("{}", e.what));
        b.iter_batched(
            pile,
            |mut pile| daemon.letters(&mut pile),
            BatchSize::LargeInput,
        );
    });
}

/// What it costs to look for secrets in the mails of one turn.
fn guard(c: &mut Criterion, daemon: &Daemon, letter: &Arrived) {
    let done = daemon.rehearse(letter, daemon.clock.now(), &[7; 32]);
    let done = done.expect("a turn");
    let records = daemon.records();
    let mut group = c.benchmark_group("guard");
    for mail in &done.mails {
        let reader = records.player_by_address(&mail.to).expect("a player");
        let player = records.player(reader).expect("a player");
        let game = records.game(player.playing[0]).expect("a match");
        group.throughput(Throughput::Bytes(mail.bytes.0.len() as u64));
        let text = letter::open(&mail.bytes.0, &Limits::default()).expect("our own mail");
        let lines = unfold(&text.text);
        group.bench_function(&mail.kind, |b| {
            b.iter(|| {
                let all = secrets(&records, &game, Some(reader));
                let allowed = Allowed {
                    values: all.published(lines.lines()),
                    ..Allowed::default()
                };
                look(black_box(&mail.bytes.0), &all, &allowed)
            });
        });
        // values that nobody published are compared with every roll to come
        group.bench_function(format!("{} and the chain", mail.kind), |b| {
            b.iter(|| {
                let all = secrets(&records, &game, Some(reader));
                look(black_box(&mail.bytes.0), &all, &Allowed::default())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, letters);
criterion_main!(benches);
