"""Looks at a report the way a reader does: in a browser, light and dark, wide and narrow, on paper.

    python browser.py [--bandwidth fisher] [--screenshots FOLDER] BINARY

The page is made by the binary from its example and opened in headless Chromium, which is driven
through chromedriver by plain HTTP requests (Debian: `chromium`, `chromium-driver`). Every fault
found is printed as a sentence, and the exit code is 1 if there is any. Without a browser nothing is
looked at, and the exit code is 0.

The contrast of a text is that with the nearest ground in the document; what else a figure draws
behind its texts is not known here.
"""

import argparse
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

TITLE = "Anomalies in breast_cancer.csv"
SECTIONS = {
    "scores": "How strange the rows are",
    "anomalies": "The strangest rows, and why",
    "rows": "All rows that stand out",
    "map": "Where they lie",
    "bandwidth": "How the bandwidth was chosen",
    "columns": "The columns",
    "detection": "How well known anomalies are found",
    "notes": "Notes",
    "reproduce": "How to get this page again",
}
# Sections that a page may do without: a bandwidth by rule has no curve, a clean run no notes.
OPTIONAL = {"bandwidth", "notes"}
WIDE, NARROW, HEIGHT = 1200, 400, 900
LEAST_CONTRAST = 4.5
SMALLEST_PDF = 10_000
TIMEOUT = 60
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Whatever the page loads or could load from elsewhere; a link to follow by hand is no such thing.
FETCHED = """
const faults = performance.getEntriesByType("resource").map(entry => "loads " + entry.name);
for (const element of document.querySelectorAll("*")) {
  for (const {name, value} of element.attributes) {
    const names = ["src", "srcset", "href", "xlink:href", "data", "poster", "action", "background"];
    const remote = names.includes(name) && /(^|[\\s,])(https?:)?\\/\\//i.test(value);
    if (remote && element.localName !== "a")
      faults.push(`has ${name}="${value}" in <${element.localName}>`);
    if (name.startsWith("on")) faults.push(`has a script in ${name} of <${element.localName}>`);
  }
  if (/url\\(|@import/i.test(element.localName === "style" ? element.textContent : ""))
    faults.push("has a style that loads something");
}
if ([...document.scripts].some(script => script.src)) faults.push("has a script from elsewhere");
return faults;
"""

DISPLAYED = """
return [...document.querySelectorAll("main > section")].map(section => {
  const box = section.getBoundingClientRect();
  const heading = section.querySelector("h2");
  return {id: section.id, heading: heading ? heading.innerText : "",
          seen: section.checkVisibility() && box.width > 0 && box.height > 0};
});
"""

FIGURES = """
return [...document.querySelectorAll("svg")].map(svg => {
  const box = svg.getBoundingClientRect();
  const title = svg.querySelector(":scope > title");
  return {element: svg, role: svg.getAttribute("role"),
          title: title ? title.textContent.trim() : "",
          seen: box.width > 0 && box.height > 0};
});
"""

# Sorts by every column twice, by click and by key, and searches; what does not come out as expected.
ROWS = """
const box = document.querySelector(".rows");
const faults = [];
const rows = () => [...box.querySelectorAll("tbody tr")].filter(row => !row.hidden);
const heads = [...box.querySelectorAll("thead th")];
const value = (row, column) => {
  const cell = row.cells[column];
  return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
};
const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
  : String(a).localeCompare(String(b), "en", {numeric: true});
const all = rows().length;
heads.forEach((head, column) => {
  const name = head.textContent.trim(), button = head.querySelector("button");
  if (!button) return faults.push(`the column "${name}" has no button`);
  button.focus();
  if (document.activeElement !== button) faults.push(`the column "${name}" takes no focus`);
  for (let time = 0; time < 2; time++) {
    button.click();
    const sign = head.getAttribute("aria-sort") === "descending" ? -1 : 1;
    const values = rows().map(row => value(row, column));
    if (values.some((next, i) => i > 0 && sign * order(values[i - 1], next) > 0))
      faults.push(`the rows are not sorted by "${name}" ${head.getAttribute("aria-sort")}`);
  }
  if (box.querySelectorAll("th[aria-sort]").length !== 1)
    faults.push(`more than one column is marked as sorted after "${name}"`);
});
heads[0].querySelector("button").click();
const input = box.querySelector("input");
if (!input.checkVisibility() || !input.labels.length) faults.push("the search cannot be seen");
const search = words => {
  input.value = words;
  input.dispatchEvent(new Event("input"));
  return rows();
};
const wanted = rows()[0].cells[1].textContent.trim();
// A row has no reasons where no column adds to its score.
const reason = rows()[0].querySelector(".why bdi");
const word = reason ? reason.textContent : "flagged";
const found = search(word.toUpperCase() + " " + wanted);
if (!found.some(row => row.cells[1].textContent.trim() === wanted))
  faults.push(`searching for "${word} ${wanted}" does not find its row`);
if (found.some(row => !row.textContent.includes(wanted) || !row.textContent.includes(word)))
  faults.push("searching leaves rows without the words");
if (!box.querySelector("output").textContent.startsWith(`${found.length} of ${all} `))
  faults.push(`the search says "${box.querySelector("output").textContent}"`);
if (search("no row has this").length) faults.push("searching for nonsense finds rows");
if (search("").length !== all) faults.push("an empty search does not show all rows");
return faults;
"""

