#!/usr/bin/env bash
# Tests the setup of samples/deploy: nginx with its configuration in front of two servers that share a cache folder,
# nginx and Caddy with a server below a path, and systemd's check of the unit. Tests/container.sh tests the container.
#
#   Tests/deploy.sh [PROGRAM]
#
# Needs nginx and curl, and installs them if it can. All servers listen on loopback and end with the test. Skips checks
# that cannot run, with the reason.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() { printf '\n******** SKIPPED: deploy test: %s ********\n\n' "$1" >&2; }

viewport=$(realpath "${1:-.build/release/viewport}")
hint="swift build -c release --product viewport --enable-all-traits"
[ -x "$viewport" ] || { echo "$viewport is not built: $hint" >&2; exit 66; }
code=0
"$viewport" serve /no/such/folder 2>/dev/null || code=$?
[ "$code" != 69 ] || { echo "$viewport was built without its server: $hint" >&2; exit 66; }
if ! command -v nginx curl >/dev/null || ! nginx -v 2>/dev/null; then
    { [ "$(id -u)" = 0 ] && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx-light curl \
        >/dev/null 2>&1; } || { missing "nginx is not installed"; exit 0; }
fi

work=$(mktemp -d)
# The worker processes of nginx run as another user, who needs access to the cache.
chmod 755 "$work"
processes=()
finish() {
    for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
    for process in "${processes[@]}"; do wait "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT
fail() { echo "deploy test: $1" >&2; tail -n 20 "$work"/*.log >&2 || true; exit 1; }
is() { [ "$1" = "$2" ] || fail "$3: \"$1\" instead of \"$2\""; }

# An image in a folder: the slash and the space of its identifier are percent-encoded.
mkdir -p "$work/images/deep"
python3 - "$work/images/deep/a b.png" <<'END'
import struct, sys, zlib
def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
rows = b"".join(b"\0" + bytes((x * y + band * x) % 256 for x in range(1200) for band in range(3)) for y in range(900))
with open(sys.argv[1], "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1200, 900, 8, 2, 0, 0, 0))
               + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
END

serve() {
    XDG_CACHE_HOME="$work/cache" "$viewport" serve "$work/images" --port 0 --json --base-url http://images.example.org >"$work/$1.json" 2>"$work/$1.log" &
    processes+=($!)
    for _ in $(seq 100); do [ -s "$work/$1.json" ] && break; sleep 0.1; done
    sed 's/.*"port":\([0-9]*\).*/\1/' "$work/$1.json"
}
serve one >"$work/one.port"
serve two >"$work/two.port"
one=$(cat "$work/one.port") two=$(cat "$work/two.port")
front=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# The configuration with other ports and another folder.
sed -e "s|127.0.0.1:8081|127.0.0.1:$one|; s|127.0.0.1:8082|127.0.0.1:$two|; s|listen 80;|listen 127.0.0.1:$front;|" \
    -e "s|/var/cache/nginx/viewport|$work/kept|" samples/deploy/nginx.conf >"$work/viewport.conf"
cat >"$work/nginx.conf" <<END
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events {}
http {
    access_log off;
    client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
    include $work/viewport.conf;
}
END
nginx -t -q -c "$work/nginx.conf" || fail "nginx refuses the configuration"
nginx -c "$work/nginx.conf" &
processes+=($!)
for _ in $(seq 100); do curl -sf "http://127.0.0.1:$front/health" >/dev/null && break; sleep 0.1; done

image=iiif/3/deep%2Fa%20b.png
get() { curl -sf -H 'Host: images.example.org' "http://127.0.0.1:$front/$1"; }
status() { curl -s -o /dev/null -w '%{http_code}' -H "Host: ${host:-images.example.org}" "${@:2}" "http://127.0.0.1:$front/$1"; }

get "$image/info.json" >"$work/info.json" || fail "there is no info.json behind nginx"
id=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])' <"$work/info.json")
is "$id" "http://images.example.org/$image" "the image's address behind nginx"
tiles=(full/300,/0/default.jpg 0,0,512,512/256,256/0/default.jpg 512,256,300,300/max/90/default.png)
for tile in "${tiles[@]}"; do
    get "$image/$tile" >"$work/tile" || fail "there is no $tile behind nginx"
    for port in "$one" "$two"; do
        curl -sf "http://127.0.0.1:$port/$image/$tile" | cmp - "$work/tile" || fail "$tile differs behind nginx"
    done
    "$viewport" render "$work/images/deep/a b.png" --iiif "$tile" -o - | cmp - "$work/tile" || fail "$tile differs from render"
done
is "$(status "$image/full/0,/0/default.jpg")" 400 "a size of zero"
is "$(status metrics)" 403 "metrics from outside"
is "$(host=other.example status "$image/info.json")" 421 "a foreign host name"
tag=$(curl -sf -o /dev/null -D - -H 'Host: images.example.org' "http://127.0.0.1:$front/$image/${tiles[0]}" |
    tr -d '\r' | sed -n 's/^etag: //Ip')
