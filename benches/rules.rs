//! Rules: `cargo bench --bench rules`. The table with its yardsticks is `tulpa bench`.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tulpa::cli::bench::{HYDRA, generated, positions};
use tulpa::rules::{NoDice, Options, Shelf, Table};

fn table(shelf: &Shelf, game: &str) -> Table {
    let book = Arc::clone(shelf.get(game).expect("a built-in game"));
    let (table, _) = Table::begin(&book, &Options::new(), &mut NoDice).expect("it begins");
    table
}

fn perft(c: &mut Criterion) {
    let shelf = Shelf::builtin();
    let chess = table(&shelf, "chess");
    let mut group = c.benchmark_group("perft");
    group.throughput(Throughput::Elements(chess.perft(4)));
    group.bench_function("chess 4", |b| b.iter(|| black_box(&chess).perft(4)));
    group.finish();
}

fn hydra(c: &mut Criterion) {
    let shelf = Shelf::builtin();
    let book = Arc::clone(shelf.get("hydra").expect("a built-in game"));
    let position = serde_json::from_str(HYDRA).expect("a position");
    let table = Table::arrange(&book, &Options::new(), &position).expect("it fits");
    c.bench_function("hydra middle game with drops", |b| {
        b.iter(|| black_box(&table).steps_exactly(1));
    });
}

fn steps(c: &mut Criterion) {
    let shelf = Shelf::builtin();
    let mut group = c.benchmark_group("steps");
    for id in shelf.ids() {
        let tables = positions(shelf.get(id).expect("a built-in game"));
        let tables = tables.unwrap_or_else(|e| panic!("{}", e.what));
        let count = generated(&tables);
        assert!(count > 0, "{id} measures nothing");
        group.throughput(Throughput::Elements(count));
        group.bench_function(id, |b| b.iter(|| generated(black_box(&tables))));
    }
    group.finish();
}

criterion_group!(benches, perft, hydra, steps);
criterion_main!(benches);