# What sticks out to the right, unless a box around it scrolls or clips.
TOO_WIDE = """
const root = document.documentElement;
const held = element => element !== null && element !== root
  && (getComputedStyle(element).overflowX !== "visible" || held(element.parentElement));
const wide = [...document.body.querySelectorAll("*")].filter(element =>
  element.getBoundingClientRect().right > root.clientWidth + 1 && !held(element.parentElement));
const faults = wide.map(element =>
  `<${element.localName} class="${element.getAttribute("class") || ""}"> sticks out of the page`);
if (root.scrollWidth > root.clientWidth)
  faults.unshift(`the page takes ${root.scrollWidth} px where there are ${root.clientWidth}`);
return faults;
"""

# Every element with text of its own, its colour and the colour of its ground.
COLOURS = """
const clear = colour => /^rgba\\(.*, 0\\)$/.test(colour);
const ground = element => {
  const colour = getComputedStyle(element).backgroundColor;
  return clear(colour) && element.parentElement ? ground(element.parentElement) : colour;
};
const written = element => [...element.childNodes].some(node =>
  node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
const shown = [...document.body.querySelectorAll("*")].filter(element =>
  written(element) && !["title", "desc"].includes(element.localName));
return [document.body, ...shown].map(element => {
  const style = getComputedStyle(element);
  const ink = element instanceof SVGElement ? style.fill : style.color;
  return {text: element.localName + " " + element.textContent.trim().slice(0, 40),
          ink, ground: ground(element)};
});
"""

# Texts of a figure that cover each other or leave it, by more than a pixel. The box of a text has
# room for the tallest letters of its font; what counts is the ink, except where a text is turned.
CROWDED = """
const faults = [];
const pen = document.createElement("canvas").getContext("2d");
const words = text => [...text.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
  .map(node => node.textContent).join("").trim();
const ink = text => {
  const {left, right, top, bottom} = text.getBoundingClientRect();
  if (text.hasAttribute("transform")) return {left, right, top, bottom};
  const style = getComputedStyle(text);
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const size = pen.measureText(words(text));
  const scale = (bottom - top) / (size.fontBoundingBoxAscent + size.fontBoundingBoxDescent);
  const above = scale * (size.fontBoundingBoxAscent - size.actualBoundingBoxAscent);
  const below = scale * (size.fontBoundingBoxDescent - size.actualBoundingBoxDescent);
  return {left, right, top: top + above, bottom: bottom - below};
};
for (const svg of document.querySelectorAll("svg")) {
  const frame = svg.getBoundingClientRect();
  const name = `"${(svg.getAttribute("aria-label") || "").slice(0, 60)}"`;
  const texts = [...svg.querySelectorAll("text")].filter(words)
    .map(text => ({words: words(text), box: ink(text)}));
  texts.forEach(({words, box}, index) => {
    if (box.left < frame.left - 1 || box.right > frame.right + 1
        || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      faults.push(`in ${name}, "${words}" leaves the figure`);
    for (const other of texts.slice(index + 1)) {
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (across > 1 && down > 1)
        faults.push(`in ${name}, "${words}" and "${other.words}" overlap by `
          + `${across.toFixed(1)} by ${down.toFixed(1)} px`);
    }
  });
}
return faults;
"""


