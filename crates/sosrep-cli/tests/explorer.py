"""Uses the explorer page of `sosrep serve` the way a reader does: in a browser, by file, slider, key and click.

    python explorer.py [--screenshots FOLDER] BINARY

The binary serves its example; the page is driven in headless Chromium as `browser.py` drives the report, whose
checks of contrast, layout and requests are used here too. Every fault found is printed as a sentence, and the exit
code is 1 if there is any. Without a browser nothing is looked at, and the exit code is 0.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import browser
from browser import NARROW, WIDE, Failure, NoBrowser

EXAMPLE = Path(__file__).parents[1] / "data" / "breast_cancer.csv"
ROWS = 379
PATIENCE = 30
TAB = "\ue004"
DOWN = "\ue015"
TOKEN = "a token of the tests".replace(" ", "-")

# What the page has loaded, from where.
LOADED = 'return performance.getEntriesByType("resource").map(entry => entry.name);'

# Controls without a name for those who do not see them.
NAMELESS = """
const named = element => element.labels?.length || element.getAttribute("aria-label")
  || element.getAttribute("aria-labelledby") || element.getAttribute("aria-describedby") || element.textContent.trim();
return [...document.querySelectorAll("button, input, select, canvas, progress, [tabindex], svg[role=img]")]
  .filter(element => !named(element)).map(element => `<${element.localName} id="${element.id}"> has no name`);
