#!/usr/bin/env python3
"""Compares parts of a large remote image: viewport on a JPEG with a sidecar, GDAL on a cloud-optimized GeoTIFF of it.

    remote.py --viewport .build/release/viewport --jpeg big.jpg

Needs nginx, GDAL (Debian: gdal-bin) and libcurl. nginx serves the files behind `shaped_proxy.py`: 50 ms round trip,
50 Mbit/s. Prints the median of each task: seconds, bytes, requests, and the share of the JPEG that was transferred.

Targets, 300 megapixels: 2048x1536 at 1:1 at most 0.6 s, 3 % of the bytes and 6 requests; overview at 1024 at most 0.4 s;
neither slower nor more bytes than GDAL.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

NGINX = """
daemon off; pid {0}/pid; error_log {0}/error.log; worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {0}/b; proxy_temp_path {0}/p; fastcgi_temp_path {0}/f; uwsgi_temp_path {0}/u;
    scgi_temp_path {0}/s;
    server {{ listen 127.0.0.1:{1}; root {0}/www; }}
}}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--viewport", required=True)
    parser.add_argument("--jpeg", required=True)
    parser.add_argument("--cog", help="a COG of the same image; made where it is missing")
    parser.add_argument("--rect", default="9000,7000,2048,1536")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--port", type=int, default=18180)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # Workers of nginx may run as another user.
        os.chmod(folder, 0o755)
        os.makedirs(f"{folder}/www")
        os.symlink(os.path.abspath(arguments.jpeg), f"{folder}/www/big.jpg")
        cog = os.path.abspath(arguments.cog or f"{folder}/big.tif")
        if not os.path.exists(cog):
            subprocess.run(
                ["gdal_translate", "-q", "-of", "COG", "-co", "COMPRESS=JPEG", "-co", "QUALITY=75", arguments.jpeg, cog],
                check=True)
        os.symlink(cog, f"{folder}/www/cog.tif")
        subprocess.run(
            [arguments.viewport, "index", arguments.jpeg, "-o", f"{folder}/www/big.jpg.vpi", "--levels"], check=True)
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(NGINX.format(folder, arguments.port))
        nginx = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
        proxy = subprocess.Popen(
            [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "shaped_proxy.py"), "--listen",
             str(arguments.port + 1), "--to", f"127.0.0.1:{arguments.port}"], stdout=subprocess.PIPE, text=True)
        try:
            time.sleep(1)
            measure(arguments, folder, proxy)
        finally:
            proxy.terminate()
            nginx.terminate()
            proxy.wait()
            nginx.wait()


def measure(arguments, folder, proxy):
    base = f"http://127.0.0.1:{arguments.port + 1}"
    x, y, width, height = arguments.rect.split(",")
    render = [arguments.viewport, "render", f"{base}/big.jpg", "--no-cache", "--overwrite", "-o", f"{folder}/v.jpg"]
    gdal = ["gdal_translate", "-q", "-of", "JPEG", f"/vsicurl/{base}/cog.tif", f"{folder}/g.jpg"]
    tasks = {
        "part, viewport": render + ["--rect", arguments.rect],
        "part, GDAL": gdal + ["-srcwin", x, y, width, height],
        "overview, viewport": render + ["--size", "1024x1024"],
        "overview, GDAL": gdal + ["-outsize", "1024", "0"],
    }
    environment = dict(
        os.environ, GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR", GDAL_HTTP_MERGE_CONSECUTIVE_RANGES="YES",
        GDAL_PAM_ENABLED="NO")
    size = os.path.getsize(arguments.jpeg)
    results = {name: [] for name in tasks}
    for _ in range(arguments.rounds):
        for name, command in tasks.items():
            start = time.monotonic()
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
            seconds = time.monotonic() - start
            time.sleep(0.2)
            proxy.send_signal(signal.SIGUSR1)
            counts = json.loads(proxy.stdout.readline())
            results[name].append((seconds, counts["bytes"], counts["requests"]))
    for name, runs in results.items():
        seconds, count, requests = (statistics.median(column) for column in zip(*runs))
        print(f"{name:20} {seconds:6.2f} s {count:10.0f} bytes {100 * count / size:5.1f} % {requests:4.0f} requests")


if __name__ == "__main__":
    main()
