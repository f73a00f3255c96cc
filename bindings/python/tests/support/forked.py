# SPDX-License-Identifier: Apache-2.0
"""Forked children of a program that has used the library."""
import os
import sys

import gpustream


def in_child(function):
    """Calls a function in a forked child, which then ends as programs do. An exception there is one here."""
    child = os.fork()
    if child == 0:
        function()
        sys.exit(7)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 7, status


def refused(*calls):
    """Makes each call in a forked child: all must raise BadForkError."""
    def make():
        for number, call in enumerate(calls):
            try:
                call()
            except gpustream.BadForkError:
                continue
            raise SystemExit(f"call {number} was not refused")

    in_child(make)
