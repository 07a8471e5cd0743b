//! The `tulpa` command.

/// A letter is thousands of small strings: the system's allocator costs a quarter of its time (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tulpa::cli::main()
}
