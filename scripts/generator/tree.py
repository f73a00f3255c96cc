# SPDX-License-Identifier: Apache-2.0
"""Where the description comes from in a tree, and which emitters there are."""
import importlib
import json
import pkgutil
from pathlib import Path

from . import __path__ as package_path
from .header import Header

HEADER = "include/gpustream.h"
NAMES = "api/names.json"


def names_of(root):
    path = Path(root) / NAMES
    return json.loads(path.read_text(encoding="utf-8"))["functions"] if path.exists() else {}


def read_header(root):
    return Header(Path(root) / HEADER, names_of(root))


def emitters():
    """{name: module} of the modules emit_*, each with outputs(api) -> {path: text}, and perhaps lists(api) -> {path: lines}."""
    found = sorted(module.name for module in pkgutil.iter_modules(package_path) if module.name.startswith("emit_"))
    return {name[len("emit_") :]: importlib.import_module(f"{__package__}.{name}") for name in found}
