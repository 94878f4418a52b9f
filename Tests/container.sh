#!/usr/bin/env bash
# Builds the container of samples/deploy, starts its server and fetches a tile.
#
#   Tests/container.sh PACKAGE.deb|PROGRAM
#
# Installs the package that .ci/package made, or makes one of a static release build, and compiles nothing. Builds with
# podman or docker if either can get the base image. Otherwise runs the steps of the Containerfile's last stage in a
# Debian root of .ci/root, which needs to be root. The server runs in a network namespace that has only loopback.
# Skips with the reason if that is impossible.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 1 ] || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "$0" >&2; exit 64; }
input=$(realpath "$1")
containerfile=samples/deploy/Containerfile

fail() { echo "container test: $1" >&2; [ ! -f "$work/log" ] || tail -n 20 "$work/log" >&2; exit 1; }
skip() { printf '\n******** SKIPPED: container test: %s ********\n\n' "$1" >&2; exit 0; }

mkdir -p .build
work=$(mktemp -d "$PWD/.build/container.XXXXXX")
server=
finish() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
    rm -rf --one-file-system "$work"
}
trap finish EXIT

mkdir "$work/package"
case $input in
*.deb) cp "$input" "$work/package" ;;
*) PROGRAM=$input .ci/package "$work/made" >"$work/log" 2>&1 || fail "$input cannot be packed"
   cp "$work"/made/viewport_*.deb "$work/package" ;;
esac

# The instructions of the last stage, one a line: NAME, a tab, and the value without continuations and comments.
python3 - "$containerfile" >"$work/steps" <<'PYTHON'
import re, sys
text = "".join(line for line in open(sys.argv[1]) if not line.startswith("#"))
steps = [line.split(None, 1) for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]
last = max(index for index, (name, _) in enumerate(steps) if name == "FROM")
for name, value in steps[last:]:
    print(name, value.strip(), sep="\t")
PYTHON
value() { sed -n "s/^$1\t//p" "$work/steps"; }
# A JSON list of strings as words of the shell.
words() { python3 -c 'import json, shlex, sys; print(shlex.join(json.loads(sys.stdin.read() or "[]")))'; }

root=$work/root
start=$SECONDS
# With a builder: builds the image.
base=$(value FROM) builder=
for candidate in podman docker; do
    command -v $candidate >/dev/null && timeout 20 $candidate info >/dev/null 2>&1 || continue
    $candidate image inspect "$base" >/dev/null 2>&1 || timeout 60 $candidate pull -q "$base" >/dev/null 2>&1 || continue
    builder=$candidate
    break
done
if [ -n "$builder" ]; then
    tag=localhost/viewport-test-$$
    # Podman needs no container runtime and no control groups for this, which other containers often lack.
    isolation=()
    [ $builder != podman ] || isolation=(--isolation chroot)
    $builder build "${isolation[@]}" --build-arg from=deb -f "$containerfile" -t "$tag" "$work/package" >"$work/log" 2>&1 ||
        fail "$builder cannot build $containerfile"
    container=$($builder create "$tag")
    mkdir "$root"
    $builder export "$container" | tar -C "$root" -xpf -
    $builder rm "$container" >/dev/null
    $builder rmi "$tag" >/dev/null
    echo "container test: built by $builder in $((SECONDS - start)) s"
else
    code=0
    .ci/image "$work"/package/viewport_*.deb "$work/image.tar" "$root" >"$work/log" 2>&1 || code=$?
    [ "$code" != 75 ] || skip "$(tail -n 1 "$work/log")"
    [ "$code" = 0 ] || fail ".ci/image fails"
    echo "container test: built by .ci/image in $((SECONDS - start)) s: $(($(stat -c %s "$work/image.tar") >> 20)) MB," \
        "in a system of $(du -sxm "$root" | cut -f 1) MB"
    if command -v skopeo >/dev/null; then
        skopeo inspect --config "oci-archive:$work/image.tar" >"$work/config" || fail "skopeo refuses the image"
        python3 - "$work/config" "$(value ENTRYPOINT)" "$(value USER)" <<'PYTHON' || fail "the image has another configuration"
import json, sys
config = json.load(open(sys.argv[1]))["config"]
assert config["Entrypoint"] == json.loads(sys.argv[2]) and config["User"] == sys.argv[3], config
PYTHON
        skopeo copy -q --insecure-policy "oci-archive:$work/image.tar" "dir:$work/copied" || fail "skopeo cannot copy the image"
        echo "container test: skopeo reads and copies the archive"
    fi
fi

unshare -n true 2>/dev/null || skip "network namespaces are not permitted here; the image was built"
mkdir -p "$root/images"
cp samples/lake.jpg "$root/images"
read -ra environment <<<"$(value ENV | tr '\n' ' ')"
eval "entry=($(value ENTRYPOINT | words) $(value CMD | words))"
# shellcheck disable=SC2154
as=(.ci/root run "$root" env "${environment[@]}" setpriv "--reuid=$(value USER)" "--regid=$(value USER)" --init-groups)
loopback='import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh", b"lo", 0x49))'
# Every step replaces its process, so that the id is the server's.
unshare -n bash -c 'python3 -c "$0" && exec "$@"' "$loopback" "${as[@]}" "${entry[@]}" >"$work/log" 2>&1 </dev/null &
server=$!
get() { nsenter --net --target "$server" curl -sf "http://127.0.0.1:$(value EXPOSE)/$1"; }
for _ in $(seq 200); do
    kill -0 "$server" 2>/dev/null || fail "the server does not start"
    get health >/dev/null 2>&1 && break
    sleep 0.05
done
get health | grep -q '"ok"' || fail "the server does not answer"
tile=0,0,512,512/256,/0/default.jpg
get "iiif/3/lake.jpg/info.json" | grep -q '"level2"' || fail "there is no info.json"
get "iiif/3/lake.jpg/$tile" >"$work/tile" || fail "there is no tile"
"${as[@]}" viewport render /images/lake.jpg --iiif "$tile" -o - 2>"$work/log" </dev/null | cmp - "$work/tile" ||
    fail "the tile differs from render"
kill "$server"
wait "$server" || fail "the server does not end with SIGTERM"
server=
echo "container test: the server answers with the tile that render makes, and ends with SIGTERM"
