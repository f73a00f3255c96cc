# SPDX-License-Identifier: Apache-2.0
"""Runs the command and the small programs of front_user.c."""
import os
import pathlib
import re
import subprocess

COMMAND = os.environ["GPUSTREAM_COMMAND"]
USER = os.environ["FRONT_USER"]
RACER = os.environ["FRONT_RACER"]
HERE = pathlib.Path(__file__).parent
NAMES = HERE.parent.parent / "src/front/driver_names.inc"


def run(*arguments, options=(), command="run", **environment):
    """What `gpustream run OPTIONS -- ARGUMENTS` wrote and returned."""
    return subprocess.run([COMMAND, command, *options, "--", *arguments], capture_output=True, text=True, timeout=200,
                          env={**os.environ, **environment}, check=False)


def counts(text):
    """{function: calls} of the report of --stats, all processes together."""
    found = {}
    for calls, name in re.findall(r"^ +(\d+) calls +[\d.]+ ms +(\w+)", text, re.M):
        found[name] = found.get(name, 0) + int(calls)
    return found
