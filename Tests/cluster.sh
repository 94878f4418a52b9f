#!/usr/bin/env bash
# Runs the scripts of samples/cluster with a real Slurm and GNU parallel, for all jobs, over 100 files, one of them
# broken, and compares their output with that of a single run, byte by byte.
#
#   Tests/cluster.sh [PROGRAM]
#
# Needs root; installs Debian's slurm-wlm and parallel if they are missing. Starts Slurm's daemons on loopback with all
# files in a temporary folder, and stops them at the end. Skips with a message if that is not possible.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { printf '\n******** SKIPPED: cluster test: %s ********\n\n' "$1" >&2; exit 0; }

export VIEWPORT
VIEWPORT=$(realpath "${1:-.build/release/viewport}")
[ -x "$VIEWPORT" ] || { echo "$VIEWPORT is not built: swift build -c release --enable-all-traits --product viewport" >&2; exit 66; }
[ "$(id -u)" = 0 ] || skip "Slurm's daemons need root"
missing=
# One at a time: `command -v` with several names succeeds if one exists.
for tool in slurmctld slurmd munged sbatch parallel vips; do command -v "$tool" >/dev/null || missing=$tool; done
if [ -n "$missing" ]; then
    command -v apt-get >/dev/null || skip "Slurm is missing and there is no apt-get"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq slurm-wlm parallel libvips-tools >/dev/null 2>&1 ||
        skip "Slurm and GNU parallel cannot be installed here"
fi

samples=$PWD/samples/cluster
work=$(mktemp -d)
daemons=()
finish() {
    for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null || true; done
    for daemon in "${daemons[@]}"; do wait "$daemon" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT
# munged checks the permissions of all parent folders of its socket.
chmod 755 "$work"

fail() { echo "cluster test: $1" >&2; tail -n 20 "$work"/*.log >&2 || true; exit 1; }

# 99 different pictures, and a file that is not a picture.
mkdir -p "$work/run/photos/sub"
cd "$work/run"
vips gaussnoise noise.v 240 130
for number in $(seq 99); do
    vips crop noise.v "photos/$([ $((number % 4)) = 0 ] && echo sub/)$number.jpg" "$number" $((number / 3)) 120 90
done
echo "no picture" >photos/broken.jpg
find photos -type f | sort | sed 's/.*/{"path":"&"}/' >list.jsonl
[ "$(wc -l <list.jsonl)" = 100 ] || fail "the list has not 100 lines"

# A line with an id for every picture of `render`: two of each file.
find photos -type f | sort | awk '{ for (n = 0; n < 2; n++)
    printf "{\"path\":\"%s\",\"id\":\"%d-%d\",\"rect\":[%d,5,40,30]}\n", $0, NR, n, n * 20 }' >render.jsonl

# The list and the options of each job.
list_of() { if [ "$1" = render ]; then echo render.jsonl; else echo list.jsonl; fi; }
options_of() {
    case $1 in
    thumbnail) options=(-s 256 -s 1024 -o "$2/{dir}/{name}-{size}.jpg") ;;
    render) options=(-o "$2/{id}.png") ;;
    pyramid) options=(-o "$2/{dir}/{name}.dzi") ;;
    esac
}

