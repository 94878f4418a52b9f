#!/usr/bin/env bash
# Times of modification that lie after the answer: aiohttp 3.14.5, static files.
#
# Expected: HTTP dates have whole seconds, and other servers leave the fraction out. RFC 9110, section 8.8.2.1: "An origin server
# with a clock MUST NOT generate a Last-Modified date that is later than the server's time of message origination (Date)."
# Seen: aiohttp rounds up. A file that was written 0.2 s after a full second, and is requested in the same second, has a
# Last-Modified one second after the Date of that answer. A client that takes the difference for the age of a file gets -1, and
# one that computes the time from the file itself, as a synchronization does, gets another second than the server.
#
# Fails if that changes. Needs python3 with venv, and access to PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q aiohttp==3.14.5
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import asyncio, email.utils, os, sys, time
import aiohttp
from aiohttp import web


async def main(folder):
    print("aiohttp", aiohttp.__version__)
    root = os.path.join(folder, "www")
    os.mkdir(root)
    app = web.Application()
    app.router.add_static("/", root)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    later = 0
    async with aiohttp.ClientSession() as session:
        for attempt in range(5):
            # Just behind a full second.
            await asyncio.sleep(1.2 - time.time() % 1)
            path = os.path.join(root, f"{attempt}.txt")
            with open(path, "w") as file:
                file.write("text")
            async with session.get(f"http://127.0.0.1:{port}/{attempt}.txt") as answer:
                modified, date = (
                    email.utils.parsedate_to_datetime(answer.headers[name]).timestamp() for name in ("Last-Modified", "Date"))
            print(f"written {os.stat(path).st_mtime:.2f}, Last-Modified {modified:.0f}, Date {date:.0f}")
            assert modified == int(os.stat(path).st_mtime) + 1, "it is no longer rounded up"
            later += modified > date
    await runner.cleanup()
    assert later >= 3, "it is no longer later than the answer"
    print(f"{later} of 5 are later than their answer")


asyncio.run(main(sys.argv[1]))
PYTHON
