# SPDX-License-Identifier: Apache-2.0
"""api/gpustream.json: the whole description, for tools and tests in any language; api/README.md explains it."""
import json
from dataclasses import asdict

from .output import MARK

FORMAT = 1


def lean(entry):
    """Without what says nothing: false, null, and empty."""
    return {key: value for key, value in entry.items() if value not in (None, False, "", [], {}) or key == "value"}


def callback(one):
    parameters = [{"name": name, "type": text} for name, text in one.parameters]
    return lean({**asdict(one), "parameters": parameters})


def parameter(one):
    entry = {**asdict(one), "type": one.type.text, "callback": callback(one.callback) if one.callback else None}
    return lean(entry)


def function(one):
    entry = {**asdict(one), "parameters": [parameter(each) for each in one.parameters]}
    del entry["line"]
    return {**lean(entry), "parameters": entry["parameters"]}


def struct(one):
    fields = [{**lean(asdict(each)), "offset": each.offset} for each in one.fields]
    return {**asdict(one), "fields": fields}


def document(api):
    return {
        "generated": MARK,
        "format": FORMAT,
        "version": api.version,
        "abi": api.abi,
        "handles": [asdict(one) for one in api.handles],
        "scalars": [{"name": one.name, "type": one.kind, "doc": one.doc} for one in api.scalars],
        "groups": [asdict(one) for one in api.groups],
        "constants": [lean(asdict(one)) for one in api.constants if one.group != "gs_status_t"],
        "statuses": [lean(asdict(one)) for one in api.constants_of("gs_status_t")],
        "macros": [asdict(one) for one in api.macros],
        "callbacks": [callback(one) for one in api.callbacks],
        "structs": [struct(one) for one in api.structs],
        "sections": api.sections,
        "functions": [function(one) for one in api.functions],
    }


def printed(value, depth=0):
    """JSON with one line for whatever holds no list or object, so that a difference shows what changed."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(each, (dict, list)) for each in inside) and depth > 0:
        return json.dumps(value, ensure_ascii=False)
    inner, outer = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {printed(each, depth + 1)}" for key, each in value.items()]
        return "{" + inner + ("," + inner).join(parts) + outer + "}"
    return "[" + inner + ("," + inner).join(printed(each, depth + 1) for each in value) + outer + "]"


def outputs(api):
    return {"api/gpustream.json": printed(document(api)) + "\n"}
