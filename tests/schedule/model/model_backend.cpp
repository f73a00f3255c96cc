// SPDX-License-Identifier: Apache-2.0
#include "schedule/model/model_backend.hpp"

#include <algorithm>
#include <map>

#include "base/testing.hpp"
#include "schedule/model/model_graphs.hpp"
#include "schedule/scheduler/explore.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "support/instrumented/forwarding_backend.hpp"

namespace gs::schedule {
namespace {

struct Object {
    bool alive = true;
    uint64_t owner = 0; // the latest one that it served
};
struct DriverStream : Object {
    uint64_t submitted = 0;
    uint64_t done = 0;
};
struct DriverEvent : Object {
    RecordMade record{};
};

// Only the running thread is in here, so nothing is locked. Natives are never used again.
std::map<uintptr_t, DriverStream> g_streams;
std::map<uintptr_t, DriverEvent> g_events;
constexpr uint64_t kCaptured = ~uint64_t{0}; // the position of a record that is part of a capture
constexpr uintptr_t kFirstNative = 0x100000; // the default streams are below
uintptr_t g_next_native = kFirstNative;
uint64_t g_calls = 0;
RecordMade g_last_record{};
std::vector<WaitMade> g_waits;
struct WriteMade {
    uintptr_t stream;
    uint64_t position;
    uint64_t *word;
    uint64_t value;
};
std::vector<WriteMade> g_writes; // that are not done
struct Function {
    void (*fn)(void *);
    void *arg;
};
std::vector<Function> g_functions;
bool g_allocated_in_capture = false;
Launch g_launch = Launch::Accepts;
int64_t g_events_before = 0;
int64_t g_streams_before = 0;
thread_local uint64_t t_owner = 0;
thread_local uint64_t t_last_position = 0;

// Work up to that position is done, and its writes are.
void finish_to(DriverStream &stream, uint64_t position) {
    stream.done = std::max(stream.done, position);
    std::erase_if(g_writes, [](const WriteMade &write) {
        if (g_streams[write.stream].done < write.position) return false;
        __atomic_store_n(write.word, write.value, __ATOMIC_SEQ_CST);
        return true;
    });
}

uintptr_t new_native() { return g_next_native += 16; }

DriverStream &stream_of(StreamRef stream) {
    // Each thread has a per-thread stream of its own.
    const uintptr_t place =
        stream.native == kNativePerThreadStream ? 3u + static_cast<uintptr_t>(self()->id) : stream.native;
    return g_streams[place];
}

DriverEvent &event_at(uintptr_t native) {
    const auto found = g_events.find(native);
    require(found != g_events.end(), "a call with a driver event of an earlier run");
    return found != g_events.end() ? found->second : g_events[native];
}

void check(Object &object, const char *call) {
    require(object.alive, std::string(call) + ": the driver's object was destroyed before");
    if (t_owner == 0) return;
    require(object.owner <= t_owner, std::string(call) + ": the driver's object belongs to a later owner by now");
    object.owner = t_owner;
}

// A driver call: others may run between its begin and its effect.
void call(Object &object, const char *name) {
    check(object, name);
    access(name, kAlwaysShared, true, __builtin_return_address(0));
    check(object, name);
    ++g_calls;
}

class ModelBackend final : public test::ForwardingBackend {
public:
    using ForwardingBackend::ForwardingBackend;

    // Its events wake no thread: it is asked, as a CUDA driver is.
    uint32_t caps() const noexcept override { return ForwardingBackend::caps() & ~kCapWakes; }

