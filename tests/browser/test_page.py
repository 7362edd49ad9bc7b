"""The page of `streamsave report` in a real browser: Debian's Chromium, driven by Playwright, without a network.

`tox -e browser` runs these tests. They are skipped where Playwright's Python package or Chromium is missing.

The file is long because the page is one program, opened once for all of them.
"""

import json
import os
import shutil
from array import array
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_runs import SAMPLES, json_lines, run
from pages import read_page
from saves import VALID

from streamsave.report.page import Page

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright's Python package is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]

WORLD = SAMPLES[2]
#: Real saves of which screenshots are taken if there are some.
REAL = ("satisfactory/v12-ported-sv58-250k.sav", "gvas/drg-ue422.sav", "gvas/palworld-level-plz-280k.sav")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def shots(tmp_path_factory):
    """Where screenshots go: they stay in tox's folder."""
    folder = os.environ.get("TOX_ENV_DIR")
    target = Path(folder, "screenshots") if folder else tmp_path_factory.mktemp("screenshots")
    target.mkdir(exist_ok=True)
    return target


@contextmanager
def opened(browser, path, scheme="light", width=1200, height=900):
    """Open a page, and wait until it is ready; no error may come."""
    context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": width, "height": height})
    try:
        page = context.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: errors.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
        page.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        page.locator("html[data-ready]").wait_for(timeout=20_000)
        yield page
        assert errors == []
    finally:
        context.close()


def write(folder, save) -> Path:
    path = folder / f"{Path(save).name}.html"
    result = run("report", save, "-o", path)
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write(tmp_path_factory.mktemp("world"), WORLD)


def drawn(page) -> str:
    page.wait_for_timeout(60)
    return page.evaluate("document.querySelector('#map').toDataURL()")


def settled(page) -> None:
    """Wait until a search has been made."""
    page.wait_for_timeout(250)


def counts_of(page) -> dict[str, int]:
    """Categories of the legend with their counts."""
    texts = page.locator("#legend button").all_inner_texts()
    return {text.rpartition(" ")[0]: int(text.rpartition(" ")[2].replace(",", "")) for text in texts}


def test_legend_counts_what_ls_lists(browser, world):
    data = read_page(world)
    with opened(browser, world) as page:
        counts = counts_of(page)
    assert counts == Counter(data.rest["categories"][data.rest["classes"][number][3]][0] for number in data.classes)
    placed = [row for row in json_lines("ls", WORLD) if row["position_metres"] is not None]
    assert sum(counts.values()) == len(placed) > 20


def test_a_category_is_taken_off_and_put_back(browser, world):
    with opened(browser, world) as page:
        value = page.locator("#legend button[aria-pressed=true]").first.get_attribute("value")
        button = page.locator(f"#legend button[value='{value}']")
        before = drawn(page)
        button.click()
        assert button.get_attribute("aria-pressed") == "false"
        assert drawn(page) != before
        button.click()
        assert drawn(page) == before


def test_search_zoom_and_the_whole_map(browser, world):
    found = json_lines("ls", WORLD, "--where", 'class_name = "*CreatureSpawner*"')
    with opened(browser, world) as page:
        before = drawn(page)
        assert page.locator("#zoom-found").is_disabled()
        page.fill("#search", "creature spawner")
        settled(page)
        assert page.locator("#found").inner_text() == f"{len(found)} found"
        assert drawn(page) != before
        page.fill("#search", found[0]["instance_name"])
        settled(page)
        for _ in range(9):
            page.locator("#map").press("-")
        drawn(page)
        scale = page.locator("#scale").inner_text()
        page.click("#zoom-found")
        drawn(page)
        assert page.locator("#scale").inner_text() != scale
        page.fill("#search", "no such thing")
        settled(page)
        assert page.locator("#found").inner_text() == "0 found"
        page.click("#all")


def test_pan_and_zoom_with_mouse_and_keys(browser, world):
    with opened(browser, world) as page:
        box = page.locator("#map").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        before, scale = drawn(page), page.locator("#scale").inner_text()
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 80, y + 40, steps=3)
        page.mouse.up()
        assert drawn(page) != before
        page.focus("#map")
        for key in ("ArrowLeft", "ArrowUp", "+", "-"):
            now = drawn(page)
            page.keyboard.press(key)
            assert drawn(page) != now, key
        page.mouse.wheel(0, -1200)
        drawn(page)
        assert page.locator("#scale").inner_text() != scale
        page.keyboard.press("0")
        assert drawn(page) == before


