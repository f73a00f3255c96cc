# SPDX-License-Identifier: Apache-2.0
"""Modules of the package that are imported when they are first needed, as few programs do and each takes its time."""
from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

package: Any = sys.modules[__package__]
_this = sys.modules[__name__]


def load(name: str) -> Any:
    """One of the package's modules.

    Some programs remove the package from sys.modules. The extension cannot be imported again, so the modules that exist
    are then put back for the one that is missing.
    """
    found = vars(package).get(name)
    if found is not None:
        return found
    if __package__ not in sys.modules or sys.modules.get(__name__) is not _this:
        sys.modules[__package__] = package
        for module in list(vars(package).values()):
            if isinstance(module, type(sys)) and module.__name__.startswith(f"{__package__}."):
                sys.modules[module.__name__] = module
    from importlib import import_module

    return import_module(f"{__package__}.{name}")
