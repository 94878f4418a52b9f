#!/bin/bash
# GNU parallel: one shard per processor at a time, on this or on other machines.
#
#   ./parallel.sh [thumbnail|render|pyramid] list.jsonl out [SHARES [OPTION OF PARALLEL…]]
#   ./parallel.sh render list.jsonl /shared/out 64 --sshloginfile hosts --workdir .
#
# A shard whose process or machine fails is started again, up to three times, and continues. Failed items (exit code 3)
# do not stop the run: the results list them. Errors of usage (64, 66) are repeated, too, and then stop it.
set -eu
job=thumbnail
case $1 in thumbnail | render | pyramid) job=$1 && shift ;; esac
list=$1 out=$2 shares=${3:-16}
shift $(($# < 3 ? $# : 3))
mkdir -p "$out/results"
case $job in
thumbnail) options="--size 256 --size 1024 --output '$out/{dir}/{name}-{size}.jpg'" ;;
render) options="--output '$out/{id}.png'" ;;
pyramid) options="--output '$out/{dir}/{name}.dzi'" ;;
esac

# The braces of templates are not those of parallel.
seq 0 $((shares - 1)) | parallel -I ,, --retries 3 --halt soon,fail=1 "$@" \
    "'${VIEWPORT:-viewport}' $job --manifest '$list' --shard ,,/$shares --jobs 1 $options" \
    "--results '$out/results/,,.jsonl' --resume || [ \$? = 3 ]"
