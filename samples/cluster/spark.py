"""Thumbnails with Spark: each partition of the list is piped through one process.

    spark-submit spark.py list.jsonl out results [--partitions N]

The list can be on any file system that Spark reads; photos and thumbnails are on one that all workers share. Paths are
relative to VIEWPORT_ROOT (default: the current folder). VIEWPORT is the program (default: viewport).
"""

import argparse
import os
import shlex
import sys

from pyspark.sql import SparkSession

# Exit codes with complete results: success, or some items failed.
COMPLETE = (0, 3)


def command(out):
    arguments = [
        os.environ.get("VIEWPORT", "viewport"), "thumbnail", "--manifest", "-",
        "--root", os.environ.get("VIEWPORT_ROOT", "."),
        "--size", "256", "--size", "1024", "--output", out + "/{dir}/{name}-{size}.jpg", "--jobs", "1",
    ]  # fmt: skip
    return shlex.join(arguments)


def main():
    parser = argparse.ArgumentParser(description="Makes thumbnails of a list with Spark.")
    parser.add_argument("list")
    parser.add_argument("out")
    parser.add_argument("results")
    parser.add_argument("--partitions", type=int, default=16)
    chosen = parser.parse_args()
    spark = SparkSession.builder.appName("thumbnails").getOrCreate()
    lines = spark.sparkContext.textFile(chosen.list).repartition(chosen.partitions)
    # A failed item is a result; a failed process fails its partition, which Spark retries.
    codes = "|".join(map(str, COMPLETE))
    shell = f"{command(chosen.out)}; case $? in {codes}) ;; *) exit 1 ;; esac"
    results = lines.pipe(shlex.join(["sh", "-c", shell]), checkCode=True)
    results.saveAsTextFile(chosen.results)
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())
