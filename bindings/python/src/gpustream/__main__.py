# SPDX-License-Identifier: Apache-2.0
"""What gpustream found here (info, the default), a pipeline over a file (demo FILE), or a trace as a page (draw TRACE PAGE).

Ends with 1 if the default backend cannot be used, or if the pipeline's result is wrong.
"""
from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import gpustream
from gpustream import _info, trace


def _draw(program: str, source: Path, page: Path) -> int:
    try:
        document = json.loads(source.read_text(encoding="utf-8"))
        if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
            raise ValueError("it has no list traceEvents")
    except OSError as error:
        trouble = str(error)
    except ValueError as error:
        trouble = f"{source} is no trace: {error}"
    else:
        try:
            trace._save(document, str(page))
            return 0
        except (ValueError, OSError) as error:
            trouble = str(error)
        except (KeyError, TypeError, AttributeError) as error:
            trouble = f"{source} is no trace: an event lacks, or has wrongly, {error}"
    print(f"{program}: {trouble}", file=sys.stderr)
    return 1


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m gpustream", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    info = commands.add_parser("info", help="what gpustream found here (the default)")
    for one in (parser, info):
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="for programs")
    demo = commands.add_parser("demo", help="take a file through a device and check the result")
    demo.add_argument("file", type=Path)
    demo.add_argument("--lanes", type=int, default=2, help="threads with three streams each (2)")
    demo.add_argument("--chunk", type=int, default=4 << 20, help="bytes per chunk (4 MiB)")
    demo.add_argument("--timeline", default="timeline", help="where the picture goes, without ending (timeline); '' for none")
    draw = commands.add_parser("draw", help="draw a trace that is JSON, as of gpustream run --trace")
    draw.add_argument("trace", type=Path)
    draw.add_argument("page", type=Path, help="a page (.html) or a picture (.svg)")
    given = parser.parse_args(arguments)
    if given.command == "draw":
        return _draw(parser.prog, given.trace, given.page)
    if given.command == "demo":
        from gpustream import demo as demonstration
        if not given.file.is_file():
            parser.error(f"{given.file} is no file")
        if given.lanes < 1 or given.chunk < 1:
            parser.error("lanes and chunk must be at least 1")
        try:
            return demonstration.main(given.file, given.lanes, given.chunk, given.timeline or None)
        except (gpustream.Error, OSError) as error:
            print(f"{parser.prog}: {error}", file=sys.stderr)
            return 1
    found = _info.collect()
    if getattr(given, "json", False):
        print(json.dumps(found, indent=2))
    else:
        _info.show(found)
    return 1 if found["error"] else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as `head` may end first
    sys.exit(main())
