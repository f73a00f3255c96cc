// SPDX-License-Identifier: Apache-2.0
#include "tools/check/race.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "base/text.hpp"

namespace gs::check {
namespace {

const char *name_of_kind(AccessKind kind) noexcept {
    switch (kind) {
    case AccessKind::Read: return "read";
    case AccessKind::Write: return "write";
    case AccessKind::Allocate: return "allocation";
    case AccessKind::Free: return "free";
    case AccessKind::Unknown: return "access";
    }
    return "access";
}

void append(std::string &text, const char *format, ...) GS_PRINTF(2, 3);
void append(std::string &text, const char *format, ...) {
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    text += piece;
}

std::string queue_of(const RaceSide &side) {
    if (side.access.stream == 0) return "the host thread " + decimal(side.access.thread);
    std::string text = "stream ";
    append(text, "%#" PRIx64, side.access.stream);
    return side.stream_name.empty() ? text : text + " (\"" + side.stream_name + "\")";
}

std::string node_of(const RaceSide &side) {
    return side.access.node == 0 ? "a node inside the graph" : "node " + decimal(side.access.node);
}

std::string who(const RaceSide &side) {
    return side.access.launch == 0 ? queue_of(side) : node_of(side) + " of a graph in " + queue_of(side);
}

std::string advice_for(const Race &race) {
    if (race.later.access.launch != 0 && race.later.access.launch == race.earlier.access.launch)
        return "Both are in one launch of the graph: let one of the two nodes come after the other. In a capture, "
               "record an "
               "event after the first and let the other's stream wait for it.";
    const std::string first = queue_of(race.earlier);
    const std::string second = queue_of(race.later);
    if (race.later.access.early)
        return "The copy reads its source from the call on and does not wait in its stream: use "
               "GS_ACCESS_ORDER_STREAM, "
               "or synchronize " +
               first + " before the call.";
    if (race.later.access.stream == 0)
        return "Let the thread see that the earlier access is done: synchronize " + first +
               ", or an event recorded on it after that access.";
    if (race.earlier.access.stream == 0)
        return "Submit the later access from that thread, or hand over between the threads (gs_check_handover).";
    return "Record an event on " + first + " after the earlier access, and let " + second +
           " wait for it before the later one.";
}

std::string describe_side(const char *title, const RaceSide &side) {
    const Access &access = side.access;
    std::string text;
    append(text, "  %s: %s of %zu bytes at %#zx", title, name_of_kind(access.kind),
           static_cast<size_t>(access.end - access.begin), static_cast<size_t>(access.begin));
    if (!side.label.empty()) text += ", \"" + printable(side.label, gs::Lines::One) + "\"";
    text += ", " + who(side);
    if (access.stream != 0)
        append(text, ", %s by thread %" PRIu64, access.launch == 0 ? "submitted" : "launched", access.thread);
    append(text, ", access number %" PRIu64 "\n", access.number);
    for (size_t i = 0; i < side.stack.size(); ++i) {
        append(text, "      #%zu ", i);
        text += side.stack[i] + "\n";
    }
    return text;
}

void append_quoted(std::string &json, const std::string &text) {
    json += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            append(json, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            json += c;
        }
    }
    json += '"';
}

void append_side(std::string &json, const RaceSide &side) {
    const Access &access = side.access;
    append(json, "{\"kind\":\"%s\",\"address\":\"%#zx\",\"bytes\":%zu,\"number\":%" PRIu64 ",\"thread\":%" PRIu64,
           name_of_kind(access.kind), static_cast<size_t>(access.begin), static_cast<size_t>(access.end - access.begin),
           access.number, access.thread);
    if (access.stream != 0) append(json, ",\"stream\":\"%#" PRIx64 "\"", access.stream);
    if (access.launch != 0) append(json, ",\"launch\":%" PRIu64, access.launch);
    if (access.node != 0) append(json, ",\"node\":%" PRIu64, access.node);
    if (!side.stream_name.empty()) append_quoted(json += ",\"stream_name\":", side.stream_name);
    if (!side.label.empty()) append_quoted(json += ",\"label\":", side.label);
    json += ",\"stack\":[";
    for (size_t i = 0; i < side.stack.size(); ++i) append_quoted(i == 0 ? json : json += ',', side.stack[i]);
    json += "]}";
}

} // namespace

std::string race_as_text(const Race &race) {
    const uintptr_t begin = std::max(race.earlier.access.begin, race.later.access.begin);
    const uintptr_t end = std::min(race.earlier.access.end, race.later.access.end);
    std::string text;
    append(text, "race on %zu bytes at %#zx: nothing orders the %s", static_cast<size_t>(end - begin),
           static_cast<size_t>(begin), name_of_kind(race.later.access.kind));
    text += " by " + who(race.later) + " after the ";
    text += name_of_kind(race.earlier.access.kind);
    text += " by " + who(race.earlier) + "\n";
    text += describe_side("later", race.later) + describe_side("earlier", race.earlier);
    if (race.waited_before)
        text += "  A wait for the earlier side exists, but it covers only what came before that access.\n";
    return text + "  " + advice_for(race) + "\n";
}

std::string race_as_json(const Race &race) {
    const uintptr_t begin = std::max(race.earlier.access.begin, race.later.access.begin);
    const uintptr_t end = std::min(race.earlier.access.end, race.later.access.end);
    std::string json;
    append(json, "{\"type\":\"race\",\"address\":\"%#zx\",\"bytes\":%zu,\"earlier\":", static_cast<size_t>(begin),
           static_cast<size_t>(end - begin));
    append_side(json, race.earlier);
    json += ",\"later\":";
    append_side(json, race.later);
    append(json, ",\"waited_before\":%s,\"advice\":", race.waited_before ? "true" : "false");
    append_quoted(json, advice_for(race));
    return json + "}";
}

} // namespace gs::check
