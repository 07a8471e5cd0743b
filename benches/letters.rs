//! One letter through the whole path: `cargo bench --bench letters`. The table with its yardsticks is `tulpa bench`.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use tulpa::cli::bench::club::{CHESS, Club, Pile, arrived};
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

criterion_group!(benches, letters);
criterion_main!(benches);
