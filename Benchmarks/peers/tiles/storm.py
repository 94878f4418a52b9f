"""Stress test of `viewport serve`: no response is lost, memory is bounded, the cache stays consistent.

usage: storm.py PROGRAM IMAGE [MEGABYTES]

IMAGE is a large image, such as the tool `giant` makes. No phase may use more memory than MEGABYTES (default 300), or
1.5 times that for large pictures. Linux only: it reads /proc. Each phase prints a line; the exit code is 1 if a phase
failed.
"""

import asyncio
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse

PROGRAM, PATH = sys.argv[1], os.path.abspath(sys.argv[2])
MEGABYTES = int(sys.argv[3]) if len(sys.argv) > 3 else 300
IMAGE = urllib.parse.quote(os.path.basename(PATH), safe="")
PIECES = ["..", "%2e%2e", "%00", "%", "full", "max", "0", "-1", "1e9", "pct:", "9999999999", "^", "!", ",", "/", "//",
          "default.jpg", "default.exe", "info.json", IMAGE, "iiif", "3", "2", "dzi", "_files", ";9", "%252f", "nan", "a" * 300]


class Server:
    def __init__(self, cache):
        environment = dict(os.environ, XDG_CACHE_HOME=cache)
        self.process = subprocess.Popen([PROGRAM, "serve", PATH, "--port", "0", "--json"], stdout=subprocess.PIPE,
                                        env=environment)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def peak(self):
        """Peak memory in megabytes, mapped files included."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) // 1024 for line in file if line.startswith("VmHWM"))

    def end(self):
        self.process.terminate()
        return self.process.wait()


def request(target):
    return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()


async def fetch(server, target):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        writer.write(request(target))
        await writer.drain()
        head, _, body = (await asyncio.wait_for(reader.read(), 120)).partition(b"\r\n\r\n")
        length = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if length and int(length[0]) != len(body):
            raise EOFError("the response is truncated")
        return int(head.split(b" ", 2)[1]), body
    finally:
        writer.close()


async def fetch_all(server, targets, at_once):
    """The number of responses by status, or by error."""
    gate = asyncio.Semaphore(at_once)
    counts = {}

    async def one(target):
        async with gate:
            try:
                status, _ = await fetch(server, target)
            except Exception as error:
                status = type(error).__name__
            counts[status] = counts.get(status, 0) + 1

    await asyncio.gather(*(one(target) for target in targets))
    return counts


def tile(width, height):
    return f"/iiif/3/{IMAGE}/{random.randrange(width // 256) * 256},{random.randrange(height // 256) * 256},256,256/256,256/0/default.jpg"


def large(width, height, side=1500):
    """A picture of some megabytes that no other request has."""
    return f"/iiif/3/{IMAGE}/{random.randrange(width - side)},{random.randrange(height - side)},{side},{side}/max/0/default.png"


async def malformed(server, size):
    targets = ["/iiif/3/" + "/".join(random.choices(PIECES, k=random.randint(1, 8))) for _ in range(10_000)]
    counts = await fetch_all(server, targets, 100)
    return counts, set(counts) <= {200, 303, 400, 404, 501}


async def connections(server, size):
    counts = await fetch_all(server, [tile(*size) for _ in range(5_000)], 1000)
    return counts, counts == {200: 5_000}


async def leaving(server, size):
    """Clients that disconnect, immediately or during the response, while others stay."""
    async def leave(number):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(request(large(*size)))
        await writer.drain()
        if number % 2:
            await reader.read(1000)
        writer.transport.abort()

    leavers = [asyncio.create_task(leave(number)) for number in range(300)]
    counts = await fetch_all(server, [tile(*size) for _ in range(2_000)], 50)
    await asyncio.gather(*leavers, return_exceptions=True)
    return counts, counts == {200: 2_000}


async def slow(server, size):
    """Clients that never finish a request, and others that read a byte per second, while others are fast."""
    loop = asyncio.get_running_loop()

    async def open_narrow(bytes_sent):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setblocking(False)
        await loop.sock_connect(client, ("127.0.0.1", server.port))
        await loop.sock_sendall(client, bytes_sent)
        return client

    async def sip(client):
        while await loop.sock_recv(client, 1):
            await asyncio.sleep(1)

    silent = [await open_narrow(b"GET /health HT") for _ in range(200)]
    readers = [await open_narrow(request(large(*size))) for _ in range(200)]
    sips = [asyncio.create_task(sip(client)) for client in readers]
    counts = {}
    for _ in range(20):
        for status, count in (await fetch_all(server, [tile(*size) for _ in range(100)], 50)).items():
            counts[status] = counts.get(status, 0) + count
        await asyncio.sleep(0.5)
    for sipping in sips:
        sipping.cancel()
    await asyncio.gather(*sips, return_exceptions=True)
    for client in silent + readers:
        client.close()
    return counts, counts == {200: 2_000}


async def killed(server, size, cache):
    """Killed under load and restarted with the same cache, compared with a server with a new cache."""
    targets = [tile(*size) for _ in range(60)] + [large(*size) for _ in range(30)]
    work = asyncio.create_task(fetch_all(server, targets * 10, 40))
    await asyncio.sleep(1)
    server.process.kill()
    server.process.wait()
    await work
    with tempfile.TemporaryDirectory() as other:
        again, fresh = Server(cache), Server(other)
        differences = 0
        for target in targets:
            differences += await fetch(again, target) != await fetch(fresh, target)
        codes = again.end(), fresh.end()
    return {"requests": len(targets), "different": differences, "exit codes": codes}, differences == 0 and codes == (0, 0)


async def main():
    random.seed(7)
    cache = tempfile.mkdtemp()
    server = Server(cache)
    good = True
    try:
        _, body = await fetch(server, f"/iiif/3/{IMAGE}/info.json")
        info = json.loads(body)
        size = info["width"], info["height"]
        for phase, most in ((malformed, 1), (connections, 1), (leaving, 1.5), (slow, 1.5)):
            server.forget_peak()
            counts, is_good = await phase(server, size)
            is_good = is_good and server.peak() < most * MEGABYTES and (await fetch(server, "/health"))[0] == 200
            print("ok  " if is_good else "FAIL", phase.__name__, counts, f"{server.peak()} MB", flush=True)
            good &= is_good
        counts, is_good = await killed(server, size, cache)
        print("ok  " if is_good else "FAIL", killed.__name__, counts, flush=True)
        good &= is_good
    finally:
        server.process.kill()
        shutil.rmtree(cache, ignore_errors=True)
    sys.exit(0 if good else 1)


asyncio.run(main())
