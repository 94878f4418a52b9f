#!/usr/bin/env python3
"""Counts the requests and bytes of views of a site that `viewport site` wrote, in headless Chromium.

    viewport site 300.jpg -o site
    static_site.py site [--chromium chromium] [--one-range] [--view 9000,7000,2048,1536]...

Prints one line per view: requests for ranges, their bytes, and the target: at most 6 requests and 2 MB for 2048x1536
pixels at 1:1. A server on loopback answers several ranges per request, as nginx does, or one with --one-range.
"""
import argparse
import http.server
import json
import mimetypes
import os
import shutil
import socketserver
import subprocess
import tempfile
import threading
import time
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:
            pass

    def do_GET(self):
        name = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path).lstrip("/") or "index.html"
        path = os.path.join(self.server.root, name)
        if ".." in name or not os.path.isfile(path):
            return self.answer(404, {}, b"")
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            if "Range" not in self.headers:
                return self.answer(200, {"Content-Type": kind}, file.read())
            parts = [part.split("-") for part in self.headers["Range"].removeprefix("bytes=").split(",")]
            parts = [(int(begin), min(int(end), size - 1)) for begin, end in parts]
            if len(parts) > 1 and self.server.one_range:
                # The page cancels it.
                return self.answer(200, {"Content-Type": kind}, file.read())
            pieces = []
            for begin, end in parts:
                file.seek(begin)
                pieces.append((f"bytes {begin}-{end}/{size}", file.read(end + 1 - begin)))
        if len(pieces) == 1:
            field, body = pieces[0]
            headers = {"Content-Type": kind, "Content-Range": field}
        else:
            heads = (f"\r\n--part\r\nContent-Type: {kind}\r\nContent-Range: {field}\r\n\r\n" for field, _ in pieces)
            body = b"".join(head.encode() + piece for head, (_, piece) in zip(heads, pieces)) + b"\r\n--part--\r\n"
            headers = {"Content-Type": "multipart/byteranges; boundary=part"}
        with self.server.lock:
            self.server.answers.append(len(body))
        self.answer(206, headers, body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class Chromium:
    """A page, driven through the DevTools protocol over file descriptors 3 and 4."""

    def __init__(self, program):
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        self.folder = tempfile.mkdtemp()

        def connect():
            os.dup2(theirs_in, 103)
            os.dup2(theirs_out, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        self.process = subprocess.Popen(
            [program, *arguments, f"--user-data-dir={self.folder}", "about:blank"], preexec_fn=connect,
            close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.output, self.input = os.fdopen(ours_out, "wb", 0), os.fdopen(ours_in, "rb")
        self.number, self.session = 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.output.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = b""
            while not answer.endswith(b"\0"):
                byte = self.input.read(1)
                if not byte:
                    raise SystemExit("Chromium ended")
                answer += byte
            answer = json.loads(answer[:-1])
            if answer.get("id") == self.number:
                return answer["result"]

    def is_true(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"].get("value") is True

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site")
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--one-range", action="store_true")
    parser.add_argument("--view", action="append")
    options = parser.parse_args()
    server = Server(("127.0.0.1", 0), Handler)
    server.root, server.one_range = options.site, options.one_range
    server.answers, server.lock = [], threading.Lock()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Chromium(options.chromium)
    try:
        for view in ["", *(options.view or ["9000,7000,2048,1536", "12345,3210,2048,1536"])]:
            width, height = (int(number) for number in view.split(",")[2:]) if view else (2048, 1536)
            browser.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
            browser.call("Page.navigate", url="about:blank")
            server.answers.clear()
            # Without a place the page returns to the last one.
            place = f"#xywh={view}" if view else "#rotate=0"
            browser.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/index.html{place}")
            end = time.monotonic() + 60
            while not browser.is_true("document.querySelector('#picture')?.ariaBusy === 'false'"):
                if time.monotonic() > end:
                    raise SystemExit("the page never came to rest")
                time.sleep(0.05)
            count, size = len(server.answers), sum(server.answers)
            reached = "" if not view else ", reached" if count <= 6 and size <= 2_000_000 else ", missed"
            print(f"{view or 'whole image'}: {count} requests, {size} bytes{reached}")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