def test_an_object_says_what_it_is(browser, world):
    name = next(name for name in read_page(world).names if "Spawner" in name)
    with opened(browser, world) as page:
        page.fill("#search", name)
        settled(page)
        page.click("#zoom-found")
        page.wait_for_timeout(60)
        box = page.locator("#map").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        tip = page.locator("#tip").inner_text()
        assert "Creature Spawner" in tip
        assert " m, " in tip
        page.mouse.click(x, y)
        picked = page.locator("#picked code").inner_text()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("#picked button").press("Enter")
        page.locator("#picked button", has_text="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == picked
    assert run("get", WORLD, picked).exit_code == 0


def test_enter_picks_what_is_in_the_middle(browser, world):
    names = read_page(world).names
    name = next(name for name in names if sum(name in other for other in names) == 1)
    with opened(browser, world) as page:
        page.fill("#search", name)
        settled(page)
        page.click("#zoom-found")
        page.wait_for_timeout(60)
        page.locator("#map").press("Enter")
        assert page.locator("#picked code").inner_text() == name
        assert name in page.locator("#tip").inner_text()


def fingers(page, kind, *places):
    """Send one event of touching fingers to the map, as a browser does: one event for each finger."""
    for number, (x, y) in enumerate(places):
        page.locator("#map").dispatch_event(
            kind, {"pointerId": number + 10, "pointerType": "touch", "clientX": x, "clientY": y, "isPrimary": number == 0}
        )


def test_two_fingers_zoom(browser, world):
    with opened(browser, world) as page:
        page.evaluate("Element.prototype.setPointerCapture = () => {}")  # only real pointers can be captured
        box = page.locator("#map").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        before, scale = drawn(page), page.locator("#scale").inner_text()
        fingers(page, "pointerdown", (x - 20, y), (x + 20, y))
        fingers(page, "pointermove", (x - 80, y), (x + 80, y))
        assert drawn(page) != before
        assert page.locator("#scale").inner_text() != scale
        fingers(page, "pointerup", (x - 80, y), (x + 80, y))
        assert page.locator("#picked").is_hidden()
        fingers(page, "pointerdown", (x - 80, y), (x + 80, y))
        fingers(page, "pointermove", (x - 20, y), (x + 20, y))
        fingers(page, "pointerup", (x - 20, y), (x + 20, y))
        playwright.expect(page.locator("#scale")).to_have_text(scale)  # once it is drawn


def test_a_tile_opens_and_the_trail_leads_back(browser, world):
    tree = read_page(world).rest["tree"]
    with opened(browser, world) as page:
        page.locator("#tiles > button").first.click()
        trail = page.locator("#trail button")
        assert trail.all_inner_texts() == ["everything", tree[3][0][0]]
        page.locator("#tiles > *").first.wait_for()
        page.keyboard.press("Enter")  # the first tile has the focus
        assert trail.count() in {2, 3}
        trail.first.click()
        assert trail.all_inner_texts() == ["everything"]


def test_tables_are_sorted_and_filtered(browser, world):
    rows = read_page(world).rest["table"]
    with opened(browser, world) as page:
        cells = page.locator("#classes td:last-child")
        sizes = [int(text.replace(",", "")) for text in cells.all_inner_texts()]
        assert sizes == sorted(sizes, reverse=True)
        assert page.locator("#classes th").last.get_attribute("aria-sort") == "descending"
        page.locator("#classes th button").last.click()
        sizes = [int(text.replace(",", "")) for text in cells.all_inner_texts()]
        assert sizes == sorted(sizes)
        page.fill("#classes input", "spawner")
        expected = sum("spawner" in f"{row[0]} {row[1]}".lower() for row in rows)
        assert page.locator("#classes tbody tr").count() == expected > 0
        assert page.locator("#classes output").inner_text().startswith(f"{expected} of ")
        page.locator("#classes td button").first.click()
        assert page.locator("#search").input_value() in {row[1] for row in rows}
        assert page.locator("#items tbody tr").count() == len(read_page(world).rest["items"])


def test_a_store_says_what_is_in_it(browser, world):
    (name, _, _, count) = next(row for row in read_page(world).details if row[1] >= 0)
    with opened(browser, world) as page:
        page.fill("#search", name)
        settled(page)
        page.click("#zoom-found")
        page.wait_for_timeout(60)
        box = page.locator("#map").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert page.locator("#tip .said").all_inner_texts() == [f"{count} Iron Plate"]


def test_a_place_of_a_section_is_shown_on_the_map(browser, tmp_path):
    with opened(browser, write(tmp_path, VALID / "gvas" / "palworld-1.0.sav")) as page:
        assert page.locator("#contents a").all_inner_texts() == ["Guilds 1", "Bases 1"]
        assert page.locator("#bases p code").inner_text() == "streamsave palworld bases"
        before = drawn(page)
        page.locator("#bases td button").first.click()
        assert drawn(page) != before
        switch = page.locator("#legend button", has_text="names: Bases")
        named = drawn(page)
        switch.click()
        assert drawn(page) != named


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def test_hostile_names_stay_texts(browser, tmp_path):
    pieces = []
    page_file = Page(pieces.append, HOSTILE, [(HOSTILE, HOSTILE)])
    part = [HOSTILE, 10, 0, []]
    rest = {
        "note": HOSTILE,
        "unit": HOSTILE,
        "categories": [[HOSTILE, "#000000", "#FFFFFF"]],
        "classes": [["actor", HOSTILE, HOSTILE, 0, [], False, False]],
        "sections": [
            {
                "id": HOSTILE,
                "title": HOSTILE,
                "about": HOSTILE,
                "command": HOSTILE,
                "columns": [[HOSTILE, "text"], ["class", "class"], ["name", "id"], ["place", "place"]],
                "rows": [[HOSTILE, [HOSTILE, HOSTILE + "3"], HOSTILE, [0, 0, 0]]],
                "total": 1,
                "why": 0,
                "label": 0,
            }
        ],
        "recipes": [HOSTILE],
        "parts": [HOSTILE],
        "hasCategories": True,
        "table": [[HOSTILE, HOSTILE, HOSTILE, 0, 1, 1, 10, HOSTILE]],
        "items": [[HOSTILE, HOSTILE + "2", 1, 1]],
        "tree": [HOSTILE, 10, 0, [[HOSTILE, 10, 0, [part]]]],
    }
    columns = [array("f", [0]), array("f", [0]), array("H", [0]), array("B", [0])]
    page_file.blocks.add(0, 1, columns, json.dumps([HOSTILE]).encode())
    page_file.blocks.add(4, 0, [], json.dumps([[HOSTILE, -1, 1, 1], [HOSTILE, 0, HOSTILE, 3]]).encode())
    page_file.end(rest)
    path = tmp_path / "hostile.html"
    path.write_text("".join(pieces), encoding="utf-8")
    with opened(browser, path) as page:
        assert page.locator("h1").inner_text() == HOSTILE
        assert page.locator("img").count() == 0
        box = page.locator("#map").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert page.locator("#picked code").inner_text() == HOSTILE
        assert page.locator("#tip .said").count() == 3
        page.locator("#tiles > button").first.click()
        assert page.locator("img").count() == 0


@pytest.mark.parametrize("save", ["shapez2/checkpoints.spz2", "gvas/palworld-1.0.sav", "arx/v2.1.sav", "satisfactory/sv58.sbp"])
@pytest.mark.parametrize(("scheme", "width"), [("light", 420), ("dark", 1400)])
def test_saves_of_other_games(browser, shots, tmp_path, save, scheme, width):
    with opened(browser, write(tmp_path, VALID / save), scheme, width) as page:
        # Nothing is wider than the window.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#tiles > *").count() > 0
        page.screenshot(path=shots / f"{Path(save).stem}-{scheme}.png", full_page=True)


@pytest.mark.parametrize("save", REAL, ids=lambda save: Path(save).stem)
def test_real_saves(browser, shots, tmp_path, corpus, save):
    """Screenshots to look at."""
    path = write(tmp_path, corpus / save)
    for scheme, width in (("dark", 1400), ("light", 420)):
        with opened(browser, path, scheme, width) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.screenshot(path=shots / f"{Path(save).stem}-{scheme}.png", full_page=True)
