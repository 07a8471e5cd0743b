//! `tulpa replay FILE...`: silent when every record holds, else file, line and first difference.

use std::io::Write;
use std::path::PathBuf;

use super::{Common, Done, Failure, games};
use crate::rules::record;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Record files (JSON Lines)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn run(common: &Common, a: &Arguments, out: &mut dyn Write) -> Done {
    let shelf = games::shelf(common)?;
    let mut bad = 0;
    for file in &a.files {
        let name = file.display();
        match games::read_text(file) {
            Ok(text) => {
                if let Err(e) = record::replay(&shelf, &text) {
                    bad += 1;
                    writeln!(out, "{name}:{}: {}", e.line, e.what)?;
                }
            }
            Err(f) => {
                bad += 1;
                writeln!(out, "{}", f.what)?;
            }
        }
    }
    if bad > 0 {
        return Err(Failure::told());
    }
    Ok(())
}
