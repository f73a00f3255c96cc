# SPDX-License-Identifier: Apache-2.0
"""Java's flat layer: JNI and FFM forms, constants, layouts."""
import shutil

from copied_tree import ADDED, require, tool_missing

INTERNAL = "bindings/java/gpustream/src/main/java/io/gpustream/internal"
INTERNAL22 = "bindings/java/gpustream/src/main/java22/io/gpustream/internal"
TARGETS = ("gpustream_java",)
SETTINGS = ("-DGPUSTREAM_JAVA=ON",)


def missing():
    """What the long form lacks on this machine, or None."""
    return tool_missing("javac", "swig")


def quick(tree, _compilers):
    declared = "int madeSum(long weight, long values, long count, long fn, long arg, long outTotal, long outEvent)"
    tree.require_in(f"{INTERNAL}/Calls.java", f"public native {declared};", "int madeDoubledFlags(long event, long outDoubled);")
    tree.require_in(f"{INTERNAL22}/ffm/FfmCalls.java", declared, 'MADE_SUM = Symbols.plain("gs_made_sum")',
                    'MADE_DOUBLED_FLAGS = Symbols.critical("gs_made_doubled_flags")')  # fmt: skip
    tree.require_in(f"{INTERNAL}/Constants.java", "int MADE_DOUBLED = 1;")
    tree.require_in(f"{INTERNAL}/Layouts.java", 'MADE_TOTAL = new Struct("gs_made_total_t", 80)', '.field("first", 16, 64)')


def properties(build):
    lines = (build / "bindings/java/build.properties").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def full(tree, build):
    known = properties(build)
    if known["ffm.skip"] == "true":
        return f"Java: not run, the newest JDK is {known['jdk.newest.version']} and the program needs 22"
    java, classes = f"{known['jdk.newest']}/bin", tree.root / "classes"
    sources = [path for folder in ("java", "java22") for path in (tree.root / f"bindings/java/gpustream/src/main/{folder}").rglob("*.java")]
    # The classes for Java 22 replace those of the same name.
    newer = {path.relative_to(tree.root / "bindings/java/gpustream/src/main/java22") for path in sources if "/java22/" in str(path)}
    older = tree.root / "bindings/java/gpustream/src/main/java"
    sources = [path for path in sources if path.name != "module-info.java" and not (path.is_relative_to(older) and path.relative_to(older) in newer)]
    tree.run(f"{java}/javac", "-nowarn", "-d", classes, *sources, ADDED / "Call.java")
    shutil.copytree(build / "bindings/java/bundle", classes, dirs_exist_ok=True)
    printed = tree.run(f"{java}/java", "--enable-native-access=ALL-UNNAMED", f"-Dgpustream.library.path={build}:{build}/bindings/java",
                       "-cp", classes, "Call", tree.root / "libmade_native.so", environment={"GPUSTREAM_BACKEND": "host"})  # fmt: skip
    require("jni: 12" in printed and "ffm: 12" in printed, printed)
    return "Java: both layers"
