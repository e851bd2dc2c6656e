//! The obsearch binary: parse, read the surroundings, run, exit code.

use std::process::ExitCode;

use clap::Parser;
use obsearch::cli::{self, Cli};
use obsearch::config::Environment;

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli::run(&cli, &Environment::read()).into()
}
