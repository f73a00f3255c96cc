# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of benchmark results."""
from lib.results import LABELS, Key


def number(value):
    return f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def header(cells, left=1):
    return [row(cells), row(["---"] * left + ["---:"] * (len(cells) - left))]


def one_thread(results):
    """Every library's median with its tenth and ninetieth percentile, and how far gpustream is from the driver."""
    libraries = results.libraries()
    compare = "driver" in libraries and "gpustream" in libraries
    titles = ["call", "stream"] + [LABELS[name] for name in libraries]
    lines = header(titles + (["over the driver", "ratio"] if compare else []), left=2)
    for call, state in results.rows():
        summaries = {name: results.summary(Key(call, state, name, 1)) for name in libraries}
        cells = [call, state]
        for name in libraries:
            s = summaries[name]
            cells.append(f"{number(s.median)} ({number(s.p10)}–{number(s.p90)})" if s else "–")
        if compare:
            ours, theirs = summaries["gpustream"], summaries["driver"]
            both = ours and theirs
            cells.append(f"{ours.median - theirs.median:+.1f}" if both else "–")
            cells.append(f"{ours.median / theirs.median:.2f}" if both else "–")
        lines.append(row(cells))
    return "\n".join(lines) + "\n"


def many_threads(results):
    """Medians over the number of threads; counts above the number of cores are marked by a star."""
    counts = results.thread_counts()
    marked = [f"{n}{'*' if n > results.cores else ''}" for n in counts]
    lines = header(["call", "stream", "library"] + marked, left=3)
    for call, state in results.rows():
        for name in results.libraries():
            summaries = [results.summary(Key(call, state, name, n)) for n in counts]
            if any(summaries):
                lines.append(row([call, state, LABELS[name]] + [number(s.median) if s else "–" for s in summaries]))
    text = "\n".join(lines) + "\n"
    if any(n > results.cores for n in counts):
        text += f"\n\\* more threads than the {results.cores} cores of this machine\n"
    return text


def errors(results):
    return "".join(f"- {key.call}, {key.state}, {LABELS[key.library]}, {key.threads} threads: {text}\n"
                   for key, text in results.errors.items())


def scaling(path):
    """The output of gpustream_scaling and scaling/startup, as a table."""
    lines = header(["what grows", "count", "measured", "value", "unit"])
    with open(path, encoding="utf-8") as file:
        for line in file:
            grows, count, what, value, unit = line.rstrip("\n").split("\t")
            lines.append(row([grows, f"{int(count):,}", what, f"{float(value):,.1f}", unit]))
    return "\n".join(lines) + "\n"
