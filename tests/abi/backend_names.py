# SPDX-License-Identifier: Apache-2.0
"""Part of check_layers.py: a backend is named by its own folder, its vendor's and the table of backends, by nothing else.

The command and the Python package take the names from the header. In the package a module _backends/NAME.py is a
backend's own, and _torch_words.py has torch's name of every GPU.
"""
import ast
import functools
import pathlib
import re

# Folders of src/backend that are no backend: what backends share.
SHARED = {"gpu"}
BACKENDS_TABLE = "src/backend/backends.cpp"
PYTHON = "bindings/python/src/gpustream/"
# `gpustream run` and `shake`, which stand in front of one vendor's driver.
FRONT = "tools/gpustream/front/"
PYTHON_WORDS = PYTHON + "_torch_words.py"


def backend_of(path):
    """The backend in whose folder a file of src is, or None."""
    found = re.match(r"src/backend/(\w+)/", path)
    return found.group(1) if found and found.group(1) not in SHARED else None


def header_names(root):
    text = (root / "include/gpustream/library.h").read_text(encoding="utf-8")
    return [name.lower() for name in re.findall(r"^ +GS_BACKEND_([A-Z]+) = \d+", text, re.M) if name != "DEFAULT"]


@functools.cache
def _names(root):
    folders = {folder.name for folder in (root / "src/backend").glob("*") if folder.is_dir()}
    return "|".join(sorted((folders - SHARED) | set(header_names(root))))


def _finding(name):
    return f"names the backend {name}, which the table of backends is for"


def in_cpp(root, path, text):
    """Constants and texts by which a file of src names a backend."""
    place = path.as_posix()
    if place == BACKENDS_TABLE or re.match(r"src/inventory/\w+/", place):
        return
    for found in re.finditer(rf'\bGS_BACKEND_(?!DEFAULT\b)([A-Z]+)\b|"({_names(root)})"', text):
        name = (found.group(1) or found.group(2)).lower()
        if name != backend_of(place):
            yield text.count("\n", 0, found.start()) + 1, _finding(name)


@functools.cache
def _mentions(names):
    """A backend's name alone or after "=" or a colon, and variables and libraries that carry one."""
    return re.compile(rf"^({names})(?::\d+)?$|=({names})\b|\bGPUSTREAM_(?:LIB)?({names})(?![a-z])|\blib({names})\b", re.I)


def _in_text(names, text):
    return [next(part for part in found.groups() if part).lower() for found in _mentions(names).finditer(text)]


def is_tool_or_extension(path):
    if path.as_posix().startswith(FRONT):
        return False
    return path.parts[0] == "tools" or path.as_posix().startswith("bindings/python/native/")


def in_tool(root, path, text):
    """The same in the command and in Python's extension, where texts for users count too."""
    names = _names(root)
    for found in re.finditer(r'\bGS_BACKEND_(?!DEFAULT\b)([A-Z]+)\b|"((?:\\.|[^"\\\n])*)"', text):
        line = text.count("\n", 0, found.start()) + 1
        for name in [found.group(1).lower()] if found.group(1) else _in_text(names, found.group(2)):
            yield line, _finding(name)


def is_python(path):
    return path.as_posix().startswith(PYTHON) and path.suffix == ".py"


def _docstrings(tree):
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    return {id(part.value) for body in bodies for part in body if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)}


def in_python(root, path):
    """Constants and texts of the Python package, but for comments and docstrings, which may explain."""
    place = path.as_posix()
    if place == PYTHON_WORDS:
        return
    own = pathlib.PurePath(place).stem if place.startswith(PYTHON + "_backends/") else None
    names, text = _names(root), (root / path).read_text(encoding="utf-8")
    if not re.search(rf"GS_BACKEND_(?!DEFAULT\b)|[\"'=:]({names})\b|\b(?:lib|GPUSTREAM_(?:LIB)?)({names})", text, re.I):
        return  # nothing that parsing could find
    tree = ast.parse(text)
    docstrings = _docstrings(tree)
    for node in ast.walk(tree):
        found = []
        if isinstance(node, ast.Attribute) and re.fullmatch(r"GS_BACKEND_(?!DEFAULT$)[A-Z]+", node.attr):
            found = [node.attr.removeprefix("GS_BACKEND_").lower()]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found = _in_text(names, node.value)
        yield from ((node.lineno, _finding(name)) for name in found if name != own)


def in_table(root):
    """The table's rows have the names and the order of the header's numbers, from which all languages take them."""
    rows = re.findall(r"^ +\{GS_BACKEND_([A-Z]+), \"(\w+)\",", (root / BACKENDS_TABLE).read_text(encoding="utf-8"), re.M)
    wanted = header_names(root)
    if [constant.lower() for constant, _ in rows] != wanted:
        yield pathlib.Path(BACKENDS_TABLE), 1, f"the rows are not those of the header: {', '.join(wanted)}"
    for constant, name in rows:
        if name != constant.lower():
            yield pathlib.Path(BACKENDS_TABLE), 1, f"GS_BACKEND_{constant} is called '{name}', not '{constant.lower()}'"
