# SPDX-License-Identifier: Apache-2.0
"""The page of a trace in a real browser: drawn, zoomed, moved, searched. GPUSTREAM_TEST_BROWSER names a Chromium, which is large: only the
long form of the tests has one."""
import os
import struct
import zlib

import pytest
from gpustream import nvtx, trace
from support.browser import Browser
from support.traces import pipeline

pytestmark = pytest.mark.needs_variable("GPUSTREAM_TEST_BROWSER")


@pytest.fixture
def browser(tmp_path):
    folder = tmp_path / "browser"
    folder.mkdir()
    with Browser(os.environ["GPUSTREAM_TEST_BROWSER"], str(folder)) as one:
        yield one


@pytest.fixture
def page(tmp_path):
    with trace.Trace() as one:
        pipeline()
        nvtx.mark("</script><script>document.title='broken out'</script>")
    one.write(tmp_path / "trace.html")
    return (tmp_path / "trace.html").as_uri()


def span(browser):
    """What the page shows, in ms."""
    return [float(word) for word in browser.value('document.getElementById("span").textContent').split(" ms")[0].split(" to ")]


def place(browser, name):
    """The middle of an element."""
    return browser.value(f'(() => {{ const at = document.getElementById("{name}").getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; }})()')


def colours(png):
    """How many pixels of each colour a picture has."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            data += body
        at += size + 12
    assert depth == 8 and colour in (2, 6) and not interlaced
    step, lines, before, found = 3 if colour == 2 else 4, zlib.decompress(data), None, {}
    stride = width * step
    before = bytearray(stride)
    for row in range(height):
        how, line = lines[row * (stride + 1)], bytearray(lines[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for i in range(stride):
            left, up = line[i - step] if i >= step else 0, before[i]
            corner = before[i - step] if i >= step else 0
            if how == 1:
                line[i] = line[i] + left & 255
            elif how == 2:
                line[i] = line[i] + up & 255
            elif how == 3:
                line[i] = line[i] + (left + up) // 2 & 255
            elif how == 4:
                nearest = min((left, up, corner), key=lambda one: (abs(left + up - corner - one), (left, up, corner).index(one)))
                line[i] = line[i] + nearest & 255
        for x in range(0, stride, step):
            one = tuple(line[x:x + 3])
            found[one] = found.get(one, 0) + 1
        before = line
    return found


RANGE, SEARCHED = (0x4E, 0x79, 0xA7), (0xFF, 0x00, 0x00)


def test_a_browser_draws_it(browser, page):
    browser.open(page)
    drawn = colours(browser.screenshot())
    assert drawn.get(RANGE, 0) > 100, drawn
    reddish = sum(count for (red, green, blue), count in drawn.items() if red > green + 60 and red > blue + 60)
    assert reddish > 5, "a wait is narrow here, so its colour is mixed with the background's"
    assert SEARCHED not in drawn
    assert browser.value("document.title") == "gpustream trace", "a name cannot end the script"
    assert browser.complaints() == []


def test_the_wheel_zooms_and_the_mouse_moves(browser, page):
    browser.open(page)
    whole = span(browser)
    x, y = place(browser, "view")
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
    zoomed = span(browser)
    assert whole[0] < zoomed[0] < zoomed[1] < whole[1]
    browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    browser.mouse("mouseMoved", x - 50, y, button="left", buttons=1)
    browser.mouse("mouseReleased", x - 50, y, button="left", clickCount=1)
    moved = span(browser)
    assert moved[0] > zoomed[0] and moved[1] - moved[0] == pytest.approx(zoomed[1] - zoomed[0], abs=0.003)
    browser.click(*place(browser, "all"))
    assert span(browser) == whole
    assert browser.complaints() == []


def test_the_field_searches(browser, page):
    browser.open(page)
    browser.click(*place(browser, "search"))
    browser.type("STEP")
    assert browser.value('document.getElementById("found").textContent') == "1 found"
    assert colours(browser.screenshot()).get(SEARCHED, 0) > 20, "what is found has a red frame"
    browser.type(" that is not there")
    assert browser.value('document.getElementById("found").textContent') == "0 found"
    assert SEARCHED not in colours(browser.screenshot())
    assert browser.complaints() == []


def test_a_bar_says_what_it_is(browser, page):
    browser.open(page)
    top = 'tops[data.bars.find(b => b.name === "step").lane] + data.bars.find(b => b.name === "step").row * ROW + 4'
    x, y = browser.value('(() => { const b = data.bars.find(b => b.name === "step"), at = canvas.getBoundingClientRect();'
                         f'return [at.x + x((b.from + b.to) / 2), at.y + {top}]; }})()')
    browser.mouse("mouseMoved", x, y)
    assert browser.value('document.getElementById("about").style.display') == "block"
    assert browser.value('document.getElementById("about").textContent').startswith("step\n")
    browser.mouse("mouseMoved", 5, y)
    assert browser.value('document.getElementById("about").style.display') == "none", "the names of lanes are no bars"
    assert browser.complaints() == []
