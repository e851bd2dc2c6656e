#!/bin/bash
# The container's entrypoint: closes the network, proves that it is closed, gives up every privilege for good,
# and becomes the agent. Whatever fails on the way ends the start; the agent then never runs.
#
#   firewall.sh COMMAND [ARGUMENT...]
#
# Out may go, over IPv4 and IPv6 alike: TCP to the one address and port of obsearch, TCP to the addresses of
# the model API, and what stays inside on 127.0.0.1 and ::1. Nothing else, no DNS, no ICMP. Names are taken
# from /etc/hosts alone, where Docker wrote what the Compose file pins. Nothing may come in.
#
#   OBSEARCH_HOST, OBSEARCH_PORT   where obsearch listens (host.docker.internal, 9000)
#   OBSEARCH_TOKEN                 from `obsearch token new NAME`
#   MODEL_HOSTS                    host:port of the model API, any number, separated by blanks
#   AGENT_UID, AGENT_GID           whom the agent runs as (1000, 1000); never root
#
# The first half needs NET_ADMIN; giving up privileges needs SETUID, SETGID and SETPCAP. The agent has none.
set -euo pipefail
export LC_ALL=C

stop() {
    printf 'sandbox: %s; the agent is not started\n' "$1" >&2
    exit 1
}

is_number_between() { # LOW HIGH VALUE
    [[ $3 =~ ^[1-9][0-9]{0,9}$ ]] && (($3 >= $1 && $3 <= $2))
}

# --- what may be reached -------------------------------------------------------------------------------------

host=${OBSEARCH_HOST:-host.docker.internal}
port=${OBSEARCH_PORT:-9000}
token=${OBSEARCH_TOKEN-}
uid=${AGENT_UID:-1000}
gid=${AGENT_GID:-1000}

