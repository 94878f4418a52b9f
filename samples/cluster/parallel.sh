#!/bin/bash
# GNU parallel: one shard per processor at a time, on this or on other machines.
#
#   ./parallel.sh list.jsonl out [SHARES [OPTION OF PARALLEL…]]
#   ./parallel.sh list.jsonl /shared/out 64 --sshloginfile hosts --workdir .
set -eu
list=$1 out=$2 shares=${3:-16}
shift $(($# < 3 ? $# : 3))
mkdir -p "$out/results"

# Failed items (exit code 3) do not stop the run: the results list them.
seq 0 $((shares - 1)) | parallel "$@" --halt soon,fail=1 \
    "'${VIEWPORT:-viewport}' thumbnail --manifest '$list' --shard {}/$shares --jobs 1" \
    "--size 256 --size 1024 --output '$out/{dir}/{name}-{size}.jpg'" \
    "--results '$out/results/{}.jsonl' --resume || [ \$? = 3 ]"
