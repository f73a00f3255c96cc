# SPDX-License-Identifier: Apache-2.0
"""The flat part of the Java binding: functions, numbers and struct layouts; and the enumerators of its enums."""
from .java import calls, data, enumerators

JAVA = "bindings/java/gpustream/src/main/java/io/gpustream/internal"
JAVA22 = "bindings/java/gpustream/src/main/java22/io/gpustream/internal"


def outputs(api):
    """Path below the root -> text."""
    return {
        f"{JAVA}/Calls.java": calls.native(api),
        f"{JAVA}/Constants.java": data.constants(api),
        f"{JAVA}/Layouts.java": data.layouts(api),
        f"{JAVA22}/ffm/FfmCalls.java": calls.ffm(api),
    }


def lists(api):
    """Path below the root -> lines of the list in it."""
    return enumerators.lists(api)
