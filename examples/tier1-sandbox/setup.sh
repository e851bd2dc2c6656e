#!/bin/sh
# Writes .env beside this file, for all three Compose files: a token for the public profile, the address of the
# model API, your user's numbers, the folder of the socket. Run it again when the model API has moved; what is in
# .env and in the environment is kept.
#
#   sh setup.sh
#   MODEL_HOST=api.example.com sh setup.sh
#   OBSEARCH_ADDRESS=10.0.2.2 sh setup.sh          # rootless Docker, see README.md
set -eu
cd "$(dirname "$0")"
umask 077

stop() {
    echo "setup: $1" >&2
    exit 1
}

[ "$(id -u)" != 0 ] || stop "not as root: the agent would have root's number"

# The value of a name: from the environment, else from .env.
kept() { # NAME
    eval "given=\${$1-}"
    # shellcheck disable=SC2154 # set by eval
    if [ -n "$given" ]; then
        printf '%s' "$given"
    elif [ -f .env ]; then
        sed -n "s/^$1=//p" .env
    fi
}

# The first IPv4 address of a name; getent is on Linux, dig on macOS.
address_of() { # HOST
    if command -v getent >/dev/null; then
        getent ahostsv4 "$1" | sed -n '1s/ .*//p'
    else
        dig +short A "$1" | sed -n '/^[0-9.]*$/{p;q;}'
    fi
}

obsearch=${OBSEARCH:-obsearch}
model_host=$(kept MODEL_HOST)
model_host=${model_host:-api.anthropic.com}
model_address=$(address_of "$model_host") || true
[ -n "$model_address" ] || stop "the address of $model_host cannot be found"

token=$(kept OBSEARCH_TOKEN)
[ -n "$token" ] || token=$("$obsearch" token new sandbox) ||
    stop "no token; if there is one already, 'obsearch token revoke sandbox' first"

folder=$(kept OBSEARCH_SOCKET_FOLDER)
folder=${folder:-${XDG_STATE_HOME:-$HOME/.local/state}/obsearch-sandbox}
mkdir -p "$folder"

{
    echo "OBSEARCH_TOKEN=$token"
    echo "MODEL_HOST=$model_host"
    echo "MODEL_ADDRESS=$model_address"
    echo "AGENT_UID=$(id -u)"
    echo "AGENT_GID=$(id -g)"
    echo "OBSEARCH_SOCKET_FOLDER=$folder"
    for name in OBSEARCH_ADDRESS OBSEARCH_PORT; do
        value=$(kept "$name")
        [ -z "$value" ] || echo "$name=$value"
    done
} >.env.new
mv .env.new .env
echo "Wrote $(pwd)/.env: $model_host is $model_address. Start obsearch, then the container; see README.md."
