// SPDX-License-Identifier: Apache-2.0
// The same calls in C and in C++, for bench/instructions --cpp: each part is one call, repeated, with its status checked as
// that language does. Compiled once as it is, and once with GPUSTREAM_NOEXCEPT=1.
#include <cstdio>
#include <cstdlib>
#include <gpustream.hpp>

namespace {

constexpr int kRepeat = 1000;
gs_stream_t a, b;
gs_event_t mark, done;
int32_t flag;
volatile int sink;

[[noreturn]] __attribute__((noinline, cold)) void failed() {
    const gpustream::error last(gpustream::status::internal);
    std::fprintf(stderr, "layer_calls: %s\n", last.what());
    std::exit(1);
}

inline void c(gs_status_t status) {
    if (__builtin_expect(status != GS_OK, 0)) failed();
}

// A call of the layer, whose failure ends the loop in either form.
#if GPUSTREAM_NOEXCEPT
#define CPP(...)                                                                                                       \
    if (const auto result = (__VA_ARGS__); !result) failed()
#else
#define CPP(...) static_cast<void>(__VA_ARGS__)
#endif

// A part by itself, so that the compiler cannot move a call out of the loop or know its operands.
#define PART(name, ...)                                                                                                \
    extern "C" __attribute__((noinline)) void part_##name() {                                                          \
        for (int i = 0; i < kRepeat; ++i) {                                                                            \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        sink = 0;                                                                                                      \
    }

gpustream::stream_ref in(gs_stream_t handle) { return gpustream::stream_ref(handle); }
gpustream::event_ref of(gs_event_t handle) { return gpustream::event_ref(handle); }

} // namespace

PART(empty_loop, __asm__ volatile(""))
PART(c_event_record, c(gs_event_record(mark, a)))
PART(cpp_event_record, CPP(of(mark).record(in(a))))
PART(c_stream_record, c(gs_stream_record_event(a, mark)))
PART(cpp_stream_record, CPP(in(a).record(of(mark))))
PART(c_wait, c(gs_stream_wait_event(b, done)))
PART(cpp_wait, CPP(in(b).wait(of(done))))
PART(c_query, int32_t out; c(gs_event_query(done, &out)); if (out) flag = i)
#if GPUSTREAM_NOEXCEPT
PART(cpp_query, const auto out = of(done).query(); if (!out) failed(); if (*out) flag = i)
#else
PART(cpp_query, if (of(done).query()) flag = i)
#endif
PART(c_synchronize, c(gs_event_synchronize(done)))
PART(cpp_synchronize, CPP(of(done).synchronize()))
PART(c_scope, uint64_t scope; c(gs_push_current_stream(a, &scope)); static_cast<void>(gs_unwind_current_stream(scope)))
#if GPUSTREAM_NOEXCEPT
PART(cpp_scope, const gpustream::stream_guard guard(in(a)); if (guard.status() != gpustream::status::ok) failed())
#else
PART(cpp_scope, const gpustream::stream_guard guard(in(a)))
#endif
PART(c_event_life, gs_event_t x; c(gs_event_create(0, &x)); static_cast<void>(gs_event_destroy(x)))
#if GPUSTREAM_NOEXCEPT
PART(cpp_event_life, const auto x = gpustream::event::create(); if (!x) failed())
#else
PART(cpp_event_life, const gpustream::event x = gpustream::event::create())
#endif
PART(c_stream_life, gs_stream_t x; c(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &x));
     static_cast<void>(gs_stream_destroy(x)))
#if GPUSTREAM_NOEXCEPT
PART(cpp_stream_life, const auto x = gpustream::stream::create(); if (!x) failed())
#else
PART(cpp_stream_life, const gpustream::stream x = gpustream::stream::create())
#endif

extern "C" __attribute__((noinline)) void part_end() { __asm__ volatile(""); }

int main() {
    c(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &a));
    c(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &b));
    for (gs_event_t *one : {&mark, &done}) c(gs_event_create(0, one));
    c(gs_event_record(done, a));
    c(gs_event_synchronize(done));
    c(gs_set_current_device(0));
    // The last dump of a part counts: pools are warm by then.
    for (int round = 0; round < 2; ++round) {
        part_empty_loop();
        part_c_event_record();
        part_cpp_event_record();
        part_c_stream_record();
        part_cpp_stream_record();
        part_c_wait();
        part_cpp_wait();
        part_c_query();
        part_cpp_query();
        part_c_synchronize();
        part_cpp_synchronize();
        c(gs_stream_synchronize(a));
        part_c_scope();
        part_cpp_scope();
        part_c_event_life();
        part_cpp_event_life();
        part_c_stream_life();
        part_cpp_stream_life();
    }
    part_end();
    return 0;
}
