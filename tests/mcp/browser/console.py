"""`obsearch console` in a browser: the whole page by keys alone, without a complaint of the browser, a request to
anywhere else, or a name in the address bar, the title or the history. With a folder for them, pictures of every
view in both themes and on a phone."""

import base64
import json
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import chromium
from home import Home
from report import Report

# Shown as text, or something is wrong with the page.
HOSTILE = {
    "Tricks/<script>window.hit=1<": "# <img src=x onerror=window.hit=2>\n\nA coating of <script>window.hit=3</script>\n"
    "<img src=x onerror='window.hit=4'> [x](javascript:window.hit=5) <svg onload=window.hit=6> [[Home]]\n",
    "Tricks/a\u202efdp": "---\ntitle: \"\\\" autofocus onfocus=\\\"window.hit=7\"\n---\nA coating, reversed \u202e by its name.\n",
}
SECONDS = 20
# What the waits are about is over, most likely.
PAUSE = 0.05


@contextmanager
def running(home: Home, log: Path):
    """The link of a console, as it is printed."""
    with log.open("w") as errors:
        process = subprocess.Popen([str(home.binary), "console", "--no-open"], env=home.env, stderr=errors)
    try:
        deadline = time.monotonic() + SECONDS
        while not (link := [line for line in log.read_text().splitlines() if line.startswith("Your console: ")]):
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError(f"the console does not start: {log.read_text()}")
            time.sleep(PAUSE)
        yield link[0].removeprefix("Your console: ")
    finally:
        process.terminate()
        process.wait(timeout=5)


class Page:
    """What somebody does who has a keyboard only."""

    def __init__(self, browser: chromium.Chromium, report: Report, pictures: Path | None):
        self.browser = browser
        self.report = report
        self.pictures = pictures

    def press(self, key: str, shift: bool = False) -> None:
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        common = {"key": key, "modifiers": 8 if shift else 0}
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        if key in codes:
            common |= {"windowsVirtualKeyCode": codes[key], "code": key}
        self.browser.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.browser.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text: str) -> None:
        self.browser.ask("Input.insertText", text=text)

    def wait(self, condition: str, what: str) -> None:
        deadline = time.monotonic() + SECONDS
        while not self.browser.evaluate(f"Boolean({condition})"):
            if time.monotonic() > deadline:
                seen = self.browser.evaluate("document.querySelector('main').innerText.slice(0, 300)")
                self.report.check(False, f"console: {what}", seen)
                return
            time.sleep(PAUSE)
        self.report.check(True, what)

    def equal(self, expression: str, expected: object, what: str) -> None:
        self.report.equal(self.browser.evaluate(expression), expected, f"console: {what}")

    def picture(self, name: str) -> None:
        if self.pictures is None:
            return
        for theme in ["light", "dark"]:
            self.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
            for kind, width in [("wide", 1280), ("phone", 390)]:
                size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
                self.browser.ask("Emulation.setDeviceMetricsOverride", **size)
                height = self.browser.evaluate("document.documentElement.scrollHeight")
                wide = self.browser.evaluate("document.documentElement.scrollWidth")
                self.report.check(wide <= width, f"console: {name} fits into {width} pixels", wide)
                size["height"] = max(844, min(height, 3000))
                self.browser.ask("Emulation.setDeviceMetricsOverride", **size)
                image = self.browser.ask("Page.captureScreenshot", format="png")["data"]
                (self.pictures / f"{name}-{kind}-{theme}.png").write_bytes(base64.b64decode(image))
        self.browser.ask("Emulation.clearDeviceMetricsOverride")


FOCUSED = "document.activeElement.textContent"
COLUMN = "document.activeElement.closest('[data-column]')?.querySelector('h2').id"