"""


@contextlib.contextmanager
def served(binary, *arguments, **variables):
    """The address of a service, which ends well when the signal comes."""
    command, settings = [binary, "serve", *arguments], {**os.environ, **variables}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, env=settings, **pipes) as service:
        try:
            lines = iter(service.stdout.readline, "")
            yield next(line.split()[1] for line in lines if line.startswith("open"))
        finally:
            service.terminate()
            if service.wait(timeout=PATIENCE) != 0:
                raise Failure(f"The service ended with exit code {service.returncode}.")


class Page:
    """The page in a browser, with what a reader does."""

    def __init__(self, session):
        self.session = session
        self.run = session.run

    def until(self, condition, what):
        """Waits until an expression holds."""
        end = time.monotonic() + PATIENCE
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                fault = self.text("fault")
                raise Failure(f"It does not come to this: {what}. The page says: {fault or 'nothing'}.")
            time.sleep(0.05)

    def text(self, name):
        return self.run(f"return document.getElementById('{name}').textContent")

    def element(self, selector):
        found = self.session.post("/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        # A list that scrolls draws its rows anew.
        time.sleep(0.2)
        element = self.element(selector)
        self.session.post(f"/element/{element}/click", {})

    def type(self, selector, text):
        self.session.post(f"/element/{self.element(selector)}/value", {"text": text})

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.session.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def focus(self, selector):
        self.run(f"document.querySelector('{selector}').focus()")

    def drop(self, file):
        """A file is let go over the page."""
        text = json.dumps(file.read_text(encoding="utf-8"))
        self.run(f"""
            const carried = new DataTransfer();
            carried.items.add(new File([{text}], "{file.name}", {{type: "text/csv"}}));
            const over = kind => document.getElementById("drop").dispatchEvent(
              new DragEvent(kind, {{bubbles: true, cancelable: true, dataTransfer: carried}}));
            over("dragover"); over("drop");""")


def dropped_faults(page):
    """A file that is dropped is scored and ranked."""
    page.drop(EXAMPLE)
    scored = f"{EXAMPLE.name}: {ROWS} rows."
    page.until(f"document.getElementById('status').textContent === '{scored}'", "the rows are scored")
    faults = []
    first = page.run("return [...document.querySelectorAll('#rows tbody tr[data-place] td:nth-child(3)')]"
                     ".map(cell => Number(cell.textContent))")
    if first != sorted(first, reverse=True) or len(first) < 10:
        faults.append(f"The rows are not ranked by their score: {first[:10]}.")
    drawn = page.run("return document.querySelectorAll('#rows tbody tr').length")
    if drawn > 100:
        faults.append(f"{drawn} rows are drawn where some thirty are in view.")
    painted = page.run("""
        const canvas = document.getElementById("map");
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return data.filter((value, i) => i % 4 === 3 && value > 0).length;""")
    if painted < 1000:
        faults.append(f"The map has {painted} painted pixels.")
    return faults


def example_faults(page):
    """The example is a click away."""
    page.click("#example")
    page.until(f"document.getElementById('status').textContent === 'example.csv: {ROWS} rows.'", "the example is scored")
    return []


def slider_faults(page):
    """The slider recounts as it moves, by key."""
    before = page.text("count")
    page.focus("#threshold")
    page.press(*[DOWN] * 5)
    after = page.text("count")
    faults = [] if before != after else [f'The slider moves and the count stays "{before}".']
    above = page.run("""
        const flagged = [...document.querySelectorAll('#rows tbody tr[data-place] td.flagged')].length;
        return [flagged, Number(document.getElementById('count').textContent.split(' ')[0])];""")
    if above[0] == 0 or above[1] == 0:
        faults.append(f"Nothing is above the threshold: {above}.")
    if page.run("return document.querySelectorAll('#histogram .above').length") == 0:
        faults.append("The histogram has no part above the threshold.")
    if "threshold=" not in page.run("return location.hash"):
        faults.append("The address does not keep the threshold.")
    page.click("#threshold-reset")
    if page.text("count") != before:
        faults.append("The slider does not go back to the model's threshold.")
    return faults


def row_faults(page):
    """A row opens by key, with reasons, and by click."""
    page.focus("#rows")
    page.press(DOWN, DOWN)
    page.until("document.querySelectorAll('#reasons tbody tr').length === 30", "a row has its reasons")
    faults = []
    chosen = page.run("return document.querySelector('#rows [aria-selected=true]').dataset.place")
    if chosen != "1":
        faults.append(f"Two arrows down lead to row {chosen}, not 1.")
    title = page.text("row-title")
    page.click("#rows tr[data-place='4']")
    page.until(f"document.getElementById('row-title').textContent !== '{title}'", "a click opens another row")
    return faults


def what_if_faults(page):
    """A cell is changed: another score, and back."""
    page.until("document.getElementById('verdict').textContent.startsWith('Score')", "the row has a verdict")
    before = page.text("verdict")
    page.run("document.getElementById('cell-0').value = ''")
    page.type("#cell-0", "500")
    page.until("document.getElementById('verdict').textContent.includes('as it is')", "the score follows a cell")
    faults = []
    reason = page.run("return document.querySelector('#reasons tbody th').textContent")
    if reason != "mean_radius":
        faults.append(f"A radius of 500 is not the first reason, {reason} is.")
    if not page.run("return document.getElementById('cell-0').classList.contains('changed')"):
        faults.append("A changed cell is not marked.")
    page.click("#cells-reset")
    page.until(f"document.getElementById('verdict').textContent === {json.dumps(before)}", "the row is as it was")
    return faults


def compare_faults(page):
    """The model is compared with itself, and a table with its half."""
    page.run("""
        const other = document.getElementById("other-model");
        other.value = "example";
        other.dispatchEvent(new Event("change"));""")
    page.until("document.getElementById('compared').textContent.includes('Both flag')", "two models are compared")
    words = page.text("compared")
    faults = [] if "only the first 0, only the second 0" in words else [f'A model differs from itself: "{words}".']
    if page.run("return document.querySelectorAll('#p-values rect').length") != 10:
        faults.append("The histogram of p-values has not ten bars.")
    return faults


def download_faults(page, folder, binary):
    """Scores and model are saved, and are those of the program."""
    page.session.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    page.click("#save-scores")
    page.click("#save-model")
    scores, model = folder / "scores.csv", folder / "example.sosrep"
    end = time.monotonic() + PATIENCE
    while not (scores.exists() and model.exists()):
        if time.monotonic() > end:
            return [f"There are only {[file.name for file in folder.iterdir()]} to be saved."]
        time.sleep(0.05)
    command = [binary, "score", model, EXAMPLE, "--quiet"]
    expected = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [] if scores.read_text() == expected else ["The scores saved are not those of the program."]


def fit_faults(page):
    """A model is fitted to the table, and used."""
    page.run("document.getElementById('fit-label').value = 'diagnosis'")
    page.click("#fit-start")
    page.until("document.getElementById('model').value === 'fit-1'", "the fitted model is chosen")
    page.until(f"document.getElementById('status').textContent.includes('{ROWS} rows')", "it scores the table")
    return []


def fault_faults(page, folder):
    """A table that is wrong is told so, in a sentence."""
    wrong = folder / "wrong.csv"
    wrong.write_text("a,b\n1,2\n")
    page.drop(wrong)
    page.until("document.getElementById('fault').textContent.includes('mean_radius')", "a fault is told")
    return []


def token_faults(page, binary):
    """A service with a token asks for it, and takes the right one."""
    with served(binary, SOSREP_TOKEN=TOKEN) as address:
        page.session.post("/url", {"url": address})
        page.until("!document.getElementById('access').hidden", "the token is asked for")
        page.type("#token", "wrong" + TOKEN + "\n")
        page.until("document.getElementById('fault').textContent.includes('token')", "a wrong token is refused")
        page.run("document.getElementById('token').value = ''")
        page.type("#token", TOKEN + "\n")
        page.until("document.getElementById('access').hidden", "the token is taken")
        page.until("document.getElementById('model').value === 'example'", "the model is there")
    return []


def keyboard_faults(page):
    """All that can be used is reached by the tabulator, and everything has a name."""
    page.run("document.activeElement.blur()")
    reached = set()
    for _ in range(80):
        page.press(TAB)
        reached.add(page.run("return document.activeElement.id"))
    needed = {"model", "file", "example", "threshold", "rows", "save-scores", "save-model", "other-model", "cell-0"}
    faults = [f'The tabulator does not reach "{name}".' for name in sorted(needed - reached)]
    return faults + [f"{fault}." for fault in page.run(NAMELESS)]


def request_faults(page, address):
    outside = [name for name in page.run(LOADED) if not name.startswith((address, "blob:", "data:"))]
    return [f"The page loads {name}." for name in outside]


def log_faults(page):
    """What the browser complains of; an answer of 400 to a wrong table is expected."""
    return [fault for fault in browser.log_faults(page.session) if "status of 400" not in fault]


def layout_faults(page, width):
    page.session.resize(width)
    return [f"At {width} px, {fault}." for fault in page.run(browser.TOO_WIDE) + page.run(browser.CROWDED)]


def pictures(page, folder):
    """Pictures for a reader's eye."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, width, scheme in [("light", WIDE, "light"), ("dark", WIDE, "dark"), ("narrow", NARROW, "light")]:
        page.session.colour_scheme(scheme)
        page.session.screenshot(folder / f"explorer_{name}.png", width)


