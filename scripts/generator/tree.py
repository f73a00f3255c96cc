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


def names_of(root, part="functions"):
    """{function: {language: name}}; the part "layers" has the languages whose flat layer is an interface by itself, and as
    "flat" the reason why the others have nothing else."""
    path = Path(root) / NAMES
    return json.loads(path.read_text(encoding="utf-8")).get(part, {}) if path.exists() else {}


def read_header(root):
    names = {name: dict(entry) for name, entry in names_of(root).items()}
    for name, entry in names_of(root, "layers").items():
        names.setdefault(name, {}).update({language: value for language, value in entry.items() if language != "flat"})
    return Header(Path(root) / HEADER, names)


def emitters():
    """{name: module} of the modules emit_*, with outputs(api) or built(api) -> {path: text}, and perhaps lists(api) -> {path: lines}."""
    found = sorted(module.name for module in pkgutil.iter_modules(package_path) if module.name.startswith("emit_"))
    return {name[len("emit_") :]: importlib.import_module(f"{__package__}.{name}") for name in found}
