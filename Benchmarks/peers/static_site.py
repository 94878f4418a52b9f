#!/usr/bin/env python3
"""Counts the requests and bytes of views of a site that `viewport site` wrote, in headless Chromium.

    viewport site 300.jpg -o site
    static_site.py site [--chromium chromium] [--one-range] [--view 9000,7000,2048,1536]... [--phone] [--kbit 720]
                        [--latency 150] [--look 0,0,33.6]... [--pictures shots]

Prints one line per view: requests for ranges, their bytes, those of the largest answer, the bytes of everything, and the
seconds until all is shown. Targets at 1:1: 1.6 MB, and 256 KB in each answer. A server on loopback answers several
ranges per request, as nginx does, or one with --one-range. --phone has 390x844 points of three pixels; --kbit slows the link,
with 150 ms for each request. --look takes looks into a panorama of 20000x10000, in a window of 1920x1080, instead of the views: the
targets are 1 MB and 1 s for the first view, which is all of the window at the level that the page loads first, and then 3 MB for
each look until it is sharp.
"""
import argparse
import http.server
import mimetypes
import os
import socketserver
import threading
import time
import urllib.parse

from chromium import Chromium


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, headers, body):
        with self.server.lock:
            self.server.total += len(body)
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


# Milliseconds until the window is full, and the bytes that had arrived until then.
FIRST_VIEW = """(() => {
  const [mark] = performance.getEntriesByName("panorama");
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const arrived = all.filter((entry) => entry.responseEnd <= mark.startTime);
  return [mark.startTime, arrived.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)];
})()"""


def looks(browser, server, options):
    """Opens the page at its first look, and then goes to the other ones in the same page."""
    browser.renew()
    browser.size(1920, 1080)
    browser.call("Network.enable")
    if options.kbit:
        browser.call(
            "Network.emulateNetworkConditions", offline=False, latency=options.latency, uploadThroughput=-1,
            downloadThroughput=options.kbit * 125)
    for number, look in enumerate(options.look):
        server.answers.clear()
        server.total, start = 0, time.monotonic()
        if number == 0:
            browser.open(f"http://127.0.0.1:{server.server_port}/index.html#look={look}")
            browser.wait("performance.getEntriesByName('panorama').length > 0", 120)
        else:
            browser.value(f"location.hash = 'look={look}'")
            time.sleep(0.3)
        # The page is also idle before it has seen the new look: nothing may follow for two seconds.
        seconds, size = None, -1
        while size != server.total:
            size = server.total
            browser.wait("document.querySelector('#sphere')?.ariaBusy === 'false'", 120)
            if size != server.total or seconds is None:
                seconds = time.monotonic() - start
            time.sleep(2)
        if options.pictures:
            browser.picture(os.path.join(options.pictures, f"look-{number}.png"))
        if number == 0:
            milliseconds, size = browser.value(FIRST_VIEW)
            isReached = size <= 1_000_000 and milliseconds <= 1000
            print(f"first view: {size} bytes, {milliseconds / 1000:.2f} s, {'reached' if isReached else 'missed'}")
        print(
            f"look {look}: {len(server.answers)} ranges, {server.total} bytes, {seconds:.1f} s, "
            f"{'reached' if server.total <= 3_000_000 else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site")
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--one-range", action="store_true")
    parser.add_argument("--view", action="append")
    parser.add_argument("--phone", action="store_true")
    parser.add_argument("--kbit", type=float)
    parser.add_argument("--latency", type=float, default=150)
    parser.add_argument("--look", action="append")
    parser.add_argument("--pictures", help="folder for screenshots of looks")
    options = parser.parse_args()
    server = Server(("127.0.0.1", 0), Handler)
    server.root, server.one_range = options.site, options.one_range
    server.answers, server.total, server.lock = [], 0, threading.Lock()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Chromium(options.chromium)
    usual = ["9000,7000,1170,2532"] if options.phone else ["9000,7000,2048,1536", "12345,3210,2048,1536"]
    try:
        if options.look:
            return looks(browser, server, options)
        for view in ["", *(options.view or usual)]:
            width, height = (int(number) for number in view.split(",")[2:]) if view else (2048, 1536)
            browser.renew()
            browser.size(*((390, 844, 3, True) if options.phone else (width, height)))
            if options.kbit:
                browser.call("Network.enable")
                browser.call(
                    "Network.emulateNetworkConditions", offline=False, latency=options.latency, uploadThroughput=-1,
                    downloadThroughput=options.kbit * 125)
            server.answers.clear()
            server.total, start = 0, time.monotonic()
            # Without a place the page returns to the last one.
            place = f"#xywh={view}" if view else "#rotate=0"
            browser.open(f"http://127.0.0.1:{server.server_port}/index.html{place}")
            browser.wait("document.querySelector('#picture')?.ariaBusy === 'false'", 120)
            seconds, size, most = time.monotonic() - start, sum(server.answers), max(server.answers)
            reached = "" if not view else ", reached" if size <= 1_600_000 and most <= 256_000 else ", missed"
            print(
                f"{view or 'whole image'}: {len(server.answers)} requests, {size} bytes, {most} at most, "
                f"{server.total} with the page, {seconds:.1f} s{reached}")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