def walk(page: Page) -> None:
    page.wait("document.querySelector('.overview .rules table')", "the overview comes, with the rules")
    page.equal("location.hash + location.search + location.pathname", "/", "the key is out of the address bar")
    page.equal("document.querySelectorAll('.fresh').length", 2, "both indexes are fresh")
    page.picture("overview")
    page.press("Tab")
    page.equal(FOCUSED, "Skip to content", "the first stop is the way to the content")
    page.press("Enter")
    page.equal("document.activeElement.id", "main", "it leads there")
    page.press("/")
    page.equal("document.activeElement.id", "query", "a slash leads to the search")
    page.write("what did the surveyor say about plank six")
    page.press("Enter")
    page.wait("document.querySelectorAll('.hit').length > 3", "passages are found")
    page.wait("document.querySelector('#said').textContent.includes('for an agent')", "what was found is said")
    page.picture("search")
    page.press("ArrowDown")
    page.equal(COLUMN, "as-public", "an arrow leads to the first passage")
    first = page.browser.evaluate(FOCUSED)
    page.press("j")
    page.report.check(page.browser.evaluate(FOCUSED) != first, "console: j leads on")
    page.press("k")
    page.equal(FOCUSED, first, "k leads back")
    page.press("ArrowRight")
    page.equal(COLUMN, "as-full", "an arrow leads to the other column")
    page.press("h")
    page.equal(FOCUSED, first, "h leads back")
    page.equal("getComputedStyle(document.activeElement).outlineStyle", "solid", "the focus is seen")
    page.press("Enter")
    page.wait("document.querySelector('.note pre')", "a note opens, as an agent gets it")
    page.wait("document.activeElement.tagName === 'H1'", "its name has the focus")
    page.picture("note")
    page.press("Escape")
    page.wait(f"document.querySelector('.search') && {FOCUSED} === {json.dumps(first)}", "Escape leads back to the same passage")
    page.press("2")
    page.wait("document.querySelector('.vault .tree')", "2 is the vault")
    page.press("j")
    page.wait("document.activeElement.tagName === 'SUMMARY'", "j leads into the tree")
    while not page.browser.evaluate(FOCUSED).startswith("Journal"):
        page.press("j")
    page.press("ArrowRight")
    page.wait("document.activeElement.parentElement.querySelector('.leaf')", "an arrow opens a folder")
    page.picture("vault")
    page.press("ArrowDown")
    page.press("Enter")
    page.wait("document.querySelector('.note .absent')", "a private note opens, as an agent does not get it")
    page.equal("document.querySelector('.note pre')", None, "it has no text")
    page.picture("private")
    page.press("Escape")
    page.wait("document.querySelector('.vault details[open] .leaf')", "the folder is open again")
    page.wait("document.activeElement.closest('.leaf')", "its entry has the focus again")
    page.press("ArrowLeft")
    page.press("ArrowLeft")
    page.wait("!document.querySelector('.vault details[open]')", "an arrow closes it")
    page.press("3")
    page.wait("document.querySelector('.calls .record')", "3 is what was served")
    page.press("j")
    page.wait("document.activeElement.closest('.record li li')", "j leads to a note of it")
    page.picture("calls")
    page.press("Escape")
    page.wait("document.querySelector('.vault')", "Escape leads back to the vault")
    page.press("?", shift=True)
    page.wait("document.querySelector('#keys').open", "the keys are told")
    page.picture("keys")
    page.press("Escape")
    page.wait("!document.querySelector('#keys').open", "Escape closes that")
    page.equal("document.querySelector('.vault') !== null", True, "and nothing else")


def look_at_tricks(page: Page) -> None:
    page.press("/")
    page.write("A coating of")
    page.press("Enter")
    page.wait("document.querySelector('.search')", "tricks are found")
    page.press("Escape")
    page.press("2")
    page.wait("document.querySelector('.vault .tree')", "the vault")
    page.browser.evaluate("document.querySelectorAll('.tree details').forEach((folder) => (folder.open = true))")
    page.wait("[...document.querySelectorAll('.tree .leaf')].some((leaf) => leaf.textContent.includes('<script>'))", "tricks are text")
    page.browser.evaluate("[...document.querySelectorAll('.tree .leaf button')].find((leaf) => leaf.textContent.includes('<script>')).click()")
    page.wait("document.querySelector('.note pre')?.textContent.includes('onerror')", "a trick is read as text")
    page.picture("tricks")
    page.equal("window.hit", None, "no trick ran")
    page.equal("document.querySelectorAll('main script, main img, main a, main iframe, main svg[onload]').length", 0, "no trick is markup")
    page.equal("document.title", "obsearch console", "the title names nothing")
    page.equal("JSON.stringify([location.href.split(location.host)[1], typeof history.state])", '["/","number"]', "the history names nothing")
    page.equal("localStorage.length + sessionStorage.length + document.cookie.length", 0, "nothing is kept")


def serve_something(home: Home) -> None:
    """Answers of a server that the ledger has then."""
    with home.listening() as url:
        for route, body in [
            ("search", {"query": "how long must the clear coating dry"}),
            ("get_full_note", {"path": "Home.md"}),
            ("note_links", {"path": "Home.md"}),
        ]:
            request = Request(
                url.replace("/mcp", f"/{route}"), json.dumps(body).encode(), {"Content-Type": "application/json"}
            )
            with urlopen(request, timeout=30) as answer:
                answer.read()


def check(browser: chromium.Chromium, home: Home, report: Report, pictures: Path | None) -> None:
    for name, text in HOSTILE.items():
        note = home.root / "Notes" / f"{name}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(text)
    home.index(profile=None)
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    passed = report.passed
    serve_something(home)
    with running(home, home.root / "console.log") as link, browser.watched() as seen:
        page = Page(browser, report, pictures)
        browser.open(link)
        walk(page)
        look_at_tricks(page)
        browser.ask("Page.reload")
        page.wait("document.querySelector('.problem')?.textContent.includes('no key')", "a page that is loaded again has lost its key")
        browser.evaluate(f"void (location.href = {json.dumps(link)})")
        page.wait("document.querySelector('.overview .rules table')", "the link opens it again, in the same page")
        page.equal("location.hash", "", "and is out of the address bar again")
        origin = urlsplit(link).netloc
        elsewhere = [url for url in seen.urls if urlsplit(url).netloc != origin]
        report.equal(elsewhere[:3], [], "console: requests to anywhere else")
        report.check(len(seen.urls) > 10, "console: requests are seen", seen.urls)
        report.equal(seen.complaints[:3], [], "console: complaints of the browser")
    print(f"console: {report.passed - passed} checks of the owner's page")
