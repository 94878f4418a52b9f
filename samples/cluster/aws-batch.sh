#!/bin/bash
# An AWS Batch array job with one child per shard. The shard comes from AWS_BATCH_JOB_ARRAY_INDEX and _SIZE.
#
#   ./aws-batch.sh QUEUE [thumbnail|render|pyramid] /out/list.jsonl [SHARES]
set -eu
queue=$1 job=thumbnail
shift
case $1 in thumbnail | render | pyramid) job=$1 && shift ;; esac
list=$1 shares=${2:-16}

aws batch register-job-definition --cli-input-json "file://$(dirname "$0")/aws-batch.json"
aws batch submit-job --job-name viewport --job-queue "$queue" --job-definition viewport \
    --array-properties "size=$shares" --parameters "list=$list,job=$job"
