// SPDX-License-Identifier: Apache-2.0
// The same calls for any API whose functions take events and streams as pointers and return a number: the CUDA driver
// and the CUDA runtime. Api has a static function pointer for each, and attach(), which prepares the calling thread.
#pragma once

#include <atomic>
#include <string>

#include "suite.hpp"

namespace bench {

template <typename Api>
struct NativeStream {
    NativeStream() { failed = Api::attach() | Api::stream_create(&handle); }
    ~NativeStream() {
        Api::stream_synchronize(handle);
        Api::stream_destroy(handle);
    }
    NativeStream(const NativeStream &) = delete;
    NativeStream &operator=(const NativeStream &) = delete;
    void *handle = nullptr;
    int failed = 0;
};

template <typename Api>
struct NativeEvent {
    explicit NativeEvent(bool timed = false) {
        failed = Api::attach() | Api::event_create(&handle, Api::event_flags(timed));
    }
    ~NativeEvent() { Api::event_destroy(handle); }
    NativeEvent(const NativeEvent &) = delete;
    NativeEvent &operator=(const NativeEvent &) = delete;
    void *handle = nullptr;
    int failed = 0;
};

template <typename Api>
class NativeHold {
public:
    explicit NativeHold(void *stream) {
        if (Api::launch_host(stream, &NativeHold::wait, this) != 0) left_.store(true);
    }
    ~NativeHold() {
        open_.store(true);
        open_.notify_all();
        left_.wait(false);
    }
    NativeHold(const NativeHold &) = delete;
    NativeHold &operator=(const NativeHold &) = delete;

private:
    static void wait(void *opaque) {
        auto *self = static_cast<NativeHold *>(opaque);
        self->open_.wait(false);
        self->left_.store(true);
        self->left_.notify_all();
    }
    std::atomic<bool> open_{false};
    std::atomic<bool> left_{false};
};

template <typename Api>
class NativeCalls {
public:
    static void add_all(const char *library) {
        add("event record", library, State::Idle, record);
        add("event record", library, State::Busy, record_busy, true);
        add("event record, timed", library, State::Idle, record_timed);
        add("wait, other stream", library, State::Idle, wait_other);
        add("wait, other stream", library, State::Busy, wait_other_busy, true);
        add("wait, same stream", library, State::Idle, wait_same);
        add("wait, complete event", library, State::Idle, wait_other);
        add("query complete event", library, State::Idle, query_complete);
        add("query complete event, shared", library, State::Idle, query_shared);
        add("query pending event", library, State::Busy, query_pending);
        add("stream query", library, State::Idle, stream_query);
        add("stream query", library, State::Busy, stream_query_busy);
        add("wait_stream", library, State::Idle, wait_stream);
        add("elapsed", library, State::Idle, elapsed);
        add("event create + destroy", library, State::Idle, event_create_destroy);
        add("event create, record, destroy", library, State::Idle, event_life);
        add("stream create + destroy", library, State::Idle, stream_create_destroy);
        add("stream create, record, destroy", library, State::Idle, stream_life);
        add(kMallocFree, library, State::Idle, malloc_free);
    }

private:
    using Stream = NativeStream<Api>;
    using Event = NativeEvent<Api>;
    using Hold = NativeHold<Api>;

    static void done(benchmark::State &state, int failed) { check(state, failed, "error " + std::to_string(failed)); }
    static int synchronized(const Stream &stream, const Event &event) {
        return stream.failed | event.failed | Api::event_record(event.handle, stream.handle) |
               Api::stream_synchronize(stream.handle);
    }