# Compares outputs and results with those of a single run.
check() {
    local job=$1 out=$2 list lines broken
    list=$(list_of "$job") lines=$(wc -l <"$(list_of "$job")")
    broken=$(grep -c broken.jpg "$list")
    diff -r "whole-$job" "$out" --exclude results || fail "$out has other files than a single run"
    code=0
    "$VIEWPORT" thumbnail merge --manifest "$list" -o "$out.jsonl" "$out"/results/*.jsonl || code=$?
    [ "$code" = 3 ] || fail "merge ended with $code instead of 3 for the broken file"
    [ "$(wc -l <"$out.jsonl")" = "$lines" ] || fail "$out has not $lines results"
    [ "$(grep -c '"status":"ok"' "$out.jsonl")" = $((lines - broken)) ] || fail "$out has too few good results"
    [ "$(grep '"status":"error"' "$out.jsonl" | grep -c '"path":"photos/broken.jpg"')" = "$broken" ] ||
        fail "$out: the broken file is not named"
    "$VIEWPORT" thumbnail verify "$out.jsonl" || fail "$out: the results do not match the files"
    echo "cluster test: $out equals a single run"
}

for job in thumbnail render pyramid; do
    code=0
    options_of "$job" "whole-$job"
    "$VIEWPORT" "$job" --manifest "$(list_of "$job")" "${options[@]}" >/dev/null || code=$?
    [ "$code" = 3 ] || fail "the single run of $job ended with $code instead of 3"
done
[ "$(find whole-thumbnail -type f | wc -l)" = 198 ] || fail "the single run has not made 198 thumbnails"
[ "$(find whole-render -type f | wc -l)" = 198 ] || fail "the single run has not made 198 pictures"
[ "$(find whole-pyramid -name '*.dzi' | wc -l)" = 99 ] || fail "the single run has not made 99 pyramids"

for job in thumbnail render pyramid; do
    "$samples/parallel.sh" "$job" "$(list_of "$job")" "parallel-$job" 7
    check "$job" "parallel-$job"
done

# Slurm: one controller, one node, this machine.
mkdir "$work/munge" "$work/state" "$work/spool"
chmod 755 "$work/munge"
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chmod 400 "$work/munge/key"
munged --foreground --force --num-threads=2 --key-file="$work/munge/key" --socket="$work/munge/socket" \
    --pid-file="$work/munge/pid" --seed-file="$work/munge/seed" --log-file="$work/munged.log" \
    >"$work/munged-start.log" 2>&1 &
daemons+=($!)
# Two free ports: the system assigns them, and closing the sockets releases them.
read -r port other < <(python3 -c '
import socket
found = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in found))')
export SLURM_CONF=$work/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$other
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
CONF
# No limits are set, but the plug-in has to load.
printf "CgroupPlugin=cgroup/v1\nCgroupMountpoint=%s\n" "$work/cgroup" >"$work/cgroup.conf"
for _ in $(seq 50); do [ -S "$work/munge/socket" ] && break; sleep 0.1; done
slurmctld -D -i >"$work/slurmctld-start.log" 2>&1 &
daemons+=($!)
slurmd -D -N node >"$work/slurmd-start.log" 2>&1 &
daemons+=($!)
for _ in $(seq 150); do
    [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] && break
    sleep 0.2
done
[ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] || fail "Slurm's node did not become idle"

# Array indices need not start at 0.
for job in thumbnail render pyramid; do
    code=0
    timeout 60 sbatch --wait --cpus-per-task=1 --array=5-7 "$samples/slurm.sh" "$job" "$(list_of "$job")" "slurm-$job" ||
        code=$?
    [ "$code" = 3 ] || { cat viewport-*.log >&2; fail "the array of $job ended with $code instead of 3 for the broken file"; }
    [ "$(find "slurm-$job/results" -name '*.jsonl' | wc -l)" = 3 ] || fail "the array of $job had not 3 tasks"
    check "$job" "slurm-$job"
done

# The crops of three shards are those of one run. There are more of them than images, so that each image is used, also the
# broken one; its crops are of other images.
code=0
"$VIEWPORT" crops --manifest list.jsonl --size 32 --count 150 --seed 7 -o whole.tar || code=$?
[ "$code" = 3 ] || fail "the single run of crops ended with $code instead of 3"
mkdir whole-crops slurm-crops-all
code=0
CROPS=150 CROP_SIZE=32 timeout 60 sbatch --wait --cpus-per-task=1 --array=0-2 "$samples/slurm.sh" crops list.jsonl slurm-crops || code=$?
[ "$code" = 3 ] || { cat viewport-*.log >&2; fail "the array of crops ended with $code instead of 3"; }
tar -xf whole.tar -C whole-crops
for shard in 0 1 2; do tar -xf "slurm-crops/crops-$shard.tar" -C slurm-crops-all; done
[ "$(find whole-crops -type f | wc -l)" = 300 ] || fail "the single run has not made 150 crops"
diff -r whole-crops slurm-crops-all || fail "the array has other crops than a single run"
echo "cluster test: the crops of an array equal those of a single run"

echo "cluster test: all well"
