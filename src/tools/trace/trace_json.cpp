// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/trace_parts.hpp"

#include <cinttypes>
#include <cstdio>
#include <set>

#include "base/text.hpp"
#include "core/names.hpp"
#include "tools/recorder/log_notes.hpp"

namespace gs::trace {
namespace {

using recorder::LogCall;

constexpr size_t kPiece = 64 * 1024;

// What an operation is called in the trace.
const char *title_of(const Span &span) noexcept {
    if (span.kind == Span::Kind::Wait) return "Stream Wait Event"; // as PyTorch's traces have it
    switch (span.call) {
    case LogCall::Record: return "record";
    case LogCall::WaitStream: return "is waited for";
    case LogCall::Launch: return "graph launch";
    case LogCall::HostFunction: return "host function";
    case LogCall::Signal: return "signal";
    case LogCall::WaitWord: return "wait for a word";
    case LogCall::Copy: return "copy";
    case LogCall::Fill: return "fill";
    case LogCall::Allocate: return "malloc";
    case LogCall::Free: return "free";
    case LogCall::SeenEvent: return "event is complete";
    case LogCall::SeenStream: return "stream is idle";
    case LogCall::SeenTimeline: return "timeline was read";
    case LogCall::HostSignal: return "signal";
    default: return "work";
    }
}

class Writer {
public:
    Writer(const Snapshot &snapshot, const Regions &regions, const Parts &parts, WriteFunction write, void *arg)
        : snapshot_(snapshot), regions_(regions), parts_(parts), write_(write), arg_(arg) {}

    Status run() {
        head();
        lanes();
        for (size_t i = 0; i < parts_.spans.size() && ok(); ++i) {
            span(i);
            if (parts_.spans[i].after >= 0) arrow(i);
        }
        text_ += "\n]}\n";
        flush();
        if (status_ == GS_OK) return kOk;
        return fail(status_, "the function that receives the trace returned %d", status_);
    }

private:
    bool ok() const noexcept { return status_ == GS_OK; }
    void flush() {
        if (ok() && !text_.empty()) status_ = write_(arg_, text_.data(), text_.size());
        text_.clear();
    }

    void number(const char *name, uint64_t value) {
        char line[64];
        std::snprintf(line, sizeof line, "\"%s\": %" PRIu64, name, value);
        text_ += line;
    }
    // Nanoseconds as microseconds.
    void time(const char *name, int64_t ns) {
        char line[64];
        std::snprintf(line, sizeof line, ", \"%s\": %" PRId64 ".%03d", name, ns / 1000, static_cast<int>(ns % 1000));
        text_ += line;
    }
    // Names have no control characters.
    void quoted(const char *text) {
        text_ += '"';
        for (; *text != '\0'; ++text) {
            if (*text == '"' || *text == '\\') text_ += '\\';
            text_ += *text;
        }
        text_ += '"';
    }

    void head() {
        text_ += "{\"schemaVersion\": 1, \"displayTimeUnit\": \"ns\", \"traceName\": \"gpustream\",\n\"gpustream\": "
                 "{\"clock\": "
                 "\"CLOCK_MONOTONIC\", ";
        number("process", snapshot_.process);
        time("from", static_cast<int64_t>(snapshot_.from_ns));
        time("until", static_cast<int64_t>(snapshot_.until_ns));
        text_ += ", ";
        number("dropped", snapshot_.dropped);
        text_ += ", ";
        number("ranges_not_timed", regions_.not_timed);
        text_ += ", ";
        number("ranges_pending", regions_.pending);
        text_ += "},\n\"deviceProperties\": [";
        std::set<int32_t> devices;
        for (const Lane &lane : parts_.lanes)
            if (lane.process != kHost && devices.insert(lane.process).second) {
                text_ += devices.size() == 1 ? "{" : ", {";
                number("id", static_cast<uint64_t>(lane.process));
                text_ += "}";
            }
        text_ += "],\n\"traceEvents\": [";
        for (const int32_t device : devices) name_process(device, "device " + decimal(static_cast<uint64_t>(device)));
        name_process(kHost, "threads");
    }

    void next() {
        if (text_.size() >= kPiece) flush();
        text_ += is_first_ ? "\n" : ",\n";
        is_first_ = false;
    }
    void place(int32_t process, uint64_t thread) {
        number("pid", process == kHost ? snapshot_.process : static_cast<uint64_t>(process));
        text_ += ", ";
        number("tid", thread);
    }
    void name_process(int32_t process, const std::string &name) {
        next();
        text_ += "{\"ph\": \"M\", \"name\": \"process_name\", ";
        place(process, 0);
        text_ += ", \"args\": {\"name\": \"" + name + "\"}}";
    }
    void lanes() {
        for (const Lane &lane : parts_.lanes) {
            next();
            text_ += "{\"ph\": \"M\", \"name\": \"thread_name\", ";
            place(lane.process, lane.number);
            text_ += ", \"args\": {\"name\": ";
            if (lane.process == kHost) {
                quoted(("thread " + decimal(lane.number)).c_str());
            } else {
                const NameText name = name_of_object(lane.handle);
                const std::string usual = lane.number == 0 ? "default stream" : "stream " + decimal(lane.number);
                quoted((name.text[0] != '\0' ? usual + " " + name.text : usual).c_str());
            }
            text_ += "}}";
        }
    }

