# SPDX-License-Identifier: Apache-2.0
"""Reads the files below a folder as rooms and arrows: {room: set of rooms that it needs}.

C and C++   a source and the header of the same name are one room; an arrow is an include in quotes
Python      a module is a room; an arrow is an import, inside functions too, but not under `if TYPE_CHECKING`
Java        a file is a room; an arrow is an import, or a class of the same package used by its simple name. Public types
            whose signatures name each other (a stream records an event, an event waits in a stream), with the classes
            they extend, are one room: JAVA_CONCEPTS lists them. Packages are checked in the same way
Rust        a module file is a room; an arrow is a path (crate::, self::, super::) in code or in `use`. A name that a
            module re-exports leads to the module that defines it
TypeScript, JavaScript and Zig
            a file is a room; an arrow is an import of another file, but not `import type` (import_rooms.py)

Go and Fortran have no rows in check_rings.py: a package of Go and a module of Fortran are what can be read alone there, and
their compilers reject rings.
"""
import ast
import pathlib
import re

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)


# Package io.gpustream. Java has one public type in a file, so one room takes several.
JAVA_CONCEPTS = {
    "stream": {"Stream", "StreamWork", "StreamBuilder", "StreamScope", "ExternalStream", "Event", "EventBuilder", "EventCompletions", "StreamCaptures", "StreamCompletions", "Capture", "Graph", "GraphWork", "GraphNesting", "GraphSegments", "GraphNode", "GraphCondition", "GraphExec", "GraphExecChanges", "GraphEdge", "NodeNumbers", "UpdateResult", "Kernel"},
    "memory": {"Memory", "DeviceMemory", "HostMemory", "OrderedMemory"},
    "buffer": {"StreamBuffer", "BufferSegments", "DeviceBuffer", "HostBuffer"},
}


def without_comments(text):
    return COMMENT.sub(lambda found: found.group() if found.group()[0] == '"' else " ", text)


def files_below(folder, *endings):
    return sorted(path for path in folder.rglob("*") if path.suffix in endings and not {"target", "node_modules"} & set(path.parts))


def c_rooms(folder):
    files = files_below(folder, ".c", ".cpp", ".h", ".hpp", ".inc")
    known = {path.relative_to(folder).with_suffix("").as_posix() for path in files}
    arrows = {room: set() for room in known}
    for path in files:
        room = path.relative_to(folder).with_suffix("").as_posix()
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(encoding="utf-8"), re.M):
            target = pathlib.PurePosixPath(name).with_suffix("").as_posix()
            beside = (pathlib.PurePosixPath(room).parent / target).as_posix()
            arrows[room] |= {other for other in (target, beside) if other in known and other != room}
    return arrows


