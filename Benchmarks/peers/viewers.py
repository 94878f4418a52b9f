#!/usr/bin/env python3
"""Compares the frames of the viewer page with those of OpenSeadragon: the same server, the same tiles, software canvases.

    viewers.py PROGRAM IMAGE OPENSEADRAGON [--rounds 5] [--throttle 1,4] [--only wheel,flick,pinch]

IMAGE is a JPEG, such as one of 300 megapixels by the tool `giant`; `.ci/openseadragon FOLDER` prints the path of OPENSEADRAGON.
`PROGRAM serve` answers both pages. Each round opens both, one after the other, and repeats each gesture with real events:

- wheel: 30 steps of the wheel, 50 ms apart, from the whole image to 1:1 and back;
- flick: five flicks of a finger at 1:1;
- pinch: two fingers from the whole image to twelve times its size, and back.

The first round fills the caches and is not counted. Prints a line for each gesture and throttle of the processor: the 95th
percentile of the times between frames in ms, and the frames of more than 50 ms, as medians of the rounds.
"""
import argparse
import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from chromium import Chromium

WIDTH, HEIGHT = 1280, 800
PAGE = """<!doctype html><meta charset=utf-8><style>html, body, #picture {{ margin: 0; height: 100%; background: #111 }}</style>
<div id=picture></div><script src=/openseadragon.js></script><script>
globalThis.viewer = OpenSeadragon({{
  id: "picture", drawer: "canvas", tileSources: "{service}/info.json", showNavigationControl: false,
  prefixUrl: "/",
}});
</script>"""
RECORD = """{
  globalThis.record = { times: [], long: 0, running: true };
  const watcher = new PerformanceObserver((list) => { record.long += list.getEntries().length; });
  watcher.observe({ type: "long-animation-frame" });
  const tick = (time) => {
    record.times.push(time);
    if (record.running) requestAnimationFrame(tick);
    else watcher.disconnect();
  };
  requestAnimationFrame(tick);
}"""
STOP = """new Promise((done) => {
  record.running = false;
  requestAnimationFrame(() => setTimeout(() => done({ times: record.times, long: record.long })));
})"""


class Handler(http.server.BaseHTTPRequestHandler):
    """OpenSeadragon and its page."""

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        found = self.server.files.get(self.path)
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", found[0] if found else "text/plain")
        self.end_headers()
        self.wfile.write(found[1] if found else b"")


class Viewport:
    name = "viewport"

    def __init__(self, base, image):
        self.address = f"{base}/view/{image}"

    def open(self, browser, place=None):
        browser.open(f"{self.address}#{place or 'rotate=0'}")
        browser.wait("document.querySelector('#picture')?.ariaBusy === 'false'")


class OpenSeadragon:
    name = "OpenSeadragon"

    def __init__(self, base, image):
        self.address = base

    def open(self, browser, place=None):
        browser.open(self.address)
        browser.wait("globalThis.viewer?.world?.getItemCount() === 1")
        if place:
            rect = place.removeprefix("xywh=")
            browser.value(
                "void viewer.viewport.fitBounds(viewer.world.getItemAt(0).imageToViewportRectangle(%s), true)" % rect)
        browser.wait("viewer.world.getItemAt(0).getFullyLoaded()")
        time.sleep(0.3)


def pace(start, number, interval):
    """Waits until an event is due."""
    time.sleep(max(0, start + number * interval - time.monotonic()))


def wheel(browser):
    start = time.monotonic()
    for number in range(30):
        pace(start, number, 0.05)
        browser.send(
            "Input.dispatchMouseEvent", type="mouseWheel", x=WIDTH // 2, y=HEIGHT // 2, deltaX=0,
            deltaY=-120 if number < 15 else 120)
    pace(start, 30, 0.05)


def touch(browser, kind, points):
    browser.send(
        "Input.dispatchTouchEvent", type=kind, touchPoints=[{"id": id, "x": x, "y": y} for id, (x, y) in enumerate(points)])


