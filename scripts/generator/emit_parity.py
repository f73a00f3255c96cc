# SPDX-License-Identifier: Apache-2.0
"""tests/parity/library_calls.cpp: every function of the header by its name, for the runner of cases.json in C."""
from .output import header

PATH = "tests/parity/library_calls.cpp"


def outputs(api):
    text = header(PATH) + '#include "library_calls.hpp"\n\nnamespace parity {\n\n'
    text += "const std::map<std::string, LibraryCall> &library_calls() {\n"
    text += "static const std::map<std::string, LibraryCall> calls = {\n"
    for function in api.functions:
        kind = "call_status" if function.result == "gs_status_t" else "call_plain"
        text += f'{{"{function.name}", {kind}<decltype({function.name})>}},\n'
    return {PATH: text + "};\nreturn calls;\n}\n\n} // namespace parity\n"}
