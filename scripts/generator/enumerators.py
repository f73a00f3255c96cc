# SPDX-License-Identifier: Apache-2.0
"""The header's enums as the idiomatic layers have them: short names, and comments in the language's own words."""
import re

from .scanner import HeaderError

# Group of the header: (what its constants begin with, the languages' word for the type). The texts below name constants
# by that word and their short name.
GROUPS = {
    "gs_status_t": (("GS_ERROR_", "GS_"), "status"),
    "GS_REASON": (("GS_REASON_",), "reason"),
    "gs_backend_t": (("GS_BACKEND_",), "backend"),
    "GS_STREAM": (("GS_STREAM_",), "stream_flag"),
    "GS_CHECK": (("GS_CHECK_",), "check_flag"),
    "GS_TRACE_DEVICE": (("GS_TRACE_",), "trace_flag"),
    "GS_PARTITION": (("GS_PARTITION_",), "partition_flag"),
    "GS_EVENT": (("GS_EVENT_",), "event_flag"),
    "GS_SYNC_DEBUG": (("GS_SYNC_DEBUG_",), "sync_debug_mode"),
    "GS_SYNC_SCOPE": (("GS_SYNC_SCOPE_",), "sync_debug_scope"),
    "GS_UNRECORDED": (("GS_UNRECORDED_",), "unrecorded_mode"),
    "GS_LOG": (("GS_LOG_",), "log_level"),
    "GS_FORK": (("GS_FORK_",), "fork_status"),
    "GS_WAIT": (("GS_WAIT_",), "wait_mode"),
    "GS_VALUE": (("GS_VALUE_",), "value_flag"),
    "GS_ACCESS_ORDER": (("GS_ACCESS_ORDER_",), "access_order"),
    "GS_CAPTURE": (("GS_CAPTURE_",), "capture_mode"),
    "GS_CAPTURE_STATE": (("GS_CAPTURE_STATE_",), "capture_state"),
    "GS_NODE": (("GS_NODE_",), "node_kind"),
    "GS_CONDITION": (("GS_CONDITION_",), "condition_kind"),
    "GS_INSTANTIATE": (("GS_INSTANTIATE_",), "instantiate_flag"),
    "GS_UPDATE": (("GS_UPDATE_",), "update_reason"),
}
MENTION = re.compile(r"\b(gs_\w+)\(\)|\b(GS_[A-Z0-9_]+)(\*?)")


def short_name(constant):
    """GS_ERROR_INVALID_HANDLE is INVALID_HANDLE, GS_BACKEND_HOST is HOST."""
    prefixes = GROUPS[constant.group][0]
    prefix = next((one for one in prefixes if constant.name.startswith(one)), None)
    if prefix is None:
        raise HeaderError(f"{constant.name} does not begin with {' or '.join(prefixes)}")
    return constant.name.removeprefix(prefix)


def camel_case(name):
    return "".join(word.capitalize() for word in name.split("_"))


def in_words(api, text, language, constant_text, function_text):
    """A comment for another language. The two functions spell a constant (type's word, short name or None) and a name."""

    def replaced(found):
        function, constant, many = found.groups()
        if function:
            known = api.function(function)
            name = known.names.get(language, "omitted: ") if known else "omitted: "
            return found.group() if name.startswith("omitted: ") or ", " in name else function_text(name)
        if many:
            word = next((word for prefixes, word in GROUPS.values() if constant in prefixes), None)
            return constant_text(word, None) if word else found.group()
        named = next((one for one in api.constants if one.name == constant), None)
        return constant_text(GROUPS[named.group][1], short_name(named)) if named and named.group in GROUPS else found.group()

    return MENTION.sub(replaced, text)
