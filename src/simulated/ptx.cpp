// SPDX-License-Identifier: Apache-2.0
#include "simulated/kernel_image.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

namespace gs::simulated {
namespace {

const std::set<std::string_view> kInstructions = {
    "abs",       "activemask", "add",
    "addc",      "and",        "atom",
    "bar",       "barrier",    "bfe",
    "bfi",       "bra",        "brev",
    "brkpt",     "brx",        "call",
    "clz",       "cnot",       "copysign",
    "cos",       "cp",         "cvt",
    "cvta",      "discard",    "div",
    "dp2a",      "dp4a",       "ex2",
    "exit",      "fence",      "fma",
    "fns",       "getctarank", "griddepcontrol",
    "isspacep",  "istypep",    "ld",
    "ldmatrix",  "ldu",        "lg2",
    "lop3",      "mad",        "mad24",
    "madc",      "mapa",       "match",
    "max",       "mbarrier",   "membar",
    "min",       "mma",        "mov",
    "mul",       "mul24",      "nanosleep",
    "neg",       "not",        "or",
    "pmevent",   "popc",       "prefetch",
    "prefetchu", "prmt",       "rcp",
    "red",       "redux",      "rem",
    "ret",       "rsqrt",      "sad",
    "selp",      "set",        "setp",
    "shf",       "shfl",       "shl",
    "shr",       "sin",        "slct",
    "sqrt",      "st",         "stackrestore",
    "stacksave", "sub",        "subc",
    "tanh",      "testp",      "trap",
    "vote",      "wmma",       "xor",
};

// Comments become spaces, so that lines keep their numbers.
std::string without_comments(std::string text) {
    for (size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*')) continue;
        const bool line = text[i + 1] == '/';
        size_t end = line ? text.find('\n', i) : text.find("*/", i + 2);
        end = end == std::string::npos ? text.size() : line ? end : end + 2;
        for (; i < end; ++i)
            if (text[i] != '\n') text[i] = ' ';
    }
    return text;
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

size_t skip_space(const std::string &text, size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    return at;
}

std::string name_at(const std::string &text, size_t at) {
    size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    return text.substr(at, end - at);
}

std::string complaint(const std::string &text, size_t at, const std::string &what) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n');
    return "ptxas application ptx input, line " + std::to_string(line) + "; error   : " + what +
           "\nptxas fatal   : Ptx assembly aborted due to errors\n";
}

// Bytes of one ".param .u64 name" or ".param .align 8 .b8 name[16]"; 0: unknown.
size_t parameter_bytes(const std::string &text) {
    size_t bytes = 0;
    for (size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
        const std::string type = name_at(text, dot + 1);
        if (type.size() < 2 || std::string("bsuf").find(type[0]) == std::string::npos) continue;
        if (!std::all_of(type.begin() + 1, type.end(),
                         [](char c) { return std::isdigit(static_cast<unsigned char>(c)); }))
            continue;
        bytes = std::stoul(type.substr(1)) / 8;
    }
    const size_t bracket = text.find('[');
    if (bracket != std::string::npos) bytes *= std::stoul(text.substr(bracket + 1));
    return bytes;
}

// The statement's first word is an instruction, a directive, or the rest of a call.
std::string check_statement(const std::string &text, size_t begin, size_t end) {
    size_t at = skip_space(text, begin);
    for (;;) { // labels
        const std::string name = name_at(text, at);
        const size_t colon = skip_space(text, at + name.size());
        if (name.empty() || colon >= end || text[colon] != ':') break;
        at = skip_space(text, colon + 1);
    }
    if (at < end && text[at] == '@') {
        while (at < end && !std::isspace(static_cast<unsigned char>(text[at]))) ++at;
        at = skip_space(text, at);
    }
    if (at >= end || text[at] == '.' || text[at] == '(') return {};
    const std::string word = name_at(text, at);
    if (kInstructions.count(word) != 0) return {};
    return complaint(text, at, "Not a name of any known instruction: '" + word + "'");
}

std::string check_body(const std::string &text, size_t open, size_t *out_end) {
    int depth = 0;
    size_t begin = open + 1;
    for (size_t at = open; at < text.size(); ++at) {
        const char c = text[at];
        if (c != '{' && c != '}' && c != ';') continue;
        if (c == ';')
            if (std::string log = check_statement(text, begin, at); !log.empty()) return log;
        // The registers of a call stand in braces ahead of its semicolon.
        if (c == '{' && at != open && text.find_first_not_of(" \t\r\n", begin) != at) {
            at = text.find('}', at);
            if (at == std::string::npos) break;
            continue;
        }
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        begin = at + 1;
        if (depth > 0) continue;
        *out_end = at + 1;
        return {};
    }
    return complaint(text, text.size(), "Unexpected end of the input");
}

} // namespace

PtxResult parse_ptx(const char *raw) {
    PtxResult result;
    const std::string text = without_comments(raw);
    const size_t first = skip_space(text, 0);
    if (text.compare(first, 8, ".version") != 0) {
        result.log = complaint(text, first, "Missing .version directive at start of file");
        return result;
    }
    if (text.find(".target") == std::string::npos) {
        result.log = complaint(text, first, "Missing .target directive");
        return result;
    }
    for (size_t at = text.find(".entry"); at != std::string::npos; at = text.find(".entry", at)) {
        at = skip_space(text, at + 6);
        KernelEntry entry;
        entry.name = name_at(text, at);
        const size_t open = text.find('{', at);
        const size_t parenthesis = text.find('(', at);
        if (entry.name.empty() || open == std::string::npos) {
            result.log = complaint(text, at, "Parsing error near '.entry'");
            return result;
        }
        if (parenthesis < open) {
            const size_t close = text.find(')', parenthesis);
            size_t begin = parenthesis + 1;
            while (begin < close) {
                const size_t end = std::min(text.find(',', begin), close);
                if (text.find(".param", begin) < end)
                    entry.parameters.push_back(parameter_bytes(text.substr(begin, end - begin)));
                begin = end + 1;
            }
        }
        result.log = check_body(text, open, &at);
        if (!result.log.empty()) return result;
        result.entries.push_back(std::move(entry));
    }
    return result;
}

} // namespace gs::simulated
