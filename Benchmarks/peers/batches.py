#!/usr/bin/env python3
"""The batch engine with many lines, and libraries with many assets.

    Benchmarks/peers/batches.py PROGRAM PHOTO [--lines 1000000] [--merged 10000000] [--assets 1000000] [--looks 100000]
        [--old OLD-PROGRAM] [--folder FOLDER]

PHOTO is any small JPEG. Prints the processor time, the wall time and the peak memory of each whole process, and its target.
0 leaves a part out. With --old, `duplicates --by looks` of another program is run, too, for the ratio. The folder needs 1.5
KB of disk space per line, 1 KB per merged result, and a directory entry per line or asset; it is removed at the end.
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

# File systems allow 65,000 links of a file.
LINKS = 50_000


def run(name, arguments, folder, expected, target=""):
    """Runs a process to its end, prints what it took, and returns its processor time."""
    start = time.monotonic()
    with open(os.path.join(folder, "log"), "wb") as log:
        process = subprocess.Popen(arguments, cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    if process.returncode not in expected:
        with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as log:
            sys.exit(f"{name}: exit code {process.returncode}: {log.read()[-500:]}")
    print(
        f"{name}: {seconds:.2f} s of CPU, {time.monotonic() - start:.2f} s, {usage.ru_maxrss / 1024:.0f} MB"
        + (f" (target: {target})" if target else ""),
        flush=True,
    )
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


def lines(program, photo, folder, count):
    """Merges results, reads lines of other shards, and resumes."""
    make(program, photo, folder, count)
    millions = count / 1e6
    results = ["done-0.jsonl", "done-1.jsonl"]
    merge = [program, "thumbnail", "merge", "--manifest", "list.jsonl", "-o", "all.jsonl", *results]
    run(f"merge of {count} results", merge, folder, (0,), f"{10 * millions:g} s, 300 MB")
    shard = [program, "thumbnail", "--root", "/none", "--shard", "0/1000", "--results", "shard.jsonl", "--manifest"]
    seconds = run(f"shard 0/1000 of {count} lines", [*shard, "list.jsonl"], folder, (0, 3))
    print(f"  {seconds / count * 1e6:.2f} µs per line (target: 1.5)")
    with open(os.path.join(folder, "views.jsonl"), "w", encoding="utf-8") as file:
        for number in range(count):
            view = {"path": f"{number}.jpg", "rect": [number % 1000, number // 1000, 512, 512], "zoom": 0.5}
            file.write(json.dumps(view) + "\n")
    views = [program, "render", "--root", "/none", "--shard", "0/1000", "--results", "shard-views.jsonl", "--manifest"]
    seconds = run(f"shard 0/1000 of {count} views", [*views, "views.jsonl"], folder, (0, 3))
    print(f"  {seconds / count * 1e6:.2f} µs per line")
    resume = [program, "thumbnail", "--manifest", "list.jsonl", "--results", "all.jsonl", "--resume"]
    run(f"--resume with {count} done lines", resume, folder, (0,), f"{5 * millions:g} s")


def merge(program, photo, folder, count):
    """Merges more results than fit into memory."""
    make(program, photo, folder, 1)
    with open(os.path.join(folder, "done-0.jsonl"), encoding="utf-8") as file:
        before, after = file.readline().split('"path":"photos/0/0.jpg"', 1)
    parts = [open(os.path.join(folder, f"many-{part}.jsonl"), "w", encoding="utf-8") for part in range(2)]
    with open(os.path.join(folder, "many.jsonl"), "w", encoding="utf-8") as manifest:
        for number in range(count):
            path = f'"path":"{path_of(number)}"'
            line = after.replace('"line":1,', f'"line":{number + 1},', 1)
            parts[number % 2].write(before + path + line)
            manifest.write(f"{{{path}}}\n")
    for file in parts:
        file.close()
    command = [program, "thumbnail", "merge", "--manifest", "many.jsonl", "-o", "many-all.jsonl"]
    target = f"{10 * count / 1e6:g} s, 300 MB"
    run(f"merge of {count} results", [*command, "many-0.jsonl", "many-1.jsonl"], folder, (0,), target)


def fill(catalog, rows):
    """Adds copies of the only asset of a catalog, with the members that each row replaces."""
    database = sqlite3.connect(catalog)
    # The index of the search is built at once.
    trigger = database.execute("SELECT sql FROM sqlite_master WHERE name = 'searchInserted'").fetchone()[0]
    database.execute("DROP TRIGGER searchInserted")
    columns = [row[1] for row in database.execute("PRAGMA table_info(asset)") if row[1] != "id"]
    first = dict(zip(columns, database.execute(f"SELECT {','.join(columns)} FROM asset").fetchone()))
    database.executemany(
        f"INSERT INTO asset({','.join(columns)}) VALUES ({','.join('?' * len(columns))})",
        ([{**first, **row}[column] for column in columns] for row in rows),
    )
    database.execute(trigger)
    database.execute("INSERT INTO search(search) VALUES ('rebuild')")
    return database


def library(program, photo, folder):
    """Makes a library of one photo."""
    os.makedirs(folder)
    shutil.copy(photo, os.path.join(folder, "photo.jpg"))
    for step in ["init", "index"]:
        command = [program, "library", step, folder, "--catalog", folder + ".sqlite"]
        subprocess.run(command, check=True, capture_output=True)
    return folder + ".sqlite"


def verify(program, photo, folder, count):
    """Verifies a library of links."""
    root = os.path.join(folder, "assets")
    catalog = library(program, photo, root)

    def rows():
        for number in range(count - 1):
            path = os.path.join(root, f"{number}.jpg")
            if number % LINKS == 0:
                source = shutil.copy(photo, path)
                status = os.stat(source)
            else:
                os.link(source, path)
            yield {"path": f"{number}.jpg", "inode": status.st_ino, "modified": status.st_mtime_ns}

    fill(catalog, rows()).commit()
    run(f"library verify of {count}", [program, "library", "verify", root, "--catalog", catalog], folder, (0,), "300 MB")


def looks(program, old, photo, folder, count):
    """Compares different looks; every fiftieth is up to eight bits from another one."""
    root = os.path.join(folder, "looks")
    catalog = library(program, photo, root)
    chance = random.Random(3)
    digests = [chance.randbytes(32) for _ in range(count)]
    database = fill(catalog, ({"path": f"{n}.jpg", "inode": n, "sha256": digest} for n, digest in enumerate(digests)))
    hashes = []
    for number in range(count):
        look = chance.getrandbits(64)
        if number % 50 == 49:
            look = hashes[-1]
            for bit in chance.sample(range(64), chance.randint(1, 8)):
                look ^= 1 << bit
        hashes.append(look)
    rows = ((digest, digest, look - (look >> 63 << 64)) for digest, look in zip(digests, hashes))
    database.executemany("INSERT INTO fingerprint VALUES (?, ?, ?)", rows)
    database.commit()
    command = ["library", "duplicates", root, "--catalog", catalog, "--by", "looks", "--distance", "6"]
    seconds = run(f"duplicates --by looks of {count}", [program, *command], folder, (0,))
    if old:
        before = run("  the other program", [old, *command], folder, (0,))
        print(f"  {before / seconds:.1f} times as fast (target: 1.8)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("photo")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--merged", type=int, default=10_000_000)
    parser.add_argument("--assets", type=int, default=1_000_000)
    parser.add_argument("--looks", type=int, default=100_000)
    parser.add_argument("--old", type=os.path.abspath)
    parser.add_argument("--folder")
    chosen = parser.parse_args()
    program, photo = os.path.abspath(chosen.program), os.path.abspath(chosen.photo)
    parts = [
        (lines, chosen.lines, (program, photo)),
        (merge, chosen.merged, (program, photo)),
        (verify, chosen.assets, (program, photo)),
        (looks, chosen.looks, (program, chosen.old, photo)),
    ]
    for part, count, arguments in parts:
        if count == 0:
            continue
        folder = tempfile.mkdtemp(dir=chosen.folder)
        try:
            part(*arguments, folder, count)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