def flick(browser):
    start = time.monotonic()
    for number in range(5):
        sign = 1 if number % 2 else -1
        x, y = WIDTH / 2 - sign * 300, HEIGHT / 2 - sign * 100
        touch(browser, "touchStart", [(x, y)])
        for step in range(1, 9):
            pace(start, number * 40 + step, 0.016)
            touch(browser, "touchMove", [(x + sign * 60 * step, y + sign * 20 * step)])
        touch(browser, "touchEnd", [])
        pace(start, number * 40 + 39, 0.016)
        pace(start, (number + 1) * 40, 0.016)


def pinch(browser):
    start = time.monotonic()
    fingers = lambda half: [(WIDTH / 2 - half, HEIGHT / 2), (WIDTH / 2 + half, HEIGHT / 2)]
    touch(browser, "touchStart", fingers(40)[:1])
    touch(browser, "touchStart", fingers(40))
    steps = 60
    for step in range(1, 2 * steps + 1):
        pace(start, step, 0.016)
        touch(browser, "touchMove", fingers(40 * 12 ** ((step if step <= steps else 2 * steps - step) / steps)))
    touch(browser, "touchEnd", [])


GESTURES = {"wheel": (wheel, False), "flick": (flick, True), "pinch": (pinch, False)}


def measured(browser, viewer, name, throttle, place):
    gesture, is_near = GESTURES[name]
    browser.renew()
    browser.size(WIDTH, HEIGHT)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
    viewer.open(browser, place if is_near else None)
    browser.call("Emulation.setCPUThrottlingRate", rate=throttle)
    browser.value(RECORD)
    gesture(browser)
    found = browser.value(STOP)
    between = sorted(b - a for a, b in zip(found["times"], found["times"][1:]))
    return {"p95": between[len(between) * 95 // 100], "long": found["long"], "frames": len(between)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("image")
    parser.add_argument("openseadragon")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--throttle", default="1,4")
    parser.add_argument("--only", default=",".join(GESTURES))
    parser.add_argument("--chromium", default="chromium")
    options = parser.parse_args()
    folder, image = os.path.split(os.path.abspath(options.image))
    with tempfile.TemporaryDirectory() as cache, open(options.openseadragon, "rb") as file:
        script = file.read()
        server = subprocess.Popen(
            [options.program, "serve", folder, "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=dict(os.environ, XDG_CACHE_HOME=cache))
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        try:
            base = f"http://127.0.0.1:{json.loads(server.stdout.readline())['port']}"
            pages.files = {
                "/": ("text/html", PAGE.format(service=f"{base}/iiif/3/{image}").encode()),
                "/openseadragon.js": ("text/javascript", script),
            }
            compare(options, image, base, f"http://127.0.0.1:{pages.server_port}/")
        finally:
            server.terminate()
            server.wait()
    print(script[:40].decode().splitlines()[0].removeprefix("//! "))


def compare(options, image, base, page):
    viewers = [Viewport(base, image), OpenSeadragon(page, image)]
    browser = Chromium(options.chromium)
    place = f"xywh=9000,7000,{WIDTH},{HEIGHT}"
    try:
        for throttle in map(int, options.throttle.split(",")):
            for name in options.only.split(","):
                rounds = [
                    [measured(browser, viewer, name, throttle, place) for viewer in viewers]
                    for _ in range(options.rounds + 1)]
                line = f"{name}, {throttle}x:"
                for index, viewer in enumerate(viewers):
                    middle = {
                        key: statistics.median(one[index][key] for one in rounds[1:]) for key in ["p95", "long", "frames"]}
                    line += f"  {viewer.name} {middle['p95']:.0f} ms, {middle['long']:.0f} long of {middle['frames']:.0f}"
                ratio = statistics.median(one[0]["p95"] / one[1]["p95"] for one in rounds[1:])
                print(f"{line}  ratio {ratio:.2f}", flush=True)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
