#!/bin/sh
# Builds obsearch, indexes a vault and asks it a question. Needs only a Rust toolchain; writes
# only below the build folder.
#
#   sh examples/quickstart.sh                                  # the example vault
#   sh examples/quickstart.sh ~/Notes "when is the rent due"   # your own
set -eu
start=$(pwd)
cd "$(dirname "$0")/.."
vault=${1:-examples/vault}
case ${1:-/} in /*) ;; *) vault=$start/$1 ;; esac
question=${2:-best time of day to get hold of the electrician}

XDG_DATA_HOME="$(pwd)/target/quickstart"
export XDG_DATA_HOME
# What others may write is refused, and in a fresh checkout they may.
(umask 077 && mkdir -p "$XDG_DATA_HOME")
chmod go-w "$XDG_DATA_HOME"
config="$XDG_DATA_HOME/config.toml"
(umask 077 && cat examples/config.toml >"$config")

cargo build --release --locked
obsearch() { cargo run --release --locked --quiet -- --vault "$vault" --config "$config" "$@"; }
obsearch index
echo
obsearch search "$question"