def python_rooms(folder):
    files = files_below(folder, ".py")

    def room_of(path):
        parts = list(path.relative_to(folder).with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    known = {room_of(path): path for path in files}
    # A stub without a source beside it describes a compiled module.
    compiled = {room_of(path) for path in files_below(folder, ".pyi")} - set(known)
    arrows = {room: set() for room in known}
    for room, path in known.items():
        package = room if path.name == "__init__.py" else room.rpartition(".")[0]
        for name, names in python_imports(ast.parse(path.read_text(encoding="utf-8")), package):
            for part in names or [""]:
                full = f"{name}.{part}" if part else name
                if full in compiled:
                    continue
                target = full if full in known else name
                if target in known and target != room:
                    arrows[room].add(target)
    return arrows


def python_imports(tree, package):
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, []
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            yield ".".join(base + ([node.module] if node.module else [])), [alias.name for alias in node.names]
        pending += ast.iter_child_nodes(node)


def java_rooms(folder):
    def room_of(package, name):
        concepts = [concept for concept, names in JAVA_CONCEPTS.items() if name in names and package == "io.gpustream"]
        return f"{package}.{concepts[0] if concepts else name}"

    return joined(java_classes(folder), room_of)


def java_packages(folder):
    return joined(java_classes(folder), lambda package, name: package)


def joined(arrows, room_of):
    rooms = {room_of(*key): set() for key in arrows}
    for key, targets in arrows.items():
        rooms[room_of(*key)] |= {room_of(*target) for target in targets} - {room_of(*key)}
    return rooms


def java_classes(folder):
    """{(package, file): set of such pairs}"""
    packages, texts = {}, {}
    for path in files_below(folder, ".java"):
        if path.stem in ("module-info", "package-info"):
            continue
        text = without_comments(path.read_text(encoding="utf-8"))
        package = re.search(r"^package\s+([\w.]+);", text, re.M).group(1)
        packages.setdefault(package, set()).add(path.stem)
        # One class may have a second form for newer virtual machines: together they are one room.
        texts[package, path.stem] = texts.get((package, path.stem), "") + re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    arrows = {key: set() for key in texts}
    for (package, name), text in texts.items():
        body = re.sub(r"^import[^;]+;", "", text, flags=re.M)
        words = set(re.findall(r"(?<![.\w])[A-Z]\w*", body))
        arrows[package, name] |= {(package, other) for other in packages[package] & words if other != name}
        for other, classes in packages.items():
            used = set(re.findall(rf"(?<![\w.]){re.escape(other)}\.([A-Z]\w*)", text))
            if re.search(rf"import\s+{re.escape(other)}\.\*;", text):
                used |= classes & words
            arrows[package, name] |= {(other, used_class) for used_class in used & classes} - {(package, name)}
    return arrows


def rust_rooms(folder):
    files = files_below(folder, ".rs")

    def module_of(path):
        parts = list(path.relative_to(folder).with_suffix("").parts)
        return tuple(parts[:-1] if parts[-1] in ("lib", "mod") else parts)

    texts = {module_of(path): without_comments(path.read_text(encoding="utf-8")) for path in files}
    paths = {module: set(rust_paths(text, module)) for module, text in texts.items()}
    handed_on = {module: rust_reexports(text, module) for module, text in texts.items()}
    arrows = {"::".join(("crate",) + module): set() for module in texts}
    for module, wanted in paths.items():
        exports = {target for _, target in handed_on[module].items()}
        for path in wanted:
            target = rust_room(path, texts, handed_on)
            # To hand on what a child defines is not to need it.
            if target is None or target == module or (path in exports and target[: len(module)] == module):
                continue
            arrows["::".join(("crate",) + module)].add("::".join(("crate",) + target))
    return arrows


def rust_room(path, modules, handed_on, depth=0):
    """The module that defines what the path names, through re-exports."""
    module = ()
    for index, part in enumerate(path):
        if module + (part,) in modules:
            module += (part,)
            continue
        further = handed_on[module].get(part)
        if further is not None and further != path and depth < 8:
            return rust_room(further + path[index + 1 :], modules, handed_on, depth + 1)
        return module
    return module if module or not path else ()


def rust_reexports(text, module):
    exports = {}
    for visibility, tree in re.findall(r"\b(pub(?:\([^)]*\))?)\s+use\s+([^;]+);", text):
        for path, alias in rust_tree("".join(tree.split())):
            absolute = rust_absolute(path, module, relative=True)
            if absolute:
                exports[alias] = absolute
    return exports


def rust_tree(text, prefix=()):
    """Every (path, name) that a use tree brings in."""
    head, brace, rest = text.partition("{")
    if brace:
        prefix += tuple(part for part in head.split("::") if part)
        depth, start = 0, 0
        inner = rest[: rest.rindex("}")]
        for index, character in enumerate(inner + ","):
            depth += (character == "{") - (character == "}")
            if character == "," and depth == 0:
                if inner[start:index]:
                    yield from rust_tree(inner[start:index], prefix)
                start = index + 1
        return
    path, _, alias = text.partition(" as ") if " as " in text else (text, "", "")
    parts = prefix + tuple(part for part in path.split("::") if part)
    if parts and parts[-1] == "self":
        parts = parts[:-1]
    yield parts, alias or (parts[-1] if parts else "")


def rust_absolute(path, module, relative=False):
    if not path:
        return None
    if path[0] == "crate":
        return path[1:]
    if path[0] == "self":
        return module + path[1:]
    base = module
    while path and path[0] == "super":
        base, path, relative = base[:-1], path[1:], True
    return base + path if relative else None


def rust_paths(text, module):
    # Tests inside a file may look at everything.
    text = re.split(r"#\[cfg\((?:all\()?(?:test|loom)\b", text)[0]
    uses = re.findall(r"\buse\s+([^;]+);", text)
    for tree in uses:
        for path, _ in rust_tree(re.sub(r"\s+(?!as\b)(?<!\bas )", "", tree)):
            absolute = rust_absolute(path, module)
            if absolute is None and path and path[0] not in ("std", "core", "alloc"):
                absolute = module + path
            if absolute:
                yield absolute
    body = re.sub(r"\buse\s+[^;]+;", "", text)
    for path in re.findall(r"\b(?:crate|self|super)(?:::\w+)+", body):
        absolute = rust_absolute(tuple(path.split("::")), module)
        if absolute:
            yield absolute