def all_faults(session, address, binary, folder, screenshots):
    """What is wrong with the page, as sentences."""
    session.resize(WIDE)
    session.colour_scheme("light")
    session.post("/url", {"url": address})
    page = Page(session)
    page.until("document.getElementById('model').value === 'example'", "the model is there")
    faults = [
        *example_faults(page),
        *dropped_faults(page),
        *slider_faults(page),
        *row_faults(page),
        *what_if_faults(page),
        *compare_faults(page),
        *download_faults(page, folder, binary),
        *keyboard_faults(page),
        *layout_faults(page, NARROW),
        *layout_faults(page, WIDE),
        *browser.colour_faults(session, "dark"),
        *browser.colour_faults(session, "light"),
    ]
    if screenshots:
        pictures(page, screenshots)
        session.resize(WIDE)
    return [
        *faults,
        *fit_faults(page),
        *fault_faults(page, folder),
        *request_faults(page, address),
        *log_faults(page),
        *token_faults(page, binary),
    ]


def look(arguments, programs):
    """Serves the example and looks at its page."""
    binary = arguments.binary.resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        saved = Path(folder) / "saved"
        saved.mkdir()
        with served(binary, "--allow-fit") as address, browser.opened(*programs, folder) as session:
            return all_faults(session, address, binary, saved, arguments.screenshots)


def main():
    """The exit code: 0, or 1 after a sentence on each fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER", help="where pictures go")
    parser.add_argument("binary", metavar="BINARY", type=Path, help="the sosrep to run")
    arguments = parser.parse_args()
    programs = [shutil.which(name) for name in ("chromedriver", "chromium")]
    if None in programs:
        print("skipped: no chromium")
        return 0
    try:
        faults = look(arguments, programs)
    except NoBrowser as reason:
        print(f"skipped: chromium does not start: {reason}")
        return 0
    except (Failure, OSError) as failure:
        faults = [str(failure)]
    for fault in faults:
        print(f"failed: {fault}", file=sys.stderr)
    print("no fault found" if not faults else f"faults: {len(faults)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
