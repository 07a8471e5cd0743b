//! `tulpa completions SHELL` and `tulpa man`.

use std::io::Write;

use clap::CommandFactory;

use super::{Cli, Done};

pub fn completions(shell: clap_complete::Shell, out: &mut dyn Write) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tulpa", &mut text);
    out.write_all(&text)?;
    Ok(())
}

pub fn man(out: &mut dyn Write) -> Done {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text)?;
    out.write_all(&text)?;
    Ok(())
}
