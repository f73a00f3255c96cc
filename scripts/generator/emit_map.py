# SPDX-License-Identifier: Apache-2.0
"""src/gpustream.map: the linker's list of exported functions, a version node per release that added some."""
import re

from .output import header
from .scanner import HeaderError

PATH = "src/gpustream.map"


def outputs(api):
    for function in api.functions:
        if not re.fullmatch(r"\d+\.\d+", function.since):
            raise HeaderError(f"{function.name} does not say since which release it exists", function.line, f"include/{function.chapter}")
    releases = sorted({function.since for function in api.functions}, key=lambda since: [int(part) for part in since.split(".")])
    text, previous = header(PATH, "A function that is not listed here does not exist for callers."), ""
    for since in releases:
        names = "".join(f"        {function.name};\n" for function in api.functions if function.since == since)
        local = "" if previous else "\n    local:\n        *;\n"
        text += f"GPUSTREAM_{since} {{\n    global:\n{names}{local}}}{previous};\n"
        previous = f" GPUSTREAM_{since}"
    return {PATH: text}