class Failure(Exception):
    """A sentence on why the page could not be looked at."""


class NoBrowser(Exception):
    """A sentence on why there is no browser to look with."""


# The driver is on this machine, whatever proxy the rest of the world is behind.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Browser:
    """A session of a browser behind chromedriver."""

    def __init__(self, address, chromium, profile):
        self.address = address
        arguments = [*FLAGS, f"--user-data-dir={profile}"]
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": chromium, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        session = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{session['sessionId']}"

    def send(self, method, path, body=None):
        """One request; the value of its answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with OPENER.open(request, timeout=TIMEOUT) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            message = json.load(error)["value"]["message"].splitlines()[0]
            raise Failure(f"The browser refused {path.split('/')[-1]}: {message}.") from None

    def get(self, path):
        return self.send("GET", self.session + path)

    def post(self, path, body):
        return self.send("POST", self.session + path, body)

    def run(self, script):
        """What a script returns in the page."""
        return self.post("/execute/sync", {"script": script, "args": []})

    def devtools(self, command, **parameters):
        return self.post("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height=HEIGHT):
        """A window cannot be as narrow as a telephone; the view inside it can."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)

    def colour_scheme(self, name):
        feature = {"name": "prefers-color-scheme", "value": name}
        self.devtools("Emulation.setEmulatedMedia", features=[feature])

    def screenshot(self, path, width):
        """The whole page at a width, in a view high enough for it."""
        self.resize(width)
        self.resize(width, self.run("return document.documentElement.scrollHeight"))
        path.write_bytes(base64.b64decode(self.get("/screenshot")))


@contextlib.contextmanager
def opened(chromedriver, chromium, folder):
    """A browser that leaves its files in a folder, closed in the end whatever happens."""
    command, places = [chromedriver, "--port=0"], {**os.environ, "TMPDIR": folder}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=places) as driver:
        try:
            try:
                address = f"http://127.0.0.1:{port(driver.stdout)}"
                browser = Browser(address, chromium, f"{folder}/profile")
            except (Failure, OSError) as failure:
                raise NoBrowser(str(failure)) from None
            try:
                yield browser
            finally:
                browser.send("DELETE", browser.session)
        finally:
            driver.terminate()


def port(lines):
    """The port that chromedriver says it has taken."""
    for line in lines:
        if found := re.search(r"started successfully on port (\d+)", line):
            return int(found[1])
    raise Failure("chromedriver ended before it listened.")


def title_faults(browser):
    title = browser.get("/title")
    return [] if title == TITLE else [f'The title is "{title}", not "{TITLE}".']


def log_faults(browser):
    entries = browser.post("/se/log", {"type": "browser"})
    severe = [entry for entry in entries if entry["level"] == "SEVERE"]
    return [f"The browser complains: {entry['message']}" for entry in severe]


def request_faults(browser):
    return [f"The page {fault}." for fault in browser.run(FETCHED)]


def section_faults(browser, expected):
    """Every section is there, in its order, under its heading, and can be seen."""
    sections = browser.run(DISPLAYED)
    found = [section["id"] for section in sections]
    unseen = [section["id"] for section in sections if not section["seen"]]
    faults = [f'Section "{name}" cannot be seen.' for name in unseen]
    needed = [name for name in SECTIONS if name in expected or name in found]
    if found != needed:
        faults.append(f"The sections are {', '.join(found)}, not {', '.join(needed)}.")
    for section in sections:
        if section["heading"] != SECTIONS.get(section["id"]):
            faults.append(f'Section "{section["id"]}" is headed "{section["heading"]}".')
    return faults


def figure_faults(browser):
    """Every figure can be seen, has a title, and says what it is to those who do not see it."""
    figures = browser.run(FIGURES)
    faults = [] if figures else ["The page has no figures."]
    for number, figure in enumerate(figures, 1):
        name = f'Figure {number}, "{figure["title"][:60]}",'
        (element,) = figure["element"].values()
        if figure["role"] != "img":
            faults.append(f"{name} has the role {figure['role']}.")
        if not figure["seen"]:
            faults.append(f"{name} has no size.")
        if not figure["title"]:
            faults.append(f"{name} has no title.")
        if not browser.get(f"/element/{element}/computedlabel"):
            faults.append(f"{name} has no accessible name.")
    return faults


