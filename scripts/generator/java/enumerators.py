# SPDX-License-Identifier: Apache-2.0
"""The enumerators of the public enums. The rest of these files is written by hand."""
from .. import enumerators
from ..scanner import HeaderError
from . import types
from .text import filled

PUBLIC = "bindings/java/gpustream/src/main/java/io/gpustream"
# The languages' word for a type of the header: the enum, and how an enumerator gets its number.
BY_CODE, BY_ORDER = "code", "order"
ENUMS = {
    "status": ("Status", BY_CODE),
    "reason": ("UnavailableReason", BY_ORDER),
    "backend": ("Backend", BY_CODE),
    "stream_flag": ("StreamFlag", BY_CODE),
    "check_flag": ("CheckFlag", BY_CODE),
    "trace_flag": ("TraceFlag", BY_CODE),
    "partition_flag": ("PartitionFlag", BY_CODE),
    "event_flag": ("EventFlag", BY_CODE),
    "sync_debug_mode": ("SyncDebugMode", BY_ORDER),
    "sync_debug_scope": ("SyncDebugScope", BY_ORDER),
    "unrecorded_mode": ("UnrecordedMode", BY_ORDER),
    "wait_mode": ("WaitMode", BY_ORDER),
    "access_order": ("AccessOrder", BY_CODE),
    "capture_mode": ("CaptureMode", BY_ORDER),
    "capture_state": ("CaptureState", BY_ORDER),
    "node_kind": ("NodeKind", BY_ORDER),
    "condition_kind": ("ConditionKind", BY_ORDER),
    "instantiate_flag": ("InstantiateFlag", BY_CODE),
    "update_reason": ("UpdateReason", BY_ORDER),
}


def _link(word, name):
    if word not in ENUMS:
        return name or word
    return f"{{@link {ENUMS[word][0]}#{name}}}" if name else f"{{@link {ENUMS[word][0]}}}"


def _comment(api, constant):
    text = enumerators.in_words(api, constant.doc, "java", _link, lambda name: f"{{@code {name}()}}")
    one = f"/** {text} */"
    return [one] if len(one) <= 116 else ["/**", *filled(" *", text.split()), " */"]


def _enumerators(api, group, type_, numbers):
    found = [one for one in api.constants_of(group) if not (type_ == "Backend" and one.value == 0)]
    if numbers == BY_ORDER and [one.value for one in found] != list(range(len(found))):
        raise HeaderError(f"{group} does not count from 0 on, as {type_}.java needs it")
    lines = []
    for one in found:
        name = enumerators.short_name(one)
        argument = f"(Constants.{types.constant_name(one.name)})" if numbers == BY_CODE else ""
        lines += [*_comment(api, one), f"{name}{argument},"]
    return lines


def lists(api):
    """{path: lines of the generated list}"""
    found = {}
    for group, (_, word) in enumerators.GROUPS.items():
        if word in ENUMS:
            type_, numbers = ENUMS[word]
            found[f"{PUBLIC}/{type_}.java"] = _enumerators(api, group, type_, numbers)
    return found
