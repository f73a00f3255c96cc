# SPDX-License-Identifier: Apache-2.0
"""The snippets of docs/guide/interop, which are run as they stand.

Python's run in processes of their own: on the fake driver with stand-ins for the other libraries (support/neighbours), and on a
GPU with the libraries that are there. C's and C++'s are compiled into support/guide_calls.c and guide_extension.cpp. Those in
Java and Rust are parts of tests of these bindings, which this test compares.
"""
import ctypes
import importlib.util
import os
import re
import subprocess
from pathlib import Path

import gpustream
import pytest
from support.native import ROOT
from test_extensions import needs_compiler

SUPPORT = Path(__file__).parent / "support"
NEIGHBOURS = SUPPORT / "neighbours"
PAGES = sorted((ROOT / "docs/guide/interop").glob("*.md")) + [ROOT / "docs/guide/interop.md"]
PARTS_OF = {"java": ROOT / "bindings/java/tests/src/test/java/io/gpustream/InteropTest.java",
            "rust": ROOT / "bindings/rust/checks/tests/cudarc/conversions.rs"}
NEEDS = {"pytorch": "torch", "cupy": "cupy", "numba": "numba.cuda", "cuda-core": "cuda.core", "jax": "jax", "triton": "triton", "rapids": "rmm",
         "one-pool": "rmm"}

real = os.environ["GPUSTREAM_BACKEND"] == "cuda" and "GPUSTREAM_LIBCUDA" not in os.environ


def snippets(language, page):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


PYTHON = [(page, number, code) for page in PAGES for number, code in enumerate(snippets("python", page))]


def test_every_page_has_a_snippet_and_every_library_a_page():
    assert set(NEEDS) == {page.stem for page, _, _ in PYTHON}
    assert {"cudarc", "jcuda", "cublas-nccl", "arrow"} < {page.stem for page in PAGES}


@needs_compiler
@pytest.mark.parametrize("page, number, code", PYTHON, ids=[f"{page.stem}-{number}" for page, number, _ in PYTHON])
def test_python(page, number, code, run_python):
    if real:
        try:
            found = importlib.util.find_spec(NEEDS[page.stem])
        except ImportError:
            found = None
        if found is None:
            pytest.skip(f"no {NEEDS[page.stem]} on this machine with a GPU")
        run_python(code, timeout=300)
        return
    path = os.pathsep.join([str(NEIGHBOURS), str(Path(__file__).parent), str(Path(gpustream.__file__).parents[1])])
    run_python(f"import sys\nsys.path[:0] = {path.split(os.pathsep)!r}\n" + code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda())


def compiled(tmp_path, template, code, compiler, *options):
    """The path of a library."""
    source = tmp_path / template
    text = (SUPPORT / template).read_text(encoding="utf-8")
    marker = "/* SNIPPETS */" if "/* SNIPPETS */" in text else "// SNIPPETS"
    assert text.count(marker) == 1
    source.write_text(text.replace(marker, code), encoding="utf-8")
    target = tmp_path / (source.stem + ".so")
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-shared", "-fPIC", f"-I{NEIGHBOURS / 'include'}",
                    f"-I{gpustream.get_include()}", str(source), *options, "-o", str(target)], check=True)
    return str(target)


@needs_compiler
def test_c(tmp_path):
    code = "\n".join(text for page in PAGES if page.stem in ("cublas-nccl", "arrow") for text in snippets("c", page))
    code += "\n" + snippets("c", ROOT / "docs/guide/interop.md")[0]
    assert ctypes.CDLL(compiled(tmp_path, "guide_calls.c", code, "cc", "-std=c99", gpustream.get_library())).guide_calls() == 0
    gpustream.set_stream(gpustream.default_stream())


TORCH = "void *current; int code; int aoti_torch_get_current_cuda_stream(int device, void **out) { *out = current; return device > 5 ? 9 : code; }"
USES_EXTENSION = """
import ctypes, sys
torch, extension = (ctypes.CDLL(path) for path in sys.argv[1:])
extension.failure_of_current_stream.restype = ctypes.c_char_p
"""


@pytest.fixture
def extension(tmp_path, run_python):
    """Runs code with the extension of the guide and a stand-in for PyTorch, on the fake driver."""
    code = "\n".join(snippets("cpp", ROOT / "docs/guide/interop/pytorch.md"))
    (tmp_path / "torch.c").write_text(TORCH, encoding="utf-8")
    stand_in, built = tmp_path / "libtorch_cuda.so", compiled(tmp_path, "guide_extension.cpp", code, "c++", "-std=c++17", "-pedantic")
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libtorch_cuda.so", str(tmp_path / "torch.c"), "-o", str(stand_in)], check=True)

    def run(code, **environment):
        path = f"import sys\nsys.argv[1:] = {[str(stand_in), built]!r}\n"
        return run_python(path + USES_EXTENSION + code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda(), **environment)
    return run


@needs_compiler
@pytest.mark.needs_variable("GPUSTREAM_TEST_FAKE_CUDA")
def test_an_extension_of_torch(extension):
    extension("""
import gpustream
stream = gpustream.Stream()
ctypes.c_void_p.in_dll(torch, "current").value = stream.cuda_stream
failed = extension.guide_extension(ctypes.c_void_p(stream.cuda_stream))
assert failed == 0, failed
assert extension.failure_of_current_stream(0) == b"" and b"(6) failed" in extension.failure_of_current_stream(6)
ctypes.c_void_p.in_dll(torch, "current").value = None
assert extension.failure_of_current_stream(0) == b"the default stream"
assert gpustream._instance_count() == 1
""")


@needs_compiler
@pytest.mark.needs_variable("GPUSTREAM_TEST_FAKE_CUDA")
def test_an_extension_of_torch_finds_the_library(extension, tmp_path):
    asks = 'print(extension.failure_of_current_stream(0).decode())'
    assert extension(asks, GPUSTREAM_LIBRARY=gpustream.get_library()).strip() == "the default stream"
    absent = extension(asks, GPUSTREAM_LIBRARY=str(tmp_path / "absent.so"))
    assert "absent.so: cannot open" in absent and "; import gpustream first, or set GPUSTREAM_LIBRARY" in absent
    other = extension(asks, GPUSTREAM_LIBRARY=str(tmp_path / "libtorch_cuda.so"))
    assert "is too old: it has no gs_abi_version" in other


@pytest.mark.parametrize("language", PARTS_OF)
def test_other_languages(language):
    """Line by line, whatever the indentation."""
    lines = [line.strip() for line in PARTS_OF[language].read_text(encoding="utf-8").splitlines()]
    found = [code for page in PAGES for code in snippets(language, page)]
    assert found
    for code in found:
        wanted = [line.strip() for line in code.splitlines()]
        assert any(lines[at:at + len(wanted)] == wanted for at in range(len(lines))), f"not in {PARTS_OF[language].name}:\n{code}"
