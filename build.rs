//! Lists the files of `games/` and `templates/`, so that adding a game or a text needs no Rust:
//! one file, and it is built in.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    list("games.rs", &[("games", "ron", "")])?;
    list(
        "templates.rs",
        &[
            ("templates/en", "txt", ""),
            ("templates/help", "txt", "help/"),
            ("templates/rules", "txt", "rules/"),
        ],
    )
}

/// Writes `&[(name, text), ...]` for the files of these (folder, extension, prefix of names).
fn list(name: &str, folders: &[(&str, &str, &str)]) -> io::Result<()> {
    let mut code = String::from("&[\n");
    for (folder, extension, prefix) in folders {
        println!("cargo:rerun-if-changed={folder}");
        let mut files: Vec<_> = fs::read_dir(folder)?
            .filter_map(|e| Some(e.ok()?.path()))
            .filter(|p| p.extension().is_some_and(|x| x == *extension))
            .collect();
        files.sort();
        for path in &files {
            let full = path.canonicalize()?;
            if let Some(stem) = path.file_stem().and_then(|s| s.to_str()) {
                let name = format!("{prefix}{stem}");
                code.push_str(&format!("    ({name:?}, include_str!({full:?})),\n"));
            }
        }
    }
    code.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?;
    fs::write(Path::new(&out).join(name), code)
}