(($# > 0)) || stop "no command was given"
is_number_between 1 65535 "$port" || stop "OBSEARCH_PORT is not a port: $port"
is_number_between 1 4294967294 "$uid" || stop "AGENT_UID must be a number and not root: $uid"
is_number_between 1 4294967294 "$gid" || stop "AGENT_GID must be a number and not root: $gid"
[[ $token =~ ^[A-Za-z0-9_-]{32,}$ ]] || stop "OBSEARCH_TOKEN is not a token; make one with 'obsearch token new NAME'"

# Prints the addresses of a name in /etc/hosts, one a line.
addresses_of() { # NAME
    local address names name
    while read -r address names || [[ -n $address ]]; do
        [[ $address != '#'* ]] || continue
        for name in ${names%%#*}; do
            [[ ${name,,} != "${1,,}" ]] || printf '%s\n' "$address"
        done
    done </etc/hosts
}

# What a rule calls the destination: `ip daddr 192.0.2.1`. Anything but a plain address is refused.
destination() { # ADDRESS
    if [[ $1 =~ ^[0-9]{1,3}(\.[0-9]{1,3}){3}$ ]]; then
        printf 'ip daddr %s' "$1"
    elif [[ $1 =~ ^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$ ]]; then
        printf 'ip6 daddr %s' "$1"
    else
        return 1
    fi
}

rules=''
uses_ipv6=''
allow() { # ADDRESS PORT
    local to
    to=$(destination "$1") || stop "/etc/hosts holds something that is no address: $1"
    [[ $to != ip6* ]] || uses_ipv6=yes
    rules+="        $to tcp dport $2 counter name allowed accept"$'\n'
}

# Docker may pin two addresses for the host, one of each family. Exactly one is let through.
server=''
for address in $(addresses_of "$host"); do
    if [[ -z $server || ($server == *:* && $address != *:*) ]]; then server=$address; fi
done
[[ -n $server ]] || stop "/etc/hosts has no address for $host; pin one with extra_hosts"
allow "$server" "$port"

models=()
for model in ${MODEL_HOSTS-}; do
    model_port=${model##*:}
    [[ $model == *:* ]] || stop "MODEL_HOSTS must be host:port: $model"
    is_number_between 1 65535 "$model_port" || stop "MODEL_HOSTS must be host:port: $model"
    found=''
    for address in $(addresses_of "${model%:*}"); do
        allow "$address" "$model_port"
        models+=("$address $model_port")
        found=yes
    done
    [[ -n $found ]] || stop "/etc/hosts has no address for ${model%:*}; pin one with extra_hosts"
done

# --- the rules -----------------------------------------------------------------------------------------------

# IPv6 finds its neighbours with ICMPv6. Where IPv6 is not used, it is not let through either.
neighbours=''
if [[ -n $uses_ipv6 ]]; then
    neighbours='ip6 hoplimit 255 icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept'
fi

# One transaction: all rules hold, or none and the start ends here. The first two lines make a restart in the
# same namespace start from nothing. What nobody allowed is answered with an error at once instead of silence,
# so that programs do not hang; such an answer comes back over the loopback interface, as a reply.
# Docker's own resolver at 127.0.0.11 is not inside: it asks the outside world for whoever asks it.
# Only TCP and UDP are counted: the kernel sends ICMPv6 by itself, and that must not pass for a refused probe.
nft --file - <<RULES || stop "the rules could not be set"
table inet sandbox
delete table inet sandbox
table inet sandbox {
    counter allowed { }
    counter refused { }

    chain input {
        type filter hook input priority filter; policy drop;
        iif lo accept
        ct state established,related accept
        $neighbours
    }

    chain forward {
        type filter hook forward priority filter; policy drop;
    }

    chain output {
        type filter hook output priority filter; policy drop;
        oif lo ip daddr 127.0.0.1 accept
        oif lo ip6 daddr ::1 accept
        oif lo ct state established,related accept
$rules
        $neighbours
        meta l4proto { tcp, udp } counter name refused
        meta l4proto tcp reject with tcp reset
        reject with icmpx type admin-prohibited
    }
}
RULES

# --- the proof -----------------------------------------------------------------------------------------------

# Everything from here on runs as the agent will: without capabilities, and without a way to regain any.
drop=(setpriv --reuid="$uid" --regid="$gid" --clear-groups
    --inh-caps=-all --ambient-caps=-all --bounding-set=-all --no-new-privs --)

# Puts the packets that a counter has seen into $packets.
count() { # COUNTER
    local text
    text=$(nft list counter inet sandbox "$1") || stop "the counter of $1 packets cannot be read"
    [[ $text =~ packets\ ([0-9]+) ]] || stop "the counter of $1 packets cannot be read"
    packets=${BASH_REMATCH[1]}
}

# The commands of the probes. Their complaints are expected.
tcp() { # ADDRESS PORT
    # shellcheck disable=SC2016 # expanded by the inner shell, from its arguments
    "${drop[@]}" timeout 5 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2" 2>/dev/null
}
udp() { # ADDRESS PORT
    # shellcheck disable=SC2016
    "${drop[@]}" timeout 5 bash -c 'printf probe >"/dev/udp/$0/$1"' "$1" "$2" 2>/dev/null
}

# A probe must fail, and fail at the firewall: a port at which nobody listens proves nothing, and neither does a
# probe that could not be sent.
must_refuse() { # PROBE ADDRESS PORT
    local before
    count refused
    before=$packets
    ! "$@" || stop "$1 $2 port $3 can be reached"
    count refused
    ((packets > before)) || stop "$1 $2 port $3 was not refused by the firewall"
}

must_pass() { # ADDRESS PORT
    local before
    count allowed
    before=$packets
    tcp "$@" || stop "the model API at $1 port $2 cannot be reached (has its address changed? see the README)"
    count allowed
    ((packets > before)) || stop "$1 port $2 was reached past the firewall"
}

# Documentation addresses: nobody has them, so a probe that got out would harm nobody and be found out.
elsewhere4=192.0.2.1
elsewhere6=2001:db8::1

# Prints a port of an address that no rule allows.
closed_port() { # ADDRESS
    local to candidate
    to=$(destination "$1")
    for candidate in 22 80 443 8080; do
        [[ $rules == *" $to tcp dport $candidate "* ]] || break
    done
    printf '%s' "$candidate"
}

must_refuse tcp "$server" "$(closed_port "$server")"
must_refuse udp "$server" "$port"
must_refuse tcp "$elsewhere4" 443
must_refuse tcp "$elsewhere4" 53
must_refuse udp "$elsewhere4" 53
for model in "${models[@]}"; do
    must_refuse tcp "${model% *}" "$(closed_port "${model% *}")"
done

# Whoever resolves names here must be out of reach; one over IPv6 is covered by the probes of IPv6.
while read -r key resolver _ || [[ -n $key ]]; do
    if [[ $key == nameserver && $resolver != *:* && $resolver != 127.0.0.1 ]]; then
        must_refuse udp "$resolver" 53
        must_refuse tcp "$resolver" 53
    fi
done </etc/resolv.conf

# Without a route a probe over IPv6 does not get as far as the firewall. `ip` says so with 2.
route_code=0
route=$(ip -6 route get "$elsewhere6" 2>/dev/null) || route_code=$?
if [[ $route_code == 0 && $route == *"$elsewhere6"* ]]; then
    must_refuse tcp "$elsewhere6" 443
    must_refuse udp "$elsewhere6" 53
elif [[ $route_code != 2 ]]; then
    stop "whether there is a way out over IPv6 cannot be told"
fi

# The token goes through standard input, so that no list of processes shows it.
count allowed
before=$packets
status=$(printf 'header = "Authorization: Bearer %s"\n' "$token" |
    "${drop[@]}" curl --silent --noproxy '*' --ipv"$([[ $server == *:* ]] && echo 6 || echo 4)" --max-time 10 \
        --output /dev/null --write-out '%{http_code}' --config - "http://$host:$port/health") || status=${status:-000}
case $status in
    200) ;;
    401) stop "obsearch does not know the token" ;;
    403) stop "obsearch does not accept the name $host:$port; start it with --allowed-host $host:$port" ;;
    *) stop "obsearch does not answer at $server port $port (is it running, and does the host's firewall let the container in?)" ;;
esac
count allowed
((packets > before)) || stop "obsearch was reached past the firewall"

for model in "${models[@]}"; do must_pass "${model% *}" "${model#* }"; done

# --- the agent -----------------------------------------------------------------------------------------------

# From this line on no process in the container has a privilege. tini, as the agent, reaps what it leaves behind.
exec "${drop[@]}" tini -- "$@"
