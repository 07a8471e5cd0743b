//! Records of Hydra-Vari Chess and of the Chieftain games replay: same counts, refusals, outcome.

use tulpa::rules::Shelf;
use tulpa::rules::record::replay;

fn replays(prefixes: &[&str]) {
    let shelf = Shelf::builtin();
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance");
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| {
            let name = p.file_name().unwrap().to_string_lossy().into_owned();
            prefixes.iter().any(|x| name.starts_with(x)) && name.ends_with(".jsonl")
        })
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        if let Err(e) = replay(&shelf, &text) {
            wrong.push(format!("{}: {e}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hydra_records_replay() {
    replays(&["hydra"]);
}

#[test]
fn chieftain_records_replay() {
    replays(&["chieftain", "superchief", "overlord"]);
}
