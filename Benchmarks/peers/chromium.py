"""A page in headless Chromium, driven through the DevTools protocol over file descriptors 3 and 4."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


class Chromium:
    def __init__(self, program="chromium"):
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        self.folder = tempfile.mkdtemp()

        def connect():
            os.dup2(theirs_in, 103)
            os.dup2(theirs_out, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
            "--disable-background-networking"]
        self.process = subprocess.Popen(
            [program, *arguments, f"--user-data-dir={self.folder}", "about:blank"], preexec_fn=connect,
            close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.output, self.input = os.fdopen(ours_out, "wb", 0), os.fdopen(ours_in, "rb", 0)
        self.unread, self.number, self.session, self.target = b"", 0, None, None
        self.renew()

    def renew(self):
        """Opens an empty page in place of the open one, with its caches, but without its state of touches."""
        self.session, old = None, self.target
        self.target = self.call("Target.createTarget", url="about:blank")["targetId"]
        if old:
            self.call("Target.closeTarget", targetId=old)
        self.session = self.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]

    def send(self, method, **parameters):
        """Sends a command without waiting for its answer; returns its number."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.output.write(json.dumps(message).encode() + b"\0")
        return self.number

    def call(self, method, **parameters):
        number = self.send(method, **parameters)
        while True:
            while b"\0" not in self.unread:
                more = self.input.read(1 << 20)
                if not more:
                    raise SystemExit("Chromium ended")
                self.unread += more
            message, self.unread = self.unread.split(b"\0", 1)
            answer = json.loads(message)
            if answer.get("id") == number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def value(self, expression):
        """The value of an expression in the page; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.value(f"!!({expression})"):
            if time.monotonic() > end:
                raise SystemExit(f"never came true: {expression}")
            time.sleep(0.02)

    def size(self, width, height, ratio=1, is_phone=False):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=is_phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=is_phone, maxTouchPoints=5)

    def open(self, address):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
