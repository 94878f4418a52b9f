#!/usr/bin/env python3
"""The batch engine with many lines: merge, lines of other shards, and --resume.

    Benchmarks/peers/batches.py PROGRAM PHOTO [--lines 1000000] [--folder FOLDER]

PHOTO is any small JPEG. Prints the processor time, the wall time and the peak memory of each whole process, with the targets
per million lines: merge 10 s and 300 MB, 1.5 µs for a line of another shard, --resume 5 s. The folder needs 1.5 KB per line
of disk space and one directory entry per line; it is removed at the end.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# File systems allow 65,000 links of a file.
LINKS = 50_000


def run(name, arguments, folder, expected):
    """Runs a process to its end and prints what it took."""
    start = time.monotonic()
    with open(os.path.join(folder, "log"), "wb") as log:
        process = subprocess.Popen(arguments, cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    if process.returncode not in expected:
        with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as log:
            sys.exit(f"{name}: exit code {process.returncode}: {log.read()[-500:]}")
    print(f"{name}: {seconds:.2f} s of CPU, {time.monotonic() - start:.2f} s, {usage.ru_maxrss / 1024:.0f} MB", flush=True)
    return seconds


def path_of(number):
    return f"photos/{number // 1000}/{number % 1000}.jpg"


def make(program, photo, folder, lines):
    """Makes photos, a list of them, and the results of two runs over it."""
    for number in range(lines):
        path = os.path.join(folder, path_of(number))
        if number % 1000 == 0:
            os.makedirs(os.path.dirname(path))
        if number % LINKS == 0:
            source = shutil.copy(photo, path)
        else:
            os.link(source, path)
    with open(os.path.join(folder, "list.jsonl"), "w", encoding="utf-8") as file:
        for number in range(lines):
            file.write(f'{{"path":"{path_of(number)}"}}\n')
    subprocess.run(
        [program, "thumbnail", path_of(0), "--results", "one.jsonl"], cwd=folder, check=True, capture_output=True
    )
    with open(os.path.join(folder, "one.jsonl"), encoding="utf-8") as file:
        result = json.loads(file.readline())
    for part in range(2):
        with open(os.path.join(folder, f"done-{part}.jsonl"), "w", encoding="utf-8") as file:
            for number in range(part, lines, 2):
                if number % LINKS < 2:
                    status = os.stat(os.path.join(folder, path_of(number)))
                    result["source"] = {"bytes": status.st_size, "modified": status.st_mtime_ns // 1000}
                result["path"], result["line"] = path_of(number), number + 1
                file.write(json.dumps(result, separators=(",", ":")) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("photo")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--folder")
    chosen = parser.parse_args()
    program, photo = os.path.abspath(chosen.program), os.path.abspath(chosen.photo)
    folder = tempfile.mkdtemp(dir=chosen.folder)
    try:
        make(program, photo, folder, chosen.lines)
        results = ["done-0.jsonl", "done-1.jsonl"]
        merge = [program, "thumbnail", "merge", "--manifest", "list.jsonl", "-o", "all.jsonl", *results]
        run(f"merge of {chosen.lines} results", merge, folder, (0,))
        shard = [program, "thumbnail", "--root", "/none", "--shard", "0/1000", "--results", "shard.jsonl", "--manifest"]
        seconds = run(f"shard 0/1000 of {chosen.lines} lines", [*shard, "list.jsonl"], folder, (3,))
        print(f"  {seconds / chosen.lines * 1e6:.2f} µs per line")
        resume = [program, "thumbnail", "--manifest", "list.jsonl", "--results", "all.jsonl", "--resume"]
        run(f"--resume with {chosen.lines} done lines", resume, folder, (0,))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
