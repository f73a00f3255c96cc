# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven by its own protocol over a pair of pipes. It needs no port, driver program or network."""
import base64
import itertools
import json
import os
import select
import subprocess
import time

PATIENCE = 60


class Browser:
    """One page. Chromium reads commands from descriptor 3 and writes answers and events to descriptor 4, each ended by a NUL."""

    def __init__(self, program, folder):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def place():  # between fork and exec: neither pipe may lie where the other one goes
            high_in, high_out = os.dup2(to_browser, 100), os.dup2(from_browser, 101)
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        # Without a sandbox: a container has no namespaces for it, and the page is ours. Nothing is fetched in the background.
        command = [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--force-device-scale-factor=1",
                   "--window-size=1200,700", f"--user-data-dir={folder}", "about:blank"]
        self._log = open(os.path.join(folder, "log.txt"), "w+b")  # noqa: SIM115  closed by close()
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, close_fds=False, preexec_fn=place)
        os.close(to_browser)
        os.close(from_browser)
        self._rest, self._numbers, self._session = b"", itertools.count(1), None
        self.said = []
        try:
            target = self.command("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                self.command(f"{domain}.enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._log.close()

    def _message(self, deadline):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            more = os.read(self._in, 1 << 20) if ready else b""
            if not more:
                self._log.seek(0)
                raise AssertionError("Chromium " + ("has ended" if ready else "does not answer") + f": {self._log.read().decode(errors='replace')}")
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def _next(self, wanted):
        """The next message for which wanted() is true. Events on the way are kept in `said`."""
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._message(deadline)
            if "method" in message:
                self.said.append(message)
            if wanted(message):
                return message

    def command(self, method, **given):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": given} | ({"sessionId": self._session} if self._session else {})
        os.write(self._out, json.dumps(message).encode() + b"\0")
        answer = self._next(lambda one: one.get("id") == number)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def open(self, address):
        self.command("Page.navigate", url=address)
        self._next(lambda one: one.get("method") == "Page.loadEventFired")

    def value(self, expression):
        answer = self.command("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **given):
        self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, **given)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def type(self, text):
        self.command("Input.insertText", text=text)

    def screenshot(self):
        return base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"])

    def complaints(self):
        """Exceptions, what was logged as an error, and whatever was fetched but files."""
        return [event for event in self.said
                if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")
                or (event["method"] == "Network.requestWillBeSent" and not event["params"]["request"]["url"].startswith("file:"))]
