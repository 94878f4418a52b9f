#!/usr/bin/env python3
"""Checks that an import accounts for each file of a mixed tree, also after it was killed many times.

    Benchmarks/peers/accounting.py PROGRAM [--files 100000] [--kills 0] [--move] [--folder /dev/shm] [--seed 1]

Makes photos, raw files beside photos, sidecars, copies, hard links, symbolic links, files that are empty, damaged, hidden or no
photos, names that are not UTF-8, and the same names in many folders. Then imports them. Each entry of the tree must have one
outcome; its bytes must be in the library unless it was refused; and the ledger must have the same. With --kills, the import is
killed at random moments before it ends; in between, every file of the library must have the bytes of a source.
"""

import argparse
import collections
import hashlib
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def tiff(make, date, raw=False):
    """A TIFF header with a camera and a date, as in EXIF; a raw file has an image of one pixel, too."""
    texts = [(0x010F, make), (0x0110, b"Model 1")]
    exif = [(0x9003, date), (0x9291, b"%03d" % random.randrange(1000))]
    numbers = [(0x100, 1), (0x101, 1), (0x102, 8), (0x103, 1), (0x106, 1), (0x111, 8), (0x116, 1), (0x117, 1)] if raw else []
    more = [(0xC612, 1, struct.pack("<4B", 1, 4, 0, 0))] if raw else []
    start = 16
    rows, data = [], b""
    base = start + 2 + 12 * (len(texts) + len(numbers) + len(more) + 1) + 4
    exif_at = base
    exif_data = b""
    exif_rows = []
    exif_base = exif_at + 2 + 12 * len(exif) + 4
    for tag, text in exif:
        text += b"\0"
        if len(text) <= 4:
            exif_rows.append(struct.pack("<HHI4s", tag, 2, len(text), text))
        else:
            exif_rows.append(struct.pack("<HHII", tag, 2, len(text), exif_base + len(exif_data)))
            exif_data += text + b"\0" * (len(text) % 2)
    data = struct.pack("<H", len(exif)) + b"".join(exif_rows) + b"\0\0\0\0" + exif_data
    for tag, text in texts:
        text += b"\0"
        rows.append((tag, struct.pack("<HHII", tag, 2, len(text), base + len(data))))
        data += text + b"\0" * (len(text) % 2)
    rows += [(tag, struct.pack("<HHII", tag, 4, 1, value)) for tag, value in numbers]
    rows += [(tag, struct.pack("<HHI4s", tag, kind, 4, value)) for tag, kind, value in more]
    rows.append((0x8769, struct.pack("<HHII", 0x8769, 4, 1, exif_at)))
    rows.sort()
    directory = struct.pack("<H", len(rows)) + b"".join(row for _, row in rows) + b"\0\0\0\0"
    return b"II*\0" + struct.pack("<I", start) + b"\x80" * 8 + directory + data


