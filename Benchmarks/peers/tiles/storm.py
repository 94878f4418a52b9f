"""Asks a server what nobody should, from more clients than it likes; every request has to be answered.

usage: storm.py PORT IMAGE
"""

import asyncio
import random
import sys

PORT, IMAGE = int(sys.argv[1]), sys.argv[2]
PIECES = ["..", "%2e%2e", "%00", "%", "full", "max", "0", "-1", "1e9", "pct:", "9999999999", "^", "!", ",", "/", "//",
          "default.jpg", "default.exe", "info.json", IMAGE, "iiif", "3", "2", "dzi", "_files", ";9", "%252f", "nan", "a" * 300]


async def ask(target):
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    try:
        writer.write(f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        answer = await asyncio.wait_for(reader.read(), 60)
        return int(answer.split(b" ", 2)[1])
    finally:
        writer.close()


async def silent():
    """A client that begins a request and never ends it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    writer.write(b"GET /health HT")
    await writer.drain()
    return writer


async def many(name, targets, at_once):
    gate = asyncio.Semaphore(at_once)
    counts = {}

    async def one(target):
        async with gate:
            try:
                status = await ask(target)
            except Exception as error:
                status = type(error).__name__
            counts[status] = counts.get(status, 0) + 1

    await asyncio.gather(*(one(target) for target in targets))
    print(name, dict(sorted(counts.items(), key=str)))
    return all(isinstance(status, int) and status != 500 for status in counts)


async def main():
    random.seed(7)
    sleepers = [await silent() for _ in range(200)]
    malformed = ["/iiif/3/" + "/".join(random.choices(PIECES, k=random.randint(1, 8))) for _ in range(10_000)]
    tiles = [f"/iiif/3/{IMAGE}/{random.randrange(78) * 256},{random.randrange(58) * 256},256,256/256,256/0/default.jpg"
             for _ in range(5_000)]
    good = await many("malformed", malformed, 100)
    good &= await many("1000 connections", tiles, 1000)
    good &= await ask("/health") == 200
    for sleeper in sleepers:
        sleeper.close()
    sys.exit(0 if good else 1)


asyncio.run(main())
