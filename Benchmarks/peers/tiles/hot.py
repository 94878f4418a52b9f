"""Load on `viewport serve`: a hot set of tiles, all tiles, 2,000 clients at once, and unknown names in a large folder.

usage: hot.py PROGRAM IMAGE [OLD-PROGRAM]

IMAGE is a JPEG of 20000x15000, such as the tool `giant` makes; an older program is measured in the same rounds. Needs wrk.
Prints a line of JSON for each program: tiles per second and CPU per tile of 64 tiles and of all tiles, with 8 connections; the
percentiles of 2,000 clients that connect at the same time and each request one of the 64 tiles; the CPU of a 404 in a folder
of 50,000 images. Medians of 5 rounds. Linux only: it reads /proc.
"""

import json
import os
import random
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PROGRAMS, IMAGE = sys.argv[1:2] + sys.argv[3:4], os.path.abspath(sys.argv[2])
ROUNDS, CLIENTS, SECONDS = 5, 2_000, 4
NAME = os.path.basename(IMAGE)
HOT = [f"/iiif/3/{NAME}/{256 * (8 + x)},{256 * (8 + y)},256,256/256,256/0/default.jpg" for x in range(8) for y in range(8)]
SCRIPT = """
local paths = {%s}
function request() return wrk.format("GET", paths[math.random(#paths)]) end
function done(summary, latency)
  io.write(string.format('{"requests":%%d,"rate":%%.0f,"errors":%%d}\\n', summary.requests,
    summary.requests / (summary.duration / 1e6), summary.errors.status + summary.errors.connect + summary.errors.read))
end
"""


class Server:
    def __init__(self, program, folder, cache):
        self.process = subprocess.Popen(
            [program, "serve", folder, "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=dict(os.environ, XDG_CACHE_HOME=cache))
        self.port = json.loads(self.process.stdout.readline())["port"]

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def status(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
                answer.read()
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def end(self):
        self.process.terminate()
        self.process.wait()


def rate(server, script):
    before = server.cpu()
    found = subprocess.run(
        ["wrk", "-t1", "-c8", f"-d{SECONDS}", "-s", script, f"http://127.0.0.1:{server.port}"],
        check=True, capture_output=True, text=True)
    answer = json.loads(found.stdout.strip().splitlines()[-1])
    if answer["errors"]:
        sys.exit(f"wrk: {answer['errors']} errors")
    return {"rate": answer["rate"], "cpu": (server.cpu() - before) / answer["requests"] * 1000}


def burst(server):
    """The times of clients that connect together, from the call of connect to the end of the answer, in seconds."""
    selector, times, start = selectors.DefaultSelector(), [], {}
    for number in range(CLIENTS):
        client = socket.socket()
        client.setblocking(False)
        start[client] = time.monotonic()
        client.connect_ex(("127.0.0.1", server.port))
        request = f"GET {HOT[number % len(HOT)]} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        selector.register(client, selectors.EVENT_WRITE, [request.encode(), b""])
    while selector.get_map():
        for key, _ in selector.select(60):
            if key.data[0]:
                key.fileobj.send(key.data[0])
                key.data[0] = b""
                selector.modify(key.fileobj, selectors.EVENT_READ, key.data)
                continue
            piece = key.fileobj.recv(1 << 18)
            key.data[1] = key.data[1] or piece[:12]
            if not piece:
                if key.data[1] != b"HTTP/1.1 200":
                    sys.exit(f"a client got {key.data[1]}")
                times.append(time.monotonic() - start[key.fileobj])
                selector.unregister(key.fileobj)
                key.fileobj.close()
    return sorted(times)


def measure(program, folder):
    found = {}
    server = Server(program, os.path.dirname(IMAGE), tempfile.mkdtemp(dir=folder))
    for path in HOT:
        assert server.status(path) == 200
    for name, paths in [("hot", HOT), ("all", None)]:
        script = os.path.join(folder, f"{name}.lua")
        every = [
            f"/iiif/3/{NAME}/{256 * x},{256 * y},256,256/256,256/0/default.jpg" for x in range(78) for y in range(58)]
        with open(script, "w") as file:
            file.write(SCRIPT % ",".join(f'"{path}"' for path in paths or every))
        found.update({f"{name}-{key}": value for key, value in rate(server, script).items()})
    times = burst(server)
    found.update({"burst-p50": times[CLIENTS // 2], "burst-p99": times[CLIENTS * 99 // 100], "burst-last": times[-1]})
    server.end()
    server = Server(program, os.path.join(folder, "many"), tempfile.mkdtemp(dir=folder))
    server.status("/iiif/3/none/info.json")
    before = server.cpu()
    for _ in range(300):
        assert server.status(f"/iiif/3/none-{random.random()}/info.json") == 404
    found["unknown-cpu"] = (server.cpu() - before) / 300 * 1000
    server.end()
    return found


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "many"))
    # Their contents do not matter: they are looked up by name.
    first = os.path.join(folder, "many", "0.jpg")
    with open(first, "wb") as file:
        file.write(b"\xff\xd8")
    for number in range(1, 50_000):
        os.link(first, os.path.join(folder, "many", f"{number}.jpg"))
    rounds = [[measure(program, folder) for program in PROGRAMS] for _ in range(ROUNDS)]
    for index, program in enumerate(PROGRAMS):
        medians = {key: statistics.median(one[index][key] for one in rounds) for key in rounds[0][index]}
        print(json.dumps({"program": program} | {key: round(value, 3) for key, value in medians.items()}))