class Tree:
    """A folder of about `count` entries, and what is in it."""

    def __init__(self, root, count, seed):
        self.root = os.fsencode(root)
        random.seed(seed)
        with tempfile.TemporaryDirectory() as folder:
            name = f"{folder}/one.jpg"
            subprocess.run(["vips", "black", name, "8", "8"], check=True)
            self.jpeg = Path(name).read_bytes()
        self.made = 0
        self.photos = []
        folder = 0
        while self.made < count:
            self.fill(b"%s/%03d/DCIM/%dMEDIA" % (self.root, folder % 97, 100 + folder), min(150, count - self.made))
            folder += 1

    def photo(self, salt):
        date = b"20%02d:%02d:%02d %02d:%02d:%02d" % (
            random.randrange(10, 24), random.randrange(1, 13), random.randrange(1, 29),
            random.randrange(24), random.randrange(60), random.randrange(60))
        exif = b"Exif\0\0" + tiff(random.choice([b"Canon", b"NIKON", b"Apple"]), date)
        comment = b"%d" % salt
        return (b"\xff\xd8\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
                + b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + self.jpeg[2:]), date

    def write(self, path, data):
        if os.path.lexists(path):
            return
        with open(path, "wb") as file:
            file.write(data)
        self.made += 1

    def fill(self, folder, room):
        os.makedirs(folder, exist_ok=True)
        end = self.made + room
        number = 0
        while self.made < end:
            number += 1
            name = b"IMG_%04d" % number
            path = folder + b"/" + name
            kind = random.random()
            data, date = self.photo(random.getrandbits(60))
            if kind < 0.52:
                self.write(path + b".JPG", data)
                self.photos.append(path + b".JPG")
            elif kind < 0.60:
                self.write(path + b".JPG", data)
                self.write(path + b".DNG", tiff(b"Canon", date, raw=True))
                if random.random() < 0.3:
                    self.write(path + b".xmp", b"<x:xmpmeta>%d</x:xmpmeta>" % random.getrandbits(40))
            elif kind < 0.68:
                self.write(path + b".JPG", data)
                ending = random.choice([b".JPG.xmp", b".xmp", b".AAE"])
                self.write(path + ending, b"<x:xmpmeta>%d</x:xmpmeta>" % random.getrandbits(40))
            elif kind < 0.76 and self.photos:
                with open(random.choice(self.photos), "rb") as file:
                    self.write(path + random.choice([b".JPG", b" copy.jpg", b".jpeg"]), file.read())
            elif kind < 0.80 and self.photos:
                if not os.path.lexists(path + b".JPG"):
                    os.link(random.choice(self.photos), path + b".JPG")
                    self.made += 1
            elif kind < 0.83 and self.photos:
                target = random.choice([random.choice(self.photos), b"nowhere.jpg", self.root])
                if not os.path.lexists(path + b".JPG"):
                    os.symlink(target, path + b".JPG")
                    self.made += 1
            elif kind < 0.87:
                broken = random.choice([random.randbytes(200), data[: random.randrange(2, 60)], b"\xff\xd8\xff"])
                self.write(path + random.choice([b".JPG", b".PNG", b".MOV", b".DNG"]), broken)
            elif kind < 0.89:
                self.write(path + random.choice([b".JPG", b".txt", b".xmp"]), b"")
            elif kind < 0.92:
                name = random.choice([b"\xff\xfe%d", b"caf\xe9 %d", "ü%d".encode(), "u\u0308%d".encode()]) % number
                self.write(folder + b"/" + name + b".JPG", data)
            elif kind < 0.95:
                self.write(path + random.choice([b".txt", b".pdf", b"", b".THM", b".json"]), b"words %d" % number)
            elif kind < 0.97:
                self.write(folder + b"/.%s.JPG" % name, data)
            elif kind < 0.98:
                self.write(path + b".xmp", b"<x:xmpmeta>alone %d</x:xmpmeta>" % random.getrandbits(40))
            elif kind < 0.985:
                if not os.path.lexists(path + b".fifo"):
                    os.mkfifo(path + b".fifo")
                    self.made += 1
            else:
                self.write(path + b".JPG", data)
                self.write(path + b"_1.JPG", data)
                self.write(path + b"-edited.JPG", self.photo(number)[0])


def entries(root):
    """All entries but folders, by their paths; links are not followed, and hidden folders are one entry."""
    for folder, folders, names in os.walk(os.fsencode(root)):
        for name in list(folders):
            path = folder + b"/" + name
            if name.startswith(b".") or os.path.islink(path):
                folders.remove(name)
                yield path
        for name in names:
            yield folder + b"/" + name


def bytes_of(text):
    """The bytes of a path in JSON, where U+F780 to U+F7FF are bytes that are not UTF-8."""
    return b"".join(
        bytes([ord(c) - 0xF780 + 0x80]) if 0xF780 <= ord(c) <= 0xF7FF else c.encode() for c in text)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()


def digests(root):
    """The checksums of all visible regular files, by their paths."""
    found = {}
    for folder, folders, names in os.walk(os.fsencode(root)):
        folders[:] = [name for name in folders if not name.startswith(b".")]
        for name in names:
            path = folder + b"/" + name
            if not name.startswith(b".") and os.path.isfile(path) and not os.path.islink(path):
                found[path] = digest(path)
    return found


def run(program, *words, okay=(0, 3)):
    done = subprocess.run([program, "library", *words], capture_output=True)
    if done.returncode not in okay:
        sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return done.stdout


class Check:
    def __init__(self):
        self.faults = []

    def that(self, condition, sentence):
        if not condition:
            self.faults.append(sentence)
            print("FAULT", sentence, flush=True)


