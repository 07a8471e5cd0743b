//! A layer imports only layers with a lower number, and the pure layers know no clock, no chance,
//! no file. Read off the source, so that nobody has to remember it.

use std::fs;
use std::path::{Path, PathBuf};

/// First path element under `src/` and its layer.
const LAYERS: &[(&str, u8)] = &[
    ("rules", 1),
    ("referee", 2),
    ("fair", 2),
    ("post", 3),
    ("store", 4),
    ("edge", 4),
    ("config", 4),
    ("daemon", 5),
    ("cli", 6),
];

/// Same layer, yet one may use the other: the referee seals with `fair`; `edge` carries what
/// `store` queued.
const SIDEWAYS: &[(&str, &str)] = &[("referee", "fair"), ("edge", "store"), ("config", "edge")];

/// Words of the world that layers 1 to 3 do not know.
const WORLD: &[&str] = &[
    "SystemTime",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "std::fs",
    "std::net",
    "std::env",
    "std::thread",
    "std::process",
    "getrandom",
    "println!",
    "HashMap",
    "HashSet",
    ": f32",
    ": f64",
    "as f64",
    "as f32",
];

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("src is readable") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|x| x == "rs") {
            out.push(path);
        }
    }
}

/// The part of a source file that ships: tests may use the world.
fn shipped(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    code.lines()
        .filter(|l| !l.trim_start().starts_with("//"))
        .map(|l| format!("{l}\n"))
        .collect()
}

fn room(path: &Path) -> Option<String> {
    let inside = path.strip_prefix("src").ok()?;
    let first = inside.components().next()?.as_os_str().to_str()?;
    Some(first.trim_end_matches(".rs").to_owned())
}

fn layer(room: &str) -> Option<u8> {
    LAYERS.iter().find(|(n, _)| *n == room).map(|(_, l)| *l)
}

fn faults_of(path: &Path, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let Some(room) = room(path) else {
        return faults;
    };
    let Some(mine) = layer(&room) else {
        return faults;
    };
    let code = shipped(text);
    for (i, at) in code.match_indices("crate::") {
        let _ = at;
        let name: String = code[i + "crate::".len()..]
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let Some(theirs) = layer(&name) else { continue };
        let sideways = SIDEWAYS.contains(&(room.as_str(), name.as_str()));
        if theirs > mine || (theirs == mine && name != room && !sideways) {
            faults.push(format!("{}: imports crate::{name}", path.display()));
        }
    }
    if mine <= 3 {
        for word in WORLD {
            if code.contains(word) {
                faults.push(format!("{}: `{word}` in a pure layer", path.display()));
            }
        }
    }
    faults
}

#[test]
fn layers_import_downwards_and_the_pure_ones_know_no_world() {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    assert!(files.len() > 10, "the test runs from the package root");
    let faults: Vec<String> = files
        .iter()
        .flat_map(|f| faults_of(f, &fs::read_to_string(f).expect("utf-8 source")))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_test_itself_finds_a_fault() {
    let up = faults_of(Path::new("src/rules/x.rs"), "use crate::store::Store;\n");
    assert_eq!(up.len(), 1);
    let clock = faults_of(
        Path::new("src/referee/x.rs"),
        "let t = std::time::SystemTime::UNIX_EPOCH;\n",
    );
    assert_eq!(clock.len(), 1);
    let fine = faults_of(
        Path::new("src/post/x.rs"),
        "// std::fs is not used\nuse crate::rules::View;\n",
    );
    assert!(fine.is_empty());
}
