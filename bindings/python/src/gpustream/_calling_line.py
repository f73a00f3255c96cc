# SPDX-License-Identifier: Apache-2.0
"""The label of an access that has no better one."""
from __future__ import annotations

import os
import sys


def calling_line(depth: int) -> str:
    """File, line and function of a caller: 0 is the function that asks."""
    frame = sys._getframe(depth + 1)
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno} in {frame.f_code.co_name}"