def account(report, tree, found, sources, library, program, check):
    """Compares the outcomes of an import with the tree before it, and returns their table."""
    rows = report["files"]
    paths = [bytes_of(row["source"]) for row in rows]
    check.that(report["discovered"] == len(found), f"discovered {report['discovered']} of {len(found)}")
    check.that(len(set(paths)) == len(paths), "a source has two outcomes")
    for path in sorted(found ^ set(paths))[:5]:
        check.that(False, f"no outcome, or no file: {path}")
    table = collections.Counter()
    own = digests(library)
    for row, path in zip(rows, paths):
        word = row["outcome"]
        if word in ("imported", "repaired"):
            word = "attached" if row["sidecarOf"] else "imported"
        elif word in ("present", "duplicate"):
            word = "present"
        elif word == "described":
            word = "attached"
        else:
            word = f"refused: {row['kind'] or 'failed'}"
        table[word] += 1
        if word.startswith("refused"):
            continue
        place = os.fsencode(library) + b"/" + bytes_of(row["path"])
        check.that(own.get(place) == sources.get(path), f"other bytes: {path} -> {place}")
    check.that(sum(table.values()) == len(found), "the sum is not that of all files")
    ledger = [json.loads(line) for line in run(program, "imports", library, str(report["import"]), "--json").splitlines()]
    same = [(a["source"], a["outcome"], a["path"]) for a in rows] == [
        (a["source"], a["outcome"], a["path"]) for a in ledger]
    check.that(same, "the ledger has other outcomes")
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--move", action="store_true")
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="accounting-", dir=chosen.folder))
    check = Check()
    try:
        started = time.time()
        card, library = work / "card", work / "library"
        tree = Tree(card, chosen.files, chosen.seed)
        found = set(entries(card))
        sources = {path: digest(path) for path in found if os.path.isfile(path)}
        every = set(sources.values())
        print(f"{len(found)} entries, made in {time.time() - started:.0f} s", flush=True)
        spare = work / "spare"
        if chosen.move and chosen.kills:
            subprocess.run(["cp", "-a", card, spare], check=True)
        words = ["import", str(library), str(card), "--json"] + (["--move"] if chosen.move else [])
        done, longest, outcomes = 0, 2.0, collections.Counter()
        while done < chosen.kills:
            child = subprocess.Popen([chosen.program, "library", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            before = time.time()
            try:
                child.wait(timeout=random.random() * longest)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                child.wait()
            took = time.time() - before
            if child.returncode != -signal.SIGKILL:
                longest = max(0.05, took)
                # It was not killed: all begins anew.
                shutil.rmtree(library)
                if chosen.move:
                    shutil.rmtree(card)
                    subprocess.run(["cp", "-a", spare, card], check=True)
                continue
            done += 1
            longest *= 1.02
            own = digests(library) if library.exists() else {}
            outcomes["before the first file" if not own else "in its midst"] += 1
            check.that(set(own.values()) <= every, f"kill {done}: a file of the library is no source")
            if chosen.move:
                left = set(digest(path) for path in entries(card) if os.path.isfile(path))
                check.that(set(own.values()) | left >= every, f"kill {done}: bytes are lost")
            if done % 10 == 0:
                print(f"{done} kills, {len(own)} files in the library", flush=True)
        if chosen.kills:
            print(f"killed {done} times: {dict(outcomes)}")
        now = set(entries(card))
        started = time.time()
        report = json.loads(run(chosen.program, *words))
        print(f"imported in {time.time() - started:.1f} s")
        table = account(report, tree, now, sources, str(library), chosen.program, check)
        own = set(digests(library).values())
        left = set(digest(path) for path in entries(card) if os.path.isfile(path))
        check.that(own | left >= every and own <= every, "bytes are lost, or new")
        for word, count in sorted(table.items()):
            print(f"{count:>9}  {word}")
        print(f"{sum(table.values()):>9}  of {len(now)} discovered")
        again = json.loads(run(chosen.program, *words))
        check.that(again["imported"] == 0, f"the same import again imports {again['imported']}")
        check.that(again["discovered"] == len(set(entries(card))) or chosen.move, "another number is discovered again")
        run(chosen.program, "verify", str(library), okay=(0,))
        if not chosen.move:
            last = run(chosen.program, "has", str(library), str(card), "--json", okay=(0, 3)).splitlines()[-1]
            print("has:", json.loads(last)["sentence"])
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{len(check.faults)} faults" if check.faults else "all accounted for")
    sys.exit(1 if check.faults else 0)


main()
