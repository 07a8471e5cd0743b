//! Lists the files of `games/` so that adding a game needs no Rust: one file, and it is built in.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=games");
    let mut files: Vec<_> = fs::read_dir("games")?
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "ron"))
        .collect();
    files.sort();
    let mut code = String::from("&[\n");
    for path in &files {
        let full = path.canonicalize()?;
        if let Some(id) = path.file_stem().and_then(|s| s.to_str()) {
            code.push_str(&format!("    ({id:?}, include_str!({full:?})),\n"));
        }
    }
    code.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?;
    fs::write(Path::new(&out).join("games.rs"), code)
}
