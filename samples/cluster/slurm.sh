#!/bin/bash
# A Slurm job array with one task per shard. The shard comes from SLURM_ARRAY_TASK_ID and _COUNT.
#
#   sbatch --array=0-15 slurm.sh [thumbnail|render|pyramid|crops] list.jsonl out
#
# Slurm sends SIGTERM one minute before the time limit, and the task ends after the items in progress. Submit the array
# again to continue. Exit code 3: some items failed; the results are complete and list them.
#SBATCH --job-name=viewport
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --output=viewport-%a.log
set -eu
job=thumbnail
case $1 in thumbnail | render | pyramid | crops) job=$1 && shift ;; esac
list=$1 out=$2
mkdir -p "$out/results"
case $job in
thumbnail) options=(--size 256 --size 1024 --output "$out/{dir}/{name}-{size}.jpg") ;;
render) options=(--output "$out/{id}.png") ;;
pyramid) options=(--output "$out/{dir}/{name}.dzi") ;;
crops)
    # CROPS is the number of crops of all shards together.
    exec "${VIEWPORT:-viewport}" crops --manifest "$list" --jobs "${SLURM_CPUS_PER_TASK:-2}" --size "${CROP_SIZE:-512}" \
        --count "${CROPS:-100000}" --seed "${SEED:-7}" --output "$out/crops-{shard}.tar" --resume
    ;;
esac

exec "${VIEWPORT:-viewport}" "$job" --manifest "$list" --jobs "${SLURM_CPUS_PER_TASK:-2}" "${options[@]}" \
    --results "$out/results/$SLURM_ARRAY_TASK_ID.jsonl" --resume
