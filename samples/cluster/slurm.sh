#!/bin/bash
# A Slurm job array: one task a share. The share comes from SLURM_ARRAY_TASK_ID and _COUNT.
#
#   sbatch --array=0-15 slurm.sh list.jsonl out
#
# A minute before its time is over a task is told to end, and ends with the item that it is at; submitted again, it
# goes on. A task whose items did not all succeed ends with 3: its results are complete and say which.
#SBATCH --job-name=thumbnails
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --output=thumbnails-%a.log
set -eu
list=$1 out=$2
mkdir -p "$out/results"

exec "${VIEWPORT:-viewport}" thumbnail --manifest "$list" --jobs "${SLURM_CPUS_PER_TASK:-2}" \
    --size 256 --size 1024 --output "$out/{dir}/{name}-{size}.jpg" \
    --results "$out/results/$SLURM_ARRAY_TASK_ID.jsonl" --resume
