//! The `hyperslab` command.

fn main() {
    std::process::exit(hyperslab_cli::run(std::env::args_os()));
}
