# SPDX-License-Identifier: Apache-2.0
# Private: every function of gpustream.h by its own name, and what the package is made of.
from typing import Any

def __getattr__(name: str) -> Any: ...
