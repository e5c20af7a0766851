"""Shared by the checks in a browser: Chromium, the counts, an accessibility checker and a strict HTML parser.

Chromium comes from the system's packages, the tools from PyPI (`scripts/setup console`)."""

import argparse
import pathlib
import shutil
import tempfile
import traceback

import html5lib
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import world

PASSWORD = "Tulip-Harbour-42"
TIME_LIMIT = 10_000
# WCAG 2.2 AA, in the words of axe.
WCAG = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


class Fault(Exception):
    pass


class BrowserCheck:
    def __init__(self, options, browser):
        self.options, self.browser, self.axe = options, browser, Axe()
        self.passed, self.faults = 0, []

    def expect(self, what, holds, detail=""):
        if holds:
            self.passed += 1
        else:
            self.faults.append(f"{what}: {detail}" if detail else what)
            print(f"FAILED: {self.faults[-1]}", flush=True)
        return bool(holds)

    def visitor(self, scheme="light", width=1440, script=True, height=900, **settings):
        context = self.browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": height}, java_script_enabled=script, timezone_id="Europe/Copenhagen",
            accept_downloads=True, reduced_motion="reduce", **settings)
        page = context.new_page()
        page.set_default_timeout(TIME_LIMIT)
        page.on("console", lambda message: message.type == "error" and self.complain(message.text))
        page.on("pageerror", lambda error: self.complain(str(error)))
        return page

    def complain(self, text):
        # An answer that refuses is one that a task asks for; what the policy for content stops is a fault.
        if "Failed to load resource" not in text:
            self.faults.append(f"the browser complains: {text}")
            print(f"FAILED: {self.faults[-1]}", flush=True)

    @staticmethod
    def wait(holds):
        """The policy for content forbids the browser library's own way of waiting, which evaluates text."""
        if not world.wait_until(holds, 10):
            raise Fault("the page did not change")

    def strict(self, name, text):
        parser = html5lib.HTMLParser(strict=False)
        parser.parse(text)
        self.expect(f"{name} is HTML", not parser.errors, str(parser.errors[:2]))

    def accessible(self, name, page, options=None):
        violations = self.axe.run(page, options=options).response["violations"]
        self.expect(f"{name}: accessible", not violations, "; ".join(f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in violations))

    def fits(self, name, page):
        wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        self.expect(f"{name} fits {page.viewport_size['width']} points", not wide)


def main(program, arguments, make, parts, more=None):
    """Runs the parts of a check, prints the counts, and returns the exit code.

    `make` gives the check, `parts` its tasks, `more` adds options."""
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("--binary", required=True, help="a server that is built already")
    parser.add_argument("--pictures", help="a folder for a picture of each page")
    if more:
        more(parser)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        options.folder = folder
        if options.pictures:
            pathlib.Path(options.pictures).mkdir(parents=True, exist_ok=True)
        chromium = shutil.which("chromium") or shutil.which("google-chrome") or "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        check = make(options, browser)
        try:
            for part in parts(check):
                part()
        except Exception as fault:
            check.expect(f"{type(fault).__name__}", False, str(fault)[:1500])
            traceback.print_exc(limit=5)
            for page in [page for context in browser.contexts for page in context.pages][-1:]:
                print(page.url, page.inner_text("body")[:1500], sep="\n")
        finally:
            browser.close()
            check.site.stop()
    print(f"{check.passed} passed, {len(check.faults)} failed")
    return 1 if check.faults else 0
