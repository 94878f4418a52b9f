"""Random tiles at full resolution: `viewport serve` beside iipsrv, and the first seconds of an image that is new to a server.

usage: random_tiles.py PROGRAM IMAGE [ROUNDS]

IMAGE is a JPEG of 20000x15000, such as the tool `giant` makes. The other server is IIPSRV, a built iipsrv.fcgi or its checkout,
else Debian's iipimage-server 1.1; two processes behind nginx. Both read the same pyramid TIFF, viewport the JPEG, too. Needs
wrk, nginx and vips. Prints a line of JSON for each case: tiles per second, and the 50th and 99th percentile of the times in
milliseconds; medians of the rounds, and the median of the ratios to iipsrv in each round. "cold" is the JPEG in a server that
starts with an empty cache: its first three seconds, and the ratio to the rate of the server that knows it. Linux only.
"""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM, IMAGE = sys.argv[1], Path(sys.argv[2]).resolve()
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
SECONDS, COLD_SECONDS = 4, 3
SCRIPT = Path(__file__).with_name("tiles.lua")
NGINX = """
daemon off; worker_processes 2; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; fastcgi_temp_path {folder}/fastcgi; proxy_temp_path {folder}/proxy;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream tiles {{ least_conn; server 127.0.0.1:{first}; server 127.0.0.1:{second}; }}
  server {{
    listen 127.0.0.1:{port};
    location /fcgi-bin/ {{
      fastcgi_pass tiles;
      fastcgi_param QUERY_STRING $query_string; fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param SERVER_PROTOCOL $server_protocol; fastcgi_param HTTP_HOST $host;
    }}
  }}
}}
"""


def peer():
    """The program and the name of the other server."""
    if given := os.environ.get("IIPSRV"):
        found = [path for path in (Path(given), Path(given) / "src" / "iipsrv.fcgi") if path.is_file()]
        if not found:
            sys.exit(f"IIPSRV: {given} is neither a program nor a checkout with a built src/iipsrv.fcgi")
        return str(found[0]), "iipsrv of IIPSRV"
    debian = Path("/usr/lib/iipimage-server/iipsrv.fcgi")
    return (str(debian), "Debian's iipsrv 1.1") if debian.exists() else (None, None)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port):
    for _ in range(500):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.01)
    sys.exit(f"nothing listens at port {port}")


class Viewport:
    def __init__(self, folder, cache):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", folder, "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=dict(os.environ, XDG_CACHE_HOME=str(cache)))
        self.port = json.loads(self.process.stdout.readline())["port"]

    def load(self, image, seconds=SECONDS):
        return wrk(self.port, {"SERVER": "viewport", "IMAGE": image}, seconds)

    def end(self):
        self.process.terminate()
        self.process.wait()


class Iipsrv:
    def __init__(self, program, folder):
        ports = [free_port() for _ in range(3)]
        self.port = ports[2]
        environment = dict(os.environ, VERBOSITY="0", LOGFILE="/dev/null", MAX_IMAGE_CACHE_SIZE="0", JPEG_QUALITY="75")
        self.processes = [
            subprocess.Popen([program, "--bind", f"127.0.0.1:{port}"], env=environment, stdout=subprocess.DEVNULL)
            for port in ports[:2]]
        configuration = folder / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, first=ports[0], second=ports[1], port=self.port))
        self.processes.append(subprocess.Popen(["nginx", "-c", str(configuration)], stderr=subprocess.DEVNULL))
        for port in ports:
            wait_for(port)

    def load(self, image):
        return wrk(self.port, {"SERVER": "iip", "IMAGE": str(image)}, SECONDS)

    def end(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


def wrk(port, variables, seconds):
    done = subprocess.run(
        ["wrk", "-t1", "-c8", f"-d{seconds}", "-s", str(SCRIPT), f"http://127.0.0.1:{port}"],
        env=dict(os.environ, **variables), check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    if answer.pop("errors"):
        sys.exit(f"errors: {done.stdout}")
    return answer


def main():
    program, name = peer()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        images = folder / "images"
        images.mkdir()
        # A link that leads out of the folder is not served.
        shutil.copy(IMAGE, images / "big.jpg")
        # Tiles of 256 as all servers of tiles use them; their quality is that of the image.
        subprocess.run(
            ["vips", "tiffsave", str(IMAGE), str(images / "big.tif"), "--tile", "--pyramid", "--compression", "jpeg",
             "--Q", "90", "--tile-width", "256", "--tile-height", "256"], check=True)
        warm = folder / "warm"
        subprocess.run([PROGRAM, "index", str(images / "big.jpg")], check=True, env=dict(os.environ, XDG_CACHE_HOME=str(warm)))
        rounds = []
        for number in range(ROUNDS):
            found = {}
            server = Viewport(str(images), folder / f"cold-{number}")
            found["viewport, JPEG, cold"] = server.load("big.jpg", COLD_SECONDS)
            server.end()
            server = Viewport(str(images), warm)
            server.load("big.jpg", 1)
            found["viewport, JPEG"] = server.load("big.jpg")
            server.load("big.tif", 1)
            found["viewport, TIFF"] = server.load("big.tif")
            server.end()
            if program and shutil.which("nginx"):
                server = Iipsrv(program, folder)
                server.load(images / "big.tif")
                found[f"{name}, TIFF"] = server.load(images / "big.tif")
                server.end()
            rounds.append(found)
    for case in rounds[0]:
        medians = {key: statistics.median(one[case][key] for one in rounds) for key in ("tiles", "p50", "p99")}
        other = "viewport, JPEG" if case.endswith("cold") else f"{name}, TIFF"
        if other in rounds[0] and other != case:
            medians[f"ratio to {other}"] = round(
                statistics.median(one[case]["tiles"] / one[other]["tiles"] for one in rounds), 2)
        print(json.dumps({"case": case} | medians))


main()
