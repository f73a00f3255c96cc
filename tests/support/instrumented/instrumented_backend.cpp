// SPDX-License-Identifier: Apache-2.0
// Puts the tests' hooks around the driver calls of every backend. Hooks are the places where a thread may be held up or others
// may run (base/testing.hpp), and the seeded bugs of the hot path. A test program that links this file has them from its first
// use of the library on.
#include <array>
#include <memory>
#include <mutex>

#include "base/testing.hpp"
#include "core/event/event_hot.hpp"
#include "support/instrumented/forwarding_backend.hpp"
#include "support/seeded_bug.hpp"

namespace gs::test {
namespace {

using testing::SeededBug;
using testing::Yield;

// The threads of the library are none of a test.
void yield_on(const ThreadBlock &thread, Yield where) noexcept {
    if (!thread.is_library) testing::yield(where);
}

EventSlot *slot_of(uintptr_t event) noexcept {
    for (uint32_t index = event_slots().last_index(); index > 0; --index) {
        EventSlot *slot = event_slots().at(index);
        if (slot->handle.load() != 0 && slot->native.load() == event) return slot;
    }
    return nullptr;
}

uint32_t uid_of(StreamRef stream) noexcept {
    for (uint32_t index = stream_slots().last_index(); index > 0; --index) {
        const StreamSlot *slot = stream_slots().at(index);
        if (slot->handle.load() != 0 && slot->native == stream.native && slot->ordinal == stream.ordinal)
            return slot->uid;
    }
    return kUnknownStream;
}

// SeededBug::PublishBeforeCall: while it lives, the record is known to others although the driver does not have it. The
// word is put back at the end, since the library then publishes the record itself.
class EarlyRecord {
public:
    EarlyRecord(uintptr_t event, StreamRef stream) noexcept : slot_(slot_of(event)) {
        if (!slot_) return;
        before_ = slot_->word.load();
        publish_record(*slot_, before_, uid_of(stream));
        after_ = slot_->word.load();
    }
    ~EarlyRecord() {
        if (slot_) slot_->word.compare_exchange_strong(after_, before_);
    }
    EarlyRecord(const EarlyRecord &) = delete;
    EarlyRecord &operator=(const EarlyRecord &) = delete;

private:
    EventSlot *const slot_;
    uint64_t before_ = 0;
    uint64_t after_ = 0;
};

class InstrumentedBackend final : public ForwardingBackend {
public:
    using ForwardingBackend::ForwardingBackend;

    Status stream_create(const StreamSpec &spec, StreamNative *out) noexcept override {
        testing::yield(Yield::AfterCheck);
        return inner_.stream_create(spec, out);
    }
    // One that no machine has memory for: others allocate in the meantime.
    Status malloc_async(ThreadBlock &thread, StreamRef stream, uintptr_t pool, size_t bytes,
                        void **out) noexcept override {
        if (bytes >= size_t{1} << 60) yield_on(thread, Yield::AfterCheck);
        return inner_.malloc_async(thread, stream, pool, bytes, out);
    }
    Status pool_trim(ThreadBlock &thread, int32_t ordinal, uintptr_t pool, uint64_t keep) noexcept override {
        yield_on(thread, Yield::AfterCheck);
        return inner_.pool_trim(thread, ordinal, pool, keep);
    }
    Status event_record(ThreadBlock &thread, uintptr_t event, StreamRef stream, bool external) noexcept override {
        if (!testing::bug(SeededBug::PublishBeforeCall)) return record(thread, event, stream, external);
        const EarlyRecord early(event, stream);
        return record(thread, event, stream, external);
    }
    Status stream_wait_event(ThreadBlock &thread, StreamRef stream, uintptr_t event, bool external) noexcept override {
        if (testing::bug(SeededBug::SkipWaitAcrossStreams)) return kOk;
        yield_on(thread, Yield::AfterCheck);
        return inner_.stream_wait_event(thread, stream, event, external);
    }
    Status event_query(ThreadBlock &thread, int32_t ordinal, uintptr_t event, bool *out_done) noexcept override {
        yield_on(thread, Yield::AfterCheck);
        return inner_.event_query(thread, ordinal, event, out_done);
    }
    Status stream_query(ThreadBlock &thread, StreamRef stream, bool *out_done) noexcept override {
        yield_on(thread, Yield::AfterCheck);
        return inner_.stream_query(thread, stream, out_done);
    }

private:
    Status record(ThreadBlock &thread, uintptr_t event, StreamRef stream, bool external) noexcept {
        // The thread has a lock of the stream while it records an event of the library's own: no other operation may run there.
        if (!testing::yield_hook.load() || !slot_of(event)) return inner_.event_record(thread, event, stream, external);
        yield_on(thread, Yield::AfterCheck);
        const Status status = inner_.event_record(thread, event, stream, external);
        yield_on(thread, Yield::AfterRecordCall);
        return status;
    }
};

// One around each backend, immortal as they are.
Backend &instrument(Backend &backend) {
    static std::mutex mutex;
    static auto *const around = new std::array<InstrumentedBackend *, kBackendKinds + 1>{};
    const std::lock_guard<std::mutex> lock(mutex);
    InstrumentedBackend *&place = (*around)[static_cast<size_t>(backend.kind())];
    if (!place) place = new InstrumentedBackend(backend);
    return *place;
}

[[maybe_unused]] const bool kInstalled = [] {
    testing::instrument_backend = instrument;
    return true;
}();

} // namespace
} // namespace gs::test