is "$(status "$image/${tiles[0]}" -H "If-None-Match: $tag")" 304 "a tile that the client has"

# Cached tiles are served after the servers have ended.
kill "${processes[@]:0:2}"
wait "${processes[@]:0:2}" || fail "a server failed"
for tile in "${tiles[@]}"; do
    get "$image/$tile" >"$work/kept.tile" || fail "$tile is not in nginx's cache"
done
cmp "$work/tile" "$work/kept.tile" || fail "the cached tile differs"
echo "deploy test: nginx in front of two servers serves the tiles of one, under its own address"

# Below a path: behind nginx, and behind Caddy where it is installed or can be.
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
XDG_CACHE_HOME="$work/cache" "$viewport" serve "$work/images" --port 0 --json --base-url http://images.example.org/scans \
    >"$work/below.json" 2>"$work/below.log" &
processes+=($!)
for _ in $(seq 100); do [ -s "$work/below.json" ] && break; sleep 0.1; done
below=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$work/below.json")
check_below() {
    front=$2
    for _ in $(seq 100); do [ "$(status scans/health)" = 200 ] && break; sleep 0.1; done
    is "$(status scans)" 301 "the path without a slash behind $1"
    is "$(status scans/)" 200 "the index behind $1"
    is "$(status scans/metrics)" 403 "metrics from outside behind $1"
    get "scans/$image/info.json" | grep -q "\"id\": *\"http://images.example.org/scans/$image\"" || fail "the id is wrong behind $1"
    get "scans/presentation/deep/manifest.json" | grep -q "http://images.example.org/scans/$image/full/max" ||
        fail "the manifest is wrong behind $1"
    get "scans/$image/${tiles[1]}" | cmp - <(curl -sf "http://127.0.0.1:$below/$image/${tiles[1]}") || fail "a tile differs behind $1"
    echo "deploy test: $1 serves a path of a host"
}
nginx_front=$(free)
sed -e "s|127.0.0.1:8080|127.0.0.1:$below|; s|listen 80;|listen 127.0.0.1:$nginx_front;|" \
    samples/deploy/nginx-subpath.conf >"$work/viewport.conf"
sed -i "s|nginx.pid|below.pid|" "$work/nginx.conf"
nginx -t -q -c "$work/nginx.conf" || fail "nginx refuses the configuration of a path"
nginx -c "$work/nginx.conf" &
processes+=($!)
check_below nginx "$nginx_front"
if command -v caddy >/dev/null || { [ "$(id -u)" = 0 ] && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends caddy >/dev/null 2>&1; }; then
    caddy_front=$(free)
    { printf '{\n\tadmin off\n\tauto_https off\n}\n'
      sed -e "s|^images.example.org|http://images.example.org:$caddy_front|; s|127.0.0.1:8080|127.0.0.1:$below|" \
          samples/deploy/Caddyfile; } >"$work/Caddyfile"
    XDG_DATA_HOME="$work" XDG_CONFIG_HOME="$work" caddy run --adapter caddyfile --config "$work/Caddyfile" 2>"$work/caddy.log" &
    processes+=($!)
    check_below Caddy "$caddy_front"
else
    missing "caddy is not installed"
fi

# The compose file: its health check, and what it mounts.
python3 - samples/deploy/compose.yaml <<'END' || fail "the compose file is wrong"
import sys
try:
    import yaml
except ImportError:
    sys.exit(0)
with open(sys.argv[1]) as file:
    services = yaml.safe_load(file)["services"]
for name, service in services.items():
    assert service["read_only"] and service["volumes"][0].endswith(":/images:ro"), name
    assert service["mem_limit"] and service["healthcheck"]["test"][0] == "CMD", name
END
health=$(sed -n "s/^ *- '\(exec 3<>.*\)'$/\1/p" samples/deploy/compose.yaml)
[ -n "$health" ] || fail "the compose file has no health check"
bash -c "${health//8080/$below}" || fail "the health check fails"
! bash -c "${health//8080/1}" 2>/dev/null || fail "the health check succeeds without a server"
echo "deploy test: the health check of the compose file works"

# The first stage of the container installs what the package manifest names, by samples/setup.
grep -q "samples/setup" samples/deploy/Containerfile || fail "the container lacks samples/setup"
for package in $(sed -n 's/.*apt: "\([^"]*\)".*/\1/p' Package.swift) libcurl4-openssl-dev libsqlite3-dev; do
    grep -q "^$package " samples/setup || fail "samples/setup lacks $package"
done

if command -v systemd-analyze >/dev/null; then
    sed "s|/usr/local/bin/viewport|$viewport|" "samples/deploy/viewport@.service" >"$work/viewport@.service"
    complaints=$(systemd-analyze verify "$work/viewport@.service" 2>&1) || fail "systemd: $complaints"
    is "$complaints" "" "warnings of systemd about the unit"
    echo "deploy test: systemd accepts the unit"
else
    missing "systemd-analyze is not installed"
fi
