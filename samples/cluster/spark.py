"""A batch with Spark: each task processes one shard of the list.

    spark-submit spark.py [thumbnail|render|pyramid|crops] list.jsonl out results [--shards N]

The list can be on any file system that Spark reads: Spark copies it to each worker. Images and outputs are on a file system
that all workers share. Every task reads the whole list, as shards do, so that items that are listed twice are found, and
results have the line numbers of the list. Paths are relative to VIEWPORT_ROOT (default: the current folder). VIEWPORT is
the program (default: viewport).
"""

import argparse
import os
import subprocess
import sys

from pyspark import SparkFiles
from pyspark.sql import SparkSession

JOBS = {
    "thumbnail": ["--size", "256", "--size", "1024", "--output", "{out}/{{dir}}/{{name}}-{{size}}.jpg"],
    "render": ["--output", "{out}/{{id}}.png"],
    "pyramid": ["--output", "{out}/{{dir}}/{{name}}.dzi"],
    # CROPS is the number of crops of all shards together.
    "crops": [
        "--size", os.environ.get("CROP_SIZE", "512"), "--count", os.environ.get("CROPS", "100000"), "--seed", "7",
        "--output", "{out}/crops-{{shard}}.tar", "--resume", "--json",
    ],
}

# Exit codes with complete results: success, or some items failed.
COMPLETE = (0, 3)


def command(program, root, job, out, name, shard, shards):
    options = [option.format(out=out) for option in JOBS[job]]
    return [
        program, job, "--manifest", SparkFiles.get(name), "--root", root, "--shard", f"{shard}/{shards}", "--jobs", "1",
        *options,
    ]  # fmt: skip


def results(arguments):
    """Returns the results of one process as lines; a process that fails fails its task, which Spark repeats."""
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        for line in process.stdout:
            yield line.rstrip("\n")
    if process.returncode not in COMPLETE:
        raise RuntimeError(f"{arguments[0]} ended with {process.returncode}")


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in JOBS:
        arguments.insert(0, "thumbnail")
    parser = argparse.ArgumentParser(description="Processes a list of images with Spark.")
    parser.add_argument("job", choices=list(JOBS))
    parser.add_argument("list")
    parser.add_argument("out")
    parser.add_argument("results")
    parser.add_argument("--shards", "--partitions", type=int, default=16)
    chosen = parser.parse_args(arguments)
    program = os.environ.get("VIEWPORT", "viewport")
    root = os.path.abspath(os.environ.get("VIEWPORT_ROOT", "."))
    out, name, job, shards = os.path.abspath(chosen.out), os.path.basename(chosen.list), chosen.job, chosen.shards
    spark = SparkSession.builder.appName(f"viewport {job}").getOrCreate()
    context = spark.sparkContext
    context.addFile(chosen.list)
    lines = context.parallelize(range(shards), shards).flatMap(
        lambda shard: results(command(program, root, job, out, name, shard, shards))
    )
    lines.saveAsTextFile(chosen.results)
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())