def row_faults(browser):
    """The table of rows sorts by every column and finds what is searched for."""
    return [f"In the table of rows, {fault}." for fault in browser.run(ROWS)]


def layout_faults(browser, width):
    """Nothing sticks out of the page, no text covers another one."""
    browser.resize(width)
    faults = browser.run(TOO_WIDE) + browser.run(CROWDED)
    return [f"At {width} px, {fault}." for fault in faults]


def luminance(colour):
    """Relative luminance of a colour written rgb(r, g, b), as WCAG defines it."""
    channels = [int(channel) / 255 for channel in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def colour_faults(browser, scheme):
    """Every text stands out from its ground, which is of the scheme asked for."""
    browser.colour_scheme(scheme)
    texts = browser.run(COLOURS)
    faults = []
    if (luminance(texts[0]["ground"]) > 0.5) != (scheme == "light"):
        faults.append(f"In {scheme}, the ground of the page is {texts[0]['ground']}.")
    contrasts = [(contrast(text["ink"], text["ground"]), text["text"]) for text in texts]
    print(f"{scheme}: {len(texts)} texts, lowest contrast {min(contrasts)[0]:.2f}")
    for value, text in contrasts:
        if value < LEAST_CONTRAST:
            faults.append(f'In {scheme}, "{text}" has a contrast of {value:.2f}.')
    return faults


def print_faults(browser):
    """The page can be printed, and the print is not empty."""
    paper = base64.b64decode(browser.post("/print", {"background": False}))
    pages = len(re.findall(rb"/Type\s*/Page\b", paper))
    print(f"print: {pages} pages, {len(paper)} bytes")
    if not paper.startswith(b"%PDF") or len(paper) < SMALLEST_PDF or pages == 0:
        return [f"Printing gave {len(paper)} bytes and {pages} pages."]
    return []


def pictures(browser, folder):
    """Pictures of the page for a reader's eye."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, width, scheme in [
        ("light", WIDE, "light"),
        ("dark", WIDE, "dark"),
        ("narrow", NARROW, "light"),
    ]:
        browser.colour_scheme(scheme)
        browser.screenshot(folder / f"{name}.png", width)


def all_faults(browser, report, expected):
    """What is wrong with a page, as sentences."""
    browser.resize(WIDE)
    browser.colour_scheme("light")
    browser.post("/url", {"url": report.as_uri()})
    return [
        *title_faults(browser),
        *request_faults(browser),
        *section_faults(browser, expected),
        *figure_faults(browser),
        *row_faults(browser),
        *layout_faults(browser, NARROW),
        *layout_faults(browser, WIDE),
        *colour_faults(browser, "dark"),
        *colour_faults(browser, "light"),
        *print_faults(browser),
        *log_faults(browser),
    ]


def make_report(binary, bandwidth, report):
    """The page on the example; with a criterion for the bandwidth it has every section."""
    command = [binary, "detect", "--bandwidth", bandwidth, "--report", report, "--quiet"]
    ended = subprocess.run(command, stdout=subprocess.DEVNULL)
    if ended.returncode != 0:
        raise Failure(f"{binary.name} detect ended with exit code {ended.returncode}.")


def look(arguments, chromedriver, chromium):
    """Makes a page and looks at it."""
    expected = set(SECTIONS) - OPTIONAL
    if arguments.bandwidth == "fisher":
        expected.add("bandwidth")
    # The browser may still be writing to its profile while that is removed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        report = Path(folder) / "r.html"
        make_report(arguments.binary.resolve(), arguments.bandwidth, report)
        with opened(chromedriver, chromium, folder) as browser:
            faults = all_faults(browser, report, expected)
            if arguments.screenshots:
                pictures(browser, arguments.screenshots)
            return faults


def main():
    """The exit code: 0, or 1 after a sentence on each fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bandwidth", default="fisher", help="how the bandwidth is chosen")
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER", help="where pictures go")
    parser.add_argument("binary", metavar="BINARY", type=Path, help="the sosrep to run")
    arguments = parser.parse_args()
    programs = [shutil.which(name) for name in ("chromedriver", "chromium")]
    if None in programs:
        print("skipped: no chromium")
        return 0
    try:
        faults = look(arguments, *programs)
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
