# SPDX-License-Identifier: Apache-2.0
"""A function of the description from its declaration and its comment."""
import re

from .declarations import parameters, unit_of
from .model import Function, Parameter, Type
from .scanner import HeaderError, without_comments

COSTS = ("memory", "library", "start", "queue", "driver", "inventory", "wait")
DIRECTIONS = {"[in]": "in", "[out]": "out", "[in,out]": "inout"}
COUNT = re.compile(r"^\[(\w+)\]\s*")


def described(api, name, type_, callback, text, direction):
    counted = COUNT.match(text)
    doc = text[counted.end() :] if counted else text
    pointer = callback or type_.pointers
    return Parameter(
        name=name,
        type=type_ or Type("callback", "callback", 1, False),
        direction=direction,
        optional=bool(pointer and "NULL" in doc and "not NULL" not in doc),
        current=bool(re.search(r"(?<!not )GS_(STREAM|DEVICE)_CURRENT", doc)),
        unit=unit_of(name, type_.text, doc) if type_ else None,
        count=counted.group(1) if counted else None,
        handle=api.handle_kind(type_.base) if type_ else None,
        struct=type_.base if type_ and api.struct(type_.base) else None,
        callback=callback,
        doc=doc,
    )


def named_callbacks(api, rows):
    """Parameters whose type is a named function type have a callback too."""
    named = {one.name: one for one in api.callbacks}
    return [(name, type_, callback or (named.get(type_.text) if type_ else None)) for name, type_, callback in rows]


def with_argument(rows):
    """Callbacks learn which parameter is handed to them: the `void *` right after them that they take too."""
    for index, row in enumerate(rows):
        name, type_, callback = row
        after = rows[index + 1] if index + 1 < len(rows) else (None, None, None)
        if callback and after[1] and after[1].text == "void *" and (after[0], "void *") in callback.parameters:
            callback = type(callback)(callback.name, callback.result, callback.parameters, after[0], callback.doc)
        yield name, type_, callback


def function_of(api, chapter, section, item, comment, statuses, names):
    text = " ".join(without_comments(item.text).split())
    found = re.match(r"GS_API\s+(.+?)\b(gs_\w+)\s*\((.*)\)$", text)
    if not found:
        raise HeaderError(f"a declaration that cannot be read: {text[:60]}")
    result, name = " ".join(found.group(1).split()), found.group(2)
    documented = {parameter: (direction, words) for parameter, direction, words in comment.documented}
    rows = []
    for parameter, type_, callback in with_argument(named_callbacks(api, parameters(found.group(3)))):
        direction, words = documented.get(parameter, ("", ""))
        rows.append(described(api, parameter, type_, callback, words, DIRECTIONS.get(direction, "in")))
    thread = comment.fields.get("threadsafety", "")
    return Function(
        name=name,
        chapter=chapter.name,
        tier=comment.fields.get("tier", chapter.tier),
        section=section,
        result=result,
        parameters=rows,
        statuses=statuses if result == "gs_status_t" else [],
        blocking=comment.fields.get("blocking", ""),
        cost=comment.fields.get("cost", ""),
        since=comment.fields.get("since", ""),
        thread=thread,
        host_function="also in a host function" in thread,
        notification="also in a notification" in thread,
        forked_child="in a forked child" in thread,
        ownership=comment.fields.get("ownership", ""),
        backends=comment.fields.get("backends", ""),
        summary=comment.summary[0] if comment.summary else "",
        doc="\n\n".join(comment.order),
        returns=comment.fields.get("return", ""),
        names=names.get(name, {}),
        line=item.line,
    )
