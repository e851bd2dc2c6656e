#!/bin/sh
# Tests examples/tier1-sandbox: the Compose files by reading them, the firewall and the other ways by running the
# real script and the real server in network namespaces.
#
#   sh tests/sandbox/run.sh BINARY [FOLDER]     # FOLDER holds a Python environment that is kept between runs
#
# The namespaces need Linux, root and a few tools. In CI the tools are installed and nothing is left out;
# elsewhere what cannot run is left out, with a message. Everything happens in namespaces of its own, with files
# in memory: nothing is left when it ends, however it ends.
set -eu
export PYTHONDONTWRITEBYTECODE=1
binary=$(realpath "$1")
folder=${2:-target}/sandbox-tests
cd "$(dirname "$0")"
case $folder in /*) ;; *) folder=$OLDPWD/$folder ;; esac

skip() {
    [ "${CI:-}" != true ] || { echo "$1, and CI leaves nothing out" >&2; exit 1; }
    echo "skipped: $1"
    exit 0
}

command -v python3 >/dev/null || skip "there is no python3"
[ -x "$folder/bin/pip" ] || python3 -m venv "$folder" || { rm -rf "$folder"; exit 1; }
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements.txt
"$folder/bin/python" compose.py ../../examples/tier1-sandbox

[ "$(uname)" = Linux ] || skip "network namespaces need Linux"
[ "$(id -u)" = 0 ] || skip "network namespaces need root"
missing() { for tool in nft iptables ip curl setpriv tini socat; do command -v "$tool" >/dev/null || echo "$tool"; done; }
if [ -n "$(missing)" ] && [ "${CI:-}" = true ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        curl iproute2 iptables nftables socat tini util-linux >/dev/null
fi
[ -z "$(missing)" ] || skip "not installed: $(missing | tr '\n' ' ')"
unshare --mount --net --pid --fork true 2>/dev/null || skip "this machine allows no new namespaces"

# Whatever ends this script ends the first process of the new namespaces, and with it all that is in them: KILL
# through the signal that a child gets when its parent dies, others through the trap, as unshare itself blocks them.
setpriv --pdeathsig KILL -- unshare --mount --net --pid --fork --kill-child --mount-proc \
    "$folder/bin/python" network.py --binary "$binary" --project ../.. &
trap 'kill -KILL $!; exit 1' HUP INT TERM
wait $!
