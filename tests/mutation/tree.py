# SPDX-License-Identifier: Apache-2.0
"""The unchanged build of the tests, and copies of the sources in which one mutant at a time is compiled and linked.

A mutant costs the compilations of the files that include the changed one, and one link per test program, without the
build tool: everything else is taken from the unchanged build.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

FAMILIES = "unit;conformance;fault;inventory;stress;oracle;schedule;check;process"
MIRRORED = ("src", "include", "tests")
LIBRARY = "/gpustream_testing.dir/"
SONAME = "-Wl,-soname,"


class BuildFailed(Exception):
    """The unchanged tree does not build."""


def checked(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise BuildFailed(f"{shlex.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def settings(cuda_headers):
    """Without optimisation, debug information and warnings: most of a mutant's time is spent compiling."""
    return {"CMAKE_BUILD_TYPE": "Debug", "CMAKE_CXX_FLAGS_DEBUG": "-O0 -w", "CMAKE_C_FLAGS_DEBUG": "-O0 -w",
            "GPUSTREAM_BATCHES": "OFF", "GPUSTREAM_CUDA": "ON", "GPUSTREAM_TEST_FAMILIES": FAMILIES, "GPUSTREAM_BUILD_EXAMPLES": "OFF",
            "GPUSTREAM_BUILD_TESTS": "ON", "GPUSTREAM_CUDA_INCLUDE_DIR": cuda_headers}


class Base:
    """The unchanged build in `build`, its compile commands, dependencies and tests."""

    def __init__(self, root, build, jobs, targets, settings):
        """Without settings the folder is built with those that it has."""
        self.root, self.build, self.targets = root, build, targets
        if settings:
            checked(["cmake", "-S", root, "-B", build, "-G", "Ninja", *(f"-D{name}={value}" for name, value in settings.items())])
        checked(["ninja", "-C", build, f"-j{jobs}", *self.targets])
        self.compile = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.compile[words[words.index("-o") + 1]] = words
            if "/Unity/" in entry["file"]:
                raise BuildFailed(f"{build} compiles several files as one, so no mutant would be compiled: GPUSTREAM_BATCHES=OFF")
        self.includers = self._read_dependencies()
        self.links = {target: self._read_link(target) for target in self.targets}
        self.shared = {target: next((word for word in self.links[target] if re.fullmatch(r"(\S*/)?libgpustream\.so[.\d]*", word)), None)
                       for target in self.targets}
        self.links |= {library: self._read_link(library) for library in set(self.shared.values()) - {None}}

    def _read_dependencies(self):
        """file of the tree -> the objects that depend on it"""
        found, current = {}, ""
        for line in checked(["ninja", "-C", self.build, "-t", "deps"]).splitlines():
            if line and not line.startswith(" "):
                current = line.split(":")[0]
            elif line.strip():
                path = Path(os.path.normpath(self.build / line.strip()))
                if path.is_relative_to(self.root):
                    found.setdefault(str(path.relative_to(self.root)), set()).add(current)
        return found

    def _read_link(self, target):
        """Of a program, by its target; of a library, by its file."""
        commands = checked(["ninja", "-C", self.build, "-t", "commands", target])
        ends = re.compile(rf" -o (?:\S*/)?{re.escape(target)} ")
        part = next(part for line in commands.splitlines() for part in line.split("&&") if ends.search(part))
        return shlex.split(part)

    def program(self, target):
        link = self.links[target]
        return self.build / link[link.index("-o") + 1]


class Worker:
    """A copy of the sources with at most one mutant, and what was built from it."""

    def __init__(self, base, folder):
        self.base, self.folder = base, folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in MIRRORED:
            if (base.root / name).is_dir():
                shutil.copytree(base.root / name, folder / name, symlinks=True)
        self.objects = {}  # object of the unchanged build -> the mutant's
        self.affected = set()
        self.file = None
        self.environment = {}  # with which the loader finds the mutant's library

    def apply(self, mutant):
        original = (self.base.root / mutant.file).read_text()
        if self.file:
            shutil.copyfile(self.base.root / self.file, self.folder / self.file)
        self.file = mutant.file
        (self.folder / mutant.file).write_text(mutant.applied(original))
        self.objects = {}
        self.affected = self.base.includers.get(mutant.file, set())

    def _compile_command(self, compiled, output, extra=()):
        words = list(self.base.compile[compiled])
        for option in ("-MD", "-MT", "-MF"):
            if option in words:
                at = words.index(option)
                del words[at : at + (1 if option == "-MD" else 2)]
        words[words.index("-o") + 1] = str(output)
        for name in MIRRORED:
            words = [word.replace(f"{self.base.root}/{name}", f"{self.folder}/{name}") for word in words]
        return [*words, *extra]

    def compiles(self, compiled, extra=(), suffix=""):
        """The object that the mutant makes of `compiled`, or None if it fails to compile."""
        output = self.folder / "objects" / (compiled.replace("/", "_") + suffix)
        output.parent.mkdir(exist_ok=True)
        done = subprocess.run(self._compile_command(compiled, output, extra), cwd=self.base.build, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return output if done.returncode == 0 else None

    def links(self, target):
        """The test program with the mutant, or None if it fails to link. self.environment is for its processes."""
        library = self.base.shared[target]
        self.environment = {}
        if library:
            linked = self._linked(library)
            if not linked:
                return None
            soname = next(word.removeprefix(SONAME) for word in self.base.links[library] if word.startswith(SONAME))
            found = self.folder / "library" / soname
            found.parent.mkdir(exist_ok=True)
            found.unlink(missing_ok=True)
            found.symlink_to(linked)
            self.environment = {"LD_LIBRARY_PATH": str(found.parent)}
        return self._linked(target)

    def _linked(self, target):
        """A program or the shared library."""
        words = list(self.base.links[target])
        own = {word for word in words if word.endswith(".o")}
        archives = [f"/{Path(word).name[3:-2]}.dir/" for word in words if word.endswith(".a")]
        needed = sorted(name for name in self.affected if name in own or any(archive in f"/{name}" for archive in archives))
        for compiled in needed:
            if compiled not in self.objects:
                self.objects[compiled] = self.compiles(compiled)
            if not self.objects[compiled]:
                return None
        if not needed:
            return self.base.program(target)
        output = self.folder / Path(target).name
        words[words.index("-o") + 1] = str(output)
        # A mutant's object before the archives defines its symbols first, so their member is not linked.
        before = next((place for place, word in enumerate(words) if word.endswith(".a")), len(words))
        words[before:before] = [str(self.objects[name]) for name in needed if name not in own]
        words = [str(self.objects.get(word, word)) for word in words]
        done = subprocess.run(words, cwd=self.base.build, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return output if done.returncode == 0 else None

    def same_code(self):
        """True if the optimiser makes the same code of the mutant as of the library: then no test can find it."""
        options = ("-O2", "-ffile-prefix-map=" + str(self.folder) + "=", "-g0")
        mutated = (self.folder / self.file).read_text()
        for compiled in sorted(name for name in self.affected if LIBRARY in f"/{name}"):
            codes = []
            for text, suffix in ((mutated, ".mutant"), ((self.base.root / self.file).read_text(), ".original")):
                (self.folder / self.file).write_text(text)
                output = self.compiles(compiled, options, suffix)
                codes.append(output.read_bytes() if output else None)
            (self.folder / self.file).write_text(mutated)
            if None in codes or codes[0] != codes[1]:
                return False
        return True
