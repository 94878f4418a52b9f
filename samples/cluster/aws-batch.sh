#!/bin/bash
# An AWS Batch array job with one child per shard. The shard comes from AWS_BATCH_JOB_ARRAY_INDEX and _SIZE.
#
#   ./aws-batch.sh QUEUE /out/list.jsonl [SHARES]
set -eu
queue=$1 list=$2 shares=${3:-16}

aws batch register-job-definition --cli-input-json "file://$(dirname "$0")/aws-batch.json"
aws batch submit-job --job-name thumbnails --job-queue "$queue" --job-definition thumbnails \
    --array-properties "size=$shares" --parameters "list=$list"
