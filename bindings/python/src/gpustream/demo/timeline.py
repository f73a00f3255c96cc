# SPDX-License-Identifier: Apache-2.0
"""The demonstration's picture: a row per stream, a bar per operation, over milliseconds."""
from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

COLOURS = {"copy in": "#4e79a7", "kernel": "#f28e2b", "copy out": "#3f8f4f"}
_LEFT, _TOP, _ROW, _WIDTH = 170, 70, 28, 1280

Bar = tuple[int, str, float, float, int]  # row, stage, start ms, end ms, chunk


def svg(title: str, rows: Sequence[str], bars: Sequence[Bar]) -> str:
    """The picture; rows are names."""
    end = max((bar[3] for bar in bars), default=1.0)
    scale = (_WIDTH - _LEFT - 40) / max(end, 1e-6)
    height = _TOP + _ROW * len(rows) + 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" font-family="system-ui, sans-serif" '
             f'font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
             f'<text x="16" y="26" font-size="16" font-weight="600">{escape(title)}</text>']
    for number, (stage, colour) in enumerate(COLOURS.items()):
        left = _LEFT + 110 * number
        parts.append(f'<rect x="{left}" y="40" width="12" height="12" fill="{colour}"/><text x="{left + 18}" y="50">{stage}</text>')
    for number, name in enumerate(rows):
        y = _TOP + _ROW * number
        parts.append(f'<text x="{_LEFT - 10}" y="{y + 17}" text-anchor="end">{escape(name)}</text>'
                     f'<line x1="{_LEFT}" y1="{y + _ROW - 2}" x2="{_WIDTH - 40}" y2="{y + _ROW - 2}" stroke="#e3e5e8"/>')
    parts.append(f'<text x="{_LEFT + 110 * len(COLOURS)}" y="50" fill="#5b616a">numbers are chunks</text>')
    for row, stage, start, stop, chunk in bars:
        x, width = _LEFT + start * scale, max((stop - start) * scale, 0.5)
        parts.append(f'<rect x="{x:.2f}" y="{_TOP + _ROW * row + 3}" width="{width:.2f}" height="{_ROW - 8}" '
                     f'fill="{COLOURS[stage]}"><title>{stage} of chunk {chunk}: {stop - start:.3f} ms</title></rect>')
        if width > 8 * len(str(chunk)) + 2:
            parts.append(f'<text x="{x + width / 2:.2f}" y="{_TOP + _ROW * row + 17}" text-anchor="middle" fill="#fff">{chunk}</text>')
    for tick in range(6):
        x = _LEFT + (_WIDTH - _LEFT - 40) * tick / 5
        parts.append(f'<text x="{x:.1f}" y="{height - 20}" text-anchor="middle" fill="#5b616a">{end * tick / 5:.1f} ms</text>')
    return "\n".join(parts) + "\n</svg>\n"


def trace(rows: Sequence[str], bars: Sequence[Bar]) -> str:
    """The same for trace viewers (Perfetto, chrome://tracing): times in microseconds."""
    events: list[dict[str, object]] = [{"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": name}} for number, name in enumerate(rows)]
    events += [{"ph": "X", "pid": 1, "tid": row, "name": stage, "ts": start * 1e3, "dur": (stop - start) * 1e3, "args": {"chunk": chunk}}
               for row, stage, start, stop, chunk in bars]
    return json.dumps({"traceEvents": events})
