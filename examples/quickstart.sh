#!/bin/sh
# Builds obsearch, indexes a vault and asks it a question. Needs only a Rust toolchain; writes
# only below the build folder.
#
#   sh examples/quickstart.sh                                  # the example vault
#   sh examples/quickstart.sh ~/Notes "when is the rent due"   # your own
set -eu
cd "$(dirname "$0")/.."
vault=${1:-examples/vault}
question=${2:-how long must the coating dry}

XDG_DATA_HOME="$(pwd)/target/quickstart"
export XDG_DATA_HOME
mkdir -p "$XDG_DATA_HOME"
# A configuration that others may write is refused, and a fresh checkout may be such a file.
config="$XDG_DATA_HOME/config.toml"
(umask 077 && cat examples/config.toml >"$config")

cargo build --release --locked
obsearch() { cargo run --release --locked --quiet -- --vault "$vault" --config "$config" "$@"; }
obsearch index
echo
obsearch search "$question"