    Graphs *graphs() noexcept override { return model_graphs(); }
    Status stream_create(const StreamSpec &spec, StreamNative *out) noexcept override {
        const uintptr_t native = new_native();
        call(g_streams[native], "stream create");
        *out = {native, spec.priority};
        return kOk;
    }
    Status stream_destroy(StreamRef stream) noexcept override {
        DriverStream &object = stream_of(stream);
        call(object, "stream destroy");
        object.alive = false;
        return kOk;
    }
    Status stream_reset(StreamRef stream) noexcept override {
        call(stream_of(stream), "stream reset");
        return kOk;
    }
    Status stream_query(ThreadBlock &, StreamRef stream, bool *out_done) noexcept override {
        DriverStream &object = stream_of(stream);
        call(object, "stream query");
        *out_done = object.done == object.submitted;
        return kOk;
    }
    Status stream_synchronize(ThreadBlock &, StreamRef stream) noexcept override {
        DriverStream &object = stream_of(stream);
        call(object, "stream synchronize");
        finish_to(object, object.submitted);
        check(object, "stream synchronize");
        return kOk;
    }
    Status stream_is_capturing(ThreadBlock &, StreamRef stream, bool *out_capturing) noexcept override {
        *out_capturing = model::is_captured(stream.native);
        return kOk;
    }
    Status stream_driver_id(ThreadBlock &, StreamRef stream, uint64_t *out_id) noexcept override {
        *out_id = stream.native;
        return kOk;
    }
    Status stream_context(ThreadBlock &, StreamRef, uintptr_t *out_context) noexcept override {
        *out_context = kFirstNative;
        return kOk;
    }
    Status stream_wait_event(ThreadBlock &, StreamRef stream, uintptr_t event, bool) noexcept override {
        DriverEvent &object = event_at(event);
        call(object, "stream wait event");
        DriverStream &where = stream_of(stream);
        if (stream.native >= kFirstNative) check(where, "stream wait event");
        ++where.submitted;
        g_waits.push_back({g_calls, stream.native, object.record});
        return kOk;
    }
    Status write_value(ThreadBlock &, StreamRef stream, void *address, uint64_t value, uint32_t) noexcept override {
        DriverStream &object = stream_of(stream);
        call(object, "write value");
        g_writes.push_back({stream.native, ++object.submitted, static_cast<uint64_t *>(address), value});
        return kOk;
    }
    Status sleep(ThreadBlock &, StreamRef stream, uint64_t) noexcept override {
        DriverStream &object = stream_of(stream);
        call(object, "work");
        ++object.submitted;
        return kOk;
    }
    Status launch_host(ThreadBlock &, StreamRef stream, void (*fn)(void *), void *arg) noexcept override {
        DriverStream &object = stream_of(stream);
        call(object, "launch host");
        if (model::is_captured(stream.native)) {
            model::add_node(stream.native);
            return kOk;
        }
        if (g_launch != Launch::Fails) g_functions.push_back({fn, arg});
        access("launch host returns", kAlwaysShared, true, nullptr);
        if (g_launch == Launch::Accepts) return kOk;
        return fail(GS_ERROR_SYSTEM, "the model refuses a host function");
    }
    // Memory is a number: no thread reads there.
    Status malloc_async(ThreadBlock &, StreamRef stream, uintptr_t, size_t, void **out) noexcept override {
        call(stream_of(stream), "malloc");
        g_allocated_in_capture = model::is_captured(stream.native);
        *out = reinterpret_cast<void *>(new_native() * 4096);
        return kOk;
    }
    Status free_async(ThreadBlock &, StreamRef stream, void *, bool *out_freed) noexcept override {
        call(stream_of(stream), "free");
        *out_freed = true;
        return kOk;
    }
    Status event_create(int32_t, uint32_t, uintptr_t *out_event) noexcept override {
        const uintptr_t native = new_native();
        call(g_events[native], "event create");
        *out_event = native;
        return kOk;
    }
    Status event_destroy(int32_t, uintptr_t event) noexcept override {
        DriverEvent &object = event_at(event);
        call(object, "event destroy");
        object.alive = false;
        return kOk;
    }
    Status event_record(ThreadBlock &, uintptr_t event, StreamRef stream, bool) noexcept override {
        DriverEvent &object = event_at(event);
        call(object, "event record");
        DriverStream &where = stream_of(stream);
        if (stream.native >= kFirstNative) check(where, "event record");
        const bool captured = model::is_captured(stream.native);
        object.record = {g_calls, event, stream.native, captured ? kCaptured : ++where.submitted};
        g_last_record = object.record;
        t_last_position = object.record.position;
        return kOk;
    }
    Status event_query(ThreadBlock &thread, int32_t, uintptr_t event, bool *out_done) noexcept override {
        DriverEvent &object = event_at(event);
        call(object, "event query");
        require(object.record.position != kCaptured, "a question about a captured record breaks the capture");
        *out_done = model::is_done(object.record);
        if (!*out_done && (thread.may_not_block & kDispatching) != 0) yield(nullptr); // it polls
        return kOk;
    }
    Status event_synchronize(ThreadBlock &, int32_t, uintptr_t event) noexcept override {
        DriverEvent &object = event_at(event);
        call(object, "event synchronize");
        DriverStream &where = g_streams[object.record.stream];
        finish_to(where, object.record.position);
        check(object, "event synchronize"); // it has slept in there
        return kOk;
    }
    Status device_synchronize(int32_t) noexcept override {
        model::finish_all();
        return kOk;
    }
};

int64_t live_events() {
    return std::count_if(g_events.begin(), g_events.end(), [](const auto &item) { return item.second.alive; });
}
int64_t live_streams() {
    return std::count_if(g_streams.begin(), g_streams.end(),
                         [](const auto &item) { return item.first >= kFirstNative && item.second.alive; });
}

Backend &stand_in(Backend &backend) {
    static auto *const immortal = new ModelBackend(backend);
    return *immortal;
}

} // namespace

As::As(uint64_t owner) : previous_(t_owner) { t_owner = owner; }
As::~As() { t_owner = previous_; }

namespace model {

void install() { testing::instrument_backend = stand_in; }

void begin_run() {
    g_waits.clear();
    g_writes.clear();
    g_calls = 0;
    g_launch = Launch::Accepts;
    std::erase_if(g_streams, [](const auto &item) { return !item.second.alive; });
    std::erase_if(g_events, [](const auto &item) { return !item.second.alive; });
    g_events_before = live_events();
    g_streams_before = live_streams();
}

void finish_all() {
    for (auto &[native, stream] : g_streams) finish_to(stream, stream.submitted);
}
void finish(uintptr_t stream) { finish_to(g_streams[stream], g_streams[stream].submitted); }
bool allocated_in_capture() { return g_allocated_in_capture; }
uint64_t submitted(uintptr_t stream) { return g_streams[stream].submitted; }
void submit(uintptr_t stream) { ++g_streams[stream].submitted; }
bool is_done(const RecordMade &record) { return g_streams[record.stream].done >= record.position; }
const RecordMade &last_record() { return g_last_record; }
uint64_t last_position() { return t_last_position; }
const std::vector<WaitMade> &waits() { return g_waits; }
uint64_t calls() { return g_calls; }
void set_launch(Launch launch) { g_launch = launch; }
void run_host_functions() {
    while (!g_functions.empty()) {
        const Function next = g_functions.front();
        g_functions.erase(g_functions.begin());
        access("runs a host function", kAlwaysShared, true, nullptr);
        next.fn(next.arg);
    }
}

int64_t new_events() { return live_events() - g_events_before; }
int64_t new_streams() { return live_streams() - g_streams_before; }

} // namespace model
} // namespace gs::schedule