    void common(const char *phase, const char *category, const char *name, const Span &span) {
        next();
        text_ += "{\"ph\": \"";
        text_ += phase;
        text_ += "\", \"cat\": \"";
        text_ += category;
        text_ += "\", \"name\": ";
        quoted(name);
        text_ += ", ";
        place(parts_.lanes[span.lane].process, parts_.lanes[span.lane].number);
        time("ts", span.from_ns);
    }

    static std::string operation(const Span &span) {
        const NameText name = span.call == LogCall::Launch ? name_of_object(span.object) : NameText{};
        return name.text[0] != '\0' ? std::string(title_of(span)) + ": " + name.text : title_of(span);
    }
    void span(size_t i) {
        const Span &span = parts_.spans[i];
        const char *const named = recorder::text_with_number(span.name);
        const bool on_stream = parts_.lanes[span.lane].process != kHost;
        switch (span.kind) {
        case Span::Kind::Range: common("X", snapshot_.ranges, named, span); break;
        case Span::Kind::Region: common("X", snapshot_.regions, named, span); break;
        case Span::Kind::Wait: common("X", "cuda_sync", title_of(span), span); break;
        case Span::Kind::Operation: common("X", "gpustream", operation(span).c_str(), span); break;
        case Span::Kind::Mark:
            common("i", "user_annotation", named, span);
            text_ += ", \"s\": \"t\"}";
            return;
        case Span::Kind::AnyThreadBegin:
        case Span::Kind::AnyThreadEnd: {
            const bool begins = span.kind == Span::Kind::AnyThreadBegin;
            common(begins ? "b" : "e", "user_annotation", begins ? named : "", span);
            text_ += ", ";
            number("id", span.object);
            text_ += "}";
            return;
        }
        }
        time("dur", span.until_ns - span.from_ns);
        text_ += ", \"args\": {";
        number("correlation", i + 1);
        text_ += ", ";
        number("thread", span.thread);
        if (on_stream) {
            text_ += ", ";
            number("device", static_cast<uint64_t>(parts_.lanes[span.lane].process));
            text_ += ", ";
            number("stream", parts_.lanes[span.lane].number);
        }
        details(span);
        text_ += "}}";
    }

    void object(const char *what, uint64_t handle) {
        text_ += std::string(", \"") + what + "\": ";
        quoted(describe_object(handle).text);
    }
    void details(const Span &span) {
        if (span.is_open) text_ += ", \"open\": true";
        if (span.kind == Span::Kind::Region) {
            text_ += ", ";
            number("error_ns", static_cast<uint64_t>(span.error_ns));
        }
        if (span.kind == Span::Kind::Range || span.kind == Span::Kind::Region) return;
        switch (span.call) {
        case LogCall::Record:
        case LogCall::Wait:
        case LogCall::SeenEvent: object("event", span.object); break;
        case LogCall::Launch: object("graph", span.object); break;
        case LogCall::Signal:
        case LogCall::WaitTimeline:
        case LogCall::SeenTimeline:
        case LogCall::HostSignal:
            object("timeline", span.object);
            text_ += ", ";
            number("value", span.value);
            break;
        case LogCall::Copy:
        case LogCall::Fill:
        case LogCall::Allocate:
            text_ += ", ";
            number("bytes", span.value);
            break;
        default: break;
        }
        if (span.after < 0) return;
        const Lane &from = parts_.lanes[parts_.spans[static_cast<size_t>(span.after)].lane];
        if (from.process == kHost) return;
        text_ += ", ";
        number("wait_on_device", static_cast<uint64_t>(from.process));
        text_ += ", ";
        number("wait_on_stream", from.number);
        text_ += ", ";
        number("wait_on_cuda_event_record_corr_id", static_cast<uint64_t>(span.after) + 1);
    }

    // A wait for a timeline may come before the signal: then the arrow ends where the signal is submitted.
    void arrow(size_t i) {
        const Span &from = parts_.spans[static_cast<size_t>(parts_.spans[i].after)];
        Span to = parts_.spans[i];
        if (to.from_ns < from.from_ns) {
            to.until_ns = to.from_ns = from.from_ns;
            common("X", "cuda_sync", "can be met", to);
            time("dur", 0);
            text_ += ", \"args\": {";
            number("waits_since", i + 1);
            text_ += "}}";
        }
        common("s", "order", "order", from);
        text_ += ", ";
        number("id", i + 1);
        text_ += "}";
        common("f", "order", "order", to);
        text_ += ", \"bp\": \"e\", ";
        number("id", i + 1);
        text_ += "}";
    }

    const Snapshot &snapshot_;
    const Regions &regions_;
    const Parts &parts_;
    const WriteFunction write_;
    void *const arg_;
    gs_status_t status_ = GS_OK;
    bool is_first_ = true;
    std::string text_;
};

} // namespace

Status write_json(const Snapshot &snapshot, const Regions &regions, const Parts &parts, WriteFunction write,
                  void *arg) {
    return Writer(snapshot, regions, parts, write, arg).run();
}

} // namespace gs::trace
