"""Soak of `viewport serve --memory`: random requests over 200 images of all kinds; the resident memory stays below the limit.

usage: soak.py PROGRAM [MINUTES] [MEGABYTES]

The defaults are 10 minutes and 512 MB. The images are made with `viewport render`: PNG, JPEG, WebP, TIFF, GIF and, where
libvips writes it, AVIF, from 0.1 to 24 megapixels. Prints one line of JSON; the exit code is 1 if the
memory exceeded the limit, or a response was neither 200 nor 403 nor 503. Linux only: it reads /proc.
"""

import concurrent.futures
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zlib

PROGRAM = sys.argv[1]
MINUTES = float(sys.argv[2]) if len(sys.argv) > 2 else 10
MEGABYTES = int(sys.argv[3]) if len(sys.argv) > 3 else 512
SIZES = {"jpg": [800, 4000, 6000], "png": [600, 3000, 6000], "webp": [900, 3000, 5200], "tif": [700, 2500, 6000],
         "gif": [400, 1200], "avif": [300, 1200]}
REGIONS = ["full", "square", "pct:10,10,30,30", "pct:40,20,5,5", "0,0,300,300"]


def png(path, width, height):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    generator = random.Random(1)
    noise = generator.randbytes(width * 3 + 4096)
    rows = b"".join(b"\0" + noise[y * 7 % 4096:][:width * 3] for y in range(height))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def images(folder):
    """Makes 200 images; those of a kind are copies."""
    base = os.path.join(folder, "base.png")
    png(base, 6000, 4000)
    kinds = []
    for ending, widths in SIZES.items():
        for width in widths:
            path = os.path.join(folder, f"{width}.{ending}")
            made = subprocess.run([PROGRAM, "render", base, "--size", f"{width}x", "-o", path], capture_output=True)
            if made.returncode == 0:
                kinds.append(path)
    served = os.path.join(folder, "served")
    os.mkdir(served)
    names = []
    for number in range(200):
        kind = kinds[number % len(kinds)]
        names.append(f"{number}{os.path.splitext(kind)[1]}")
        shutil.copy(kind, os.path.join(served, names[-1]))
    return served, names


with tempfile.TemporaryDirectory() as folder:
    served, names = images(folder)
    if os.environ.get("SERVER"):
        arguments = [os.environ["SERVER"], served, "0", os.path.join(folder, "cache"), str(MEGABYTES)]
    else:
        arguments = [PROGRAM, "serve", served, "--port", "0", "--json", "--memory", f"{MEGABYTES}M"]
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache")))
    port = json.loads(process.stdout.readline())["port"]
    counts, lock, end = {}, threading.Lock(), time.monotonic() + MINUTES * 60

    def client(seed):
        generator = random.Random(seed)
        while time.monotonic() < end:
            size = generator.choice(["256,", "!240,240", "pct:20", "max" if generator.random() < 0.1 else "600,"])
            region = generator.choice(REGIONS)
            rotation = generator.choice(["0", "0", "0", "90", "33"])
            ending = generator.choice(["jpg", "jpg", "png", "webp"])
            url = (f"http://127.0.0.1:{port}/iiif/3/{generator.choice(names)}/{region}/^{size}/{rotation}/default."
                   f"{ending}")
            try:
                with urllib.request.urlopen(url, timeout=200) as answer:
                    answer.read()
                    status = answer.status
            except urllib.error.HTTPError as error:
                status = error.code
            with lock:
                counts[status] = counts.get(status, 0) + 1
            if status == 503:
                time.sleep(0.2)

    peak = 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        clients = [pool.submit(client, seed) for seed in range(8)]
        while not all(one.done() for one in clients):
            with open(f"/proc/{process.pid}/status") as file:
                peak = next(int(line.split()[1]) // 1024 for line in file if line.startswith("VmHWM"))
            time.sleep(0.5)
        for one in clients:
            one.result()
    process.terminate()
    code = process.wait()
    failed = peak > MEGABYTES or any(status not in (200, 403, 503) for status in counts)
    print(json.dumps({"minutes": MINUTES, "limit_mb": MEGABYTES, "peak_mb": peak, "exit": code,
                      "statuses": {str(status): counts[status] for status in sorted(counts)}}))
    sys.exit(1 if failed else 0)
