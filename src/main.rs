//! The `tulpa` command.

fn main() -> std::process::ExitCode {
    tulpa::cli::main()
}
