"""Storm of cold images: N slow images are requested at the same time, each once, from a server without caches.

usage: cold.py PROGRAM IMAGE [NUMBER]

IMAGE is a slow image, such as a PNG of 75 megapixels; NUMBER copies of it (default 20) are served from a temporary folder.
Prints one line of JSON: the time of an image alone, the time of the first and of the last answer, the answers by status,
and the CPU time of the server as a ratio to NUMBER runs of `viewport render`. Targets: first at most 1.3 times alone, CPU
at most 1.3. Linux only: it reads /proc.
"""

import concurrent.futures
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PROGRAM, IMAGE = sys.argv[1], os.path.abspath(sys.argv[2])
NUMBER = int(sys.argv[3]) if len(sys.argv) > 3 else 20


def cpu(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Server:
    def __init__(self, folder, cache):
        arguments = [PROGRAM, "serve", folder, "--port", "0", "--json"]
        if os.environ.get("SERVER"):
            arguments = [os.environ["SERVER"], folder, "0", cache]
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, env=dict(os.environ, XDG_CACHE_HOME=cache))
        self.port = json.loads(self.process.stdout.readline())["port"]

    def fetch(self, name):
        """The status and the time of an answer."""
        start = time.monotonic()
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}/iiif/3/{name}/full/256,/0/default.jpg", timeout=300) as answer:
                answer.read()
                status = answer.status
        except urllib.error.HTTPError as error:
            status = error.code
        return status, time.monotonic() - start

    def end(self):
        self.process.terminate()
        self.process.wait()


with tempfile.TemporaryDirectory() as folder:
    served, ending = os.path.join(folder, "served"), os.path.splitext(IMAGE)[1]
    os.mkdir(served)
    for number in range(NUMBER):
        copy = os.path.join(served, f"{number}{ending}")
        try:
            os.link(IMAGE, copy)
        except OSError:
            shutil.copy(IMAGE, copy)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for number in range(NUMBER):
        subprocess.run(
            [PROGRAM, "render", os.path.join(served, f"{number}{ending}"), "--size", "256x", "-o",
             os.path.join(folder, "view.jpg"), "--overwrite"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    renders = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    alone = []
    for run in range(3):
        server = Server(served, os.path.join(folder, f"alone{run}"))
        alone.append(server.fetch("0")[1])
        server.end()

    server = Server(served, os.path.join(folder, "storm"))
    start = cpu(server.process.pid)
    with concurrent.futures.ThreadPoolExecutor(NUMBER) as pool:
        answers = list(pool.map(lambda number: server.fetch(str(number)), range(NUMBER)))
    used = cpu(server.process.pid) - start
    server.end()
    times = sorted(time for status, time in answers if status == 200)
    statuses = [status for status, _ in answers]
    print(json.dumps({
        "alone": round(sorted(alone)[1], 2), "first": round(times[0], 2), "last": round(times[-1], 2),
        "first_to_alone": round(times[0] / sorted(alone)[1], 2),
        "statuses": {str(status): statuses.count(status) for status in sorted(set(statuses))},
        "cpu": round(used, 2), "cpu_to_renders": round(used / renders, 2)}))
