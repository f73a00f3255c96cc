// SPDX-License-Identifier: Apache-2.0
#include "support/host_hooks.hpp"

#include "backend/host/host_backend.hpp"

namespace gs::host::testing {
namespace {

Stream *stream_of(int32_t ordinal, uintptr_t native) noexcept {
    ThreadBlock *thread = this_thread();
    Stream *stream = nullptr;
    return thread && instance().resolve(*thread, {ordinal, native}, &stream).ok() ? stream : nullptr;
}

} // namespace

bool begin_capture(int32_t ordinal, uintptr_t native) noexcept {
    Stream *stream = stream_of(ordinal, native);
    return stream && instance().engine()->capture_begin(*stream, {}) == Result::Ok;
}

bool end_capture(int32_t ordinal, uintptr_t native) noexcept {
    Stream *stream = stream_of(ordinal, native);
    return stream && instance().engine()->capture_abort(*stream) == Result::Ok;
}

void inject_fault(int32_t ordinal, int32_t code, const char *origin) noexcept {
    Engine &engine = *instance().engine();
    engine.latch(engine.device(ordinal), FaultKind::Sticky, code, origin);
}

bool inject_fault_later(int32_t ordinal, uintptr_t native, int32_t code, const char *origin) noexcept {
    Stream *stream = stream_of(ordinal, native);
    return stream && instance().engine()->fault_later(*stream, code, origin) == Result::Ok;
}

void lose_context(int32_t ordinal, const char *origin) noexcept {
    Engine &engine = *instance().engine();
    engine.latch(engine.device(ordinal), FaultKind::ContextLost, 0, origin);
}

void heal(int32_t ordinal) noexcept {
    Engine &engine = *instance().engine();
    engine.clear_fault(engine.device(ordinal));
}

bool device_idle(int32_t ordinal) noexcept {
    Device &device = instance().engine()->device(ordinal);
    MutexLock lock(device.list_lock);
    for (Stream *stream = device.streams; stream; stream = stream->all_next)
        if (is_busy(*stream)) return false;
    return true;
}

Gate::Gate(int32_t ordinal) noexcept
    : record_(instance().engine()->gate_create(instance().engine()->device(ordinal))) {}

Gate::~Gate() noexcept {
    open();
    if (record_) record_->release();
}

bool Gate::hold(int32_t ordinal, uintptr_t native) noexcept {
    Stream *stream = stream_of(ordinal, native);
    return record_ && stream && instance().engine()->stream_wait_gate(*stream, *record_) == Result::Ok;
}

void Gate::open() noexcept {
    if (record_ && !opened_) instance().engine()->gate_open(*record_);
    opened_ = true;
}

} // namespace gs::host::testing
