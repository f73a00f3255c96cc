# SPDX-License-Identifier: Apache-2.0
"""src/base/status_texts.hpp: what gs_status_name() and gs_status_message() return, from the comments of the statuses."""
import json
import re

from .output import header
from .scanner import HeaderError

PATH = "src/base/status_texts.hpp"
LONGEST = 110


def message(constant):
    """The comment's first sentence as a phrase: without the capital letter and the full stop."""
    text = re.split(r"(?<=[^.])\.(?:\s|$)", constant.doc, maxsplit=1)[0].split("; ")[0]
    if not text or len(text) > LONGEST or re.search(r"GS_REASON|\*", text):
        raise HeaderError(f"{constant.name}: the comment's first sentence is no message of at most {LONGEST} characters: {text}")
    first = text.split()[0]
    return text if len(first) > 1 and first.isupper() else text[0].lower() + text[1:]


def outputs(api):
    rows = "".join(f"    {{{one.name}, \"{one.name}\", {json.dumps(message(one))}}},\n" for one in api.constants_of("gs_status_t"))
    text = header(PATH) + f"""#pragma once

#include "gpustream.h"

namespace gs {{

struct StatusText {{
    gs_status_t code;
    const char *name;
    const char *message;
}};

inline constexpr StatusText kStatusTexts[] = {{
{rows}}};

}} // namespace gs
"""
    return {PATH: text}
