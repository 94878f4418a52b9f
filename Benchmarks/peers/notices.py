"""How long `viewport library watch` takes to report a file."""

import json
import random
import shutil
import subprocess
import time


def latencies(viewport, folder, count):
    """Seconds from the end of writing a file to the line that names it, sorted."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([viewport, "library", "init", folder], check=True, stdout=subprocess.DEVNULL)
    watching = subprocess.Popen([viewport, "library", "watch", folder], stdout=subprocess.PIPE, text=True)
    chance = random.Random(7)
    times = []
    try:
        wait(watching, lambda notice: notice["notice"] == "didSetUp")
        # The first scan of the folder has ended.
        time.sleep(1)
        for number in range(count):
            time.sleep(chance.uniform(0, 0.7))
            name = f"{number}.gif"
            (folder / name).write_bytes(picture(number))
            written = time.monotonic()
            wait(watching, lambda notice: any(asset["path"] == name for asset in notice.get("inserted", []) if "path" in asset))
            times.append(time.monotonic() - written)
    finally:
        watching.terminate()
        watching.wait()
    return sorted(times)


def wait(watching, is_it):
    for line in watching.stdout:
        if is_it(json.loads(line)):
            return
    raise RuntimeError("viewport library watch has ended")


def picture(number):
    """A picture of one pixel, different for each number."""
    return b"GIF89a\1\0\1\0\x80\0\0" + number.to_bytes(6, "big") + b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0;"