    static void record(benchmark::State &state) {
        Stream stream;
        Event event;
        int failed = synchronized(stream, event);
        for (auto _ : state) failed |= Api::event_record(event.handle, stream.handle);
        done(state, failed);
    }
    static void record_busy(benchmark::State &state) {
        Stream stream;
        Event event;
        int failed = synchronized(stream, event);
        Hold hold(stream.handle);
        for (auto _ : state) failed |= Api::event_record(event.handle, stream.handle);
        done(state, failed);
    }
    static void record_timed(benchmark::State &state) {
        Stream stream;
        Event event(true);
        int failed = synchronized(stream, event);
        for (auto _ : state) failed |= Api::event_record(event.handle, stream.handle);
        done(state, failed);
    }
    static void wait_other(benchmark::State &state) {
        Stream stream, other;
        Event event;
        int failed = synchronized(other, event) | stream.failed;
        for (auto _ : state) failed |= Api::stream_wait(stream.handle, event.handle, 0);
        done(state, failed);
    }
    static void wait_other_busy(benchmark::State &state) {
        Stream stream, other;
        Event event;
        Hold hold(other.handle);
        int failed = Api::event_record(event.handle, other.handle) | stream.failed | other.failed | event.failed;
        for (auto _ : state) failed |= Api::stream_wait(stream.handle, event.handle, 0);
        done(state, failed);
    }
    static void wait_same(benchmark::State &state) {
        Stream stream;
        Event event;
        int failed = synchronized(stream, event);
        for (auto _ : state) failed |= Api::stream_wait(stream.handle, event.handle, 0);
        done(state, failed);
    }
    static void query_complete(benchmark::State &state) {
        Stream stream;
        Event event;
        int failed = synchronized(stream, event);
        for (auto _ : state) failed |= Api::event_query(event.handle);
        done(state, failed);
    }
    static void query_shared(benchmark::State &state) {
        static void *shared;
        int failed = Api::attach();
        if (state.thread_index() == 0) {
            Stream stream;
            failed |= Api::event_create(&shared, Api::event_flags(false)) | Api::event_record(shared, stream.handle) |
                      Api::stream_synchronize(stream.handle);
        }
        for (auto _ : state) failed |= Api::event_query(shared);
        if (state.thread_index() == 0) failed |= Api::event_destroy(shared);
        done(state, failed);
    }
    static void query_pending(benchmark::State &state) {
        Stream stream;
        Event event;
        Hold hold(stream.handle);
        int failed = Api::event_record(event.handle, stream.handle) | stream.failed | event.failed;
        int pending = Api::kNotReady;
        for (auto _ : state) pending &= Api::event_query(event.handle);
        done(state, failed | (pending ^ Api::kNotReady));
    }
    static void stream_query(benchmark::State &state) {
        Stream stream;
        int failed = stream.failed;
        for (auto _ : state) failed |= Api::stream_query(stream.handle);
        done(state, failed);
    }
    static void stream_query_busy(benchmark::State &state) {
        Stream stream;
        Hold hold(stream.handle);
        int pending = Api::kNotReady;
        for (auto _ : state) pending &= Api::stream_query(stream.handle);
        done(state, stream.failed | (pending ^ Api::kNotReady));
    }
    static void wait_stream(benchmark::State &state) {
        Stream stream, other;
        Event event;
        int failed = synchronized(other, event) | stream.failed;
        for (auto _ : state) {
            failed |= Api::event_record(event.handle, other.handle);
            failed |= Api::stream_wait(stream.handle, event.handle, 0);
        }
        done(state, failed);
    }
    static void malloc_free(benchmark::State &state) {
        Stream stream;
        int failed = stream.failed;
        void *memory = nullptr;
        for (auto _ : state) {
            failed |= Api::malloc_async(&memory, kBlockBytes, stream.handle);
            failed |= Api::free_async(memory, stream.handle);
        }
        done(state, failed);
    }
    static void elapsed(benchmark::State &state) {
        Stream stream;
        Event start(true), stop(true);
        float ms = 0;
        int failed = synchronized(stream, start) | synchronized(stream, stop);
        for (auto _ : state) failed |= Api::elapsed(&ms, start.handle, stop.handle);
        done(state, failed);
    }
    static void event_create_destroy(benchmark::State &state) {
        int failed = Api::attach();
        for (auto _ : state) {
            void *event = nullptr;
            failed |= Api::event_create(&event, Api::event_flags(false));
            failed |= Api::event_destroy(event);
        }
        done(state, failed);
    }
    static void event_life(benchmark::State &state) {
        Stream stream;
        int failed = stream.failed;
        for (auto _ : state) {
            void *event = nullptr;
            failed |= Api::event_create(&event, Api::event_flags(false));
            failed |= Api::event_record(event, stream.handle);
            failed |= Api::event_destroy(event);
        }
        done(state, failed);
    }
    static void stream_create_destroy(benchmark::State &state) {
        int failed = Api::attach();
        for (auto _ : state) {
            void *stream = nullptr;
            failed |= Api::stream_create(&stream);
            failed |= Api::stream_destroy(stream);
        }
        done(state, failed);
    }
    static void stream_life(benchmark::State &state) {
        Event event;
        int failed = event.failed;
        for (auto _ : state) {
            void *stream = nullptr;
            failed |= Api::stream_create(&stream);
            failed |= Api::event_record(event.handle, stream);
            failed |= Api::stream_destroy(stream);
        }
        done(state, failed);
    }
};

} // namespace bench
