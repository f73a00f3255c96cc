// SPDX-License-Identifier: Apache-2.0
// A program whose library has another ABI, in either form of the layer: each first call fails with wrong_abi. Prints what
// is wrong with the library; ends with 1 if a call was not refused.
#include <cstdio>
#include <gpustream.hpp>
#include <memory>

using namespace gpustream;

namespace {

int accepted = 0;

void refused(const char *name, status found) {
    if (found == wrong_abi) return;
    std::fprintf(stderr, "%s: its status is %d\n", name, static_cast<int>(found));
    ++accepted;
}

template <typename Call>
status status_of(Call call) {
#if GPUSTREAM_NOEXCEPT
    return call().status();
#else
    try {
        static_cast<void>(call());
    } catch (const abi_error &failure) {
        return failure.status();
    }
    return status::ok;
#endif
}

// One that has a status where nothing is thrown, and is void where failures are.
#if GPUSTREAM_NOEXCEPT
#define REFUSED(...) refused(#__VA_ARGS__, status_of([&] { return __VA_ARGS__; }))
#define REFUSED_GUARD(...) refused(#__VA_ARGS__, (__VA_ARGS__).status())
#else
#define REFUSED(...) refused(#__VA_ARGS__, status_of([&] { return static_cast<void>(__VA_ARGS__), 0; }))
#define REFUSED_GUARD(...) refused(#__VA_ARGS__, status_of([&] { return static_cast<void>(__VA_ARGS__), 0; }))
#endif

void objects() {
    const uintptr_t native = 1;
    REFUSED(stream::create());
    REFUSED(stream::retain(stream_ref()));
    REFUSED(stream::from_native(0, native));
    REFUSED(stream::unpack(gs_stream_triple_t{}));
    REFUSED(default_stream());
    REFUSED(per_thread_stream());
    REFUSED(current_stream());
    REFUSED(current_cuda_stream());
    REFUSED(exchange_current_stream(stream_ref()));
    REFUSED(event::create());
    REFUSED(event::retain(event_ref()));
    REFUSED(event::from_native(0, native));
    REFUSED(event::ipc_open(0, gs_ipc_handle_t{}));
    REFUSED(timed_event::create());
    REFUSED(timed_event::retain(timed_event_ref()));
    REFUSED(timeline::create());
    REFUSED(timeline::retain(timeline_ref()));
    REFUSED(queue::create(4));
    REFUSED(queue::retain(queue_ref()));
    REFUSED(graph::create());
    REFUSED(graph::retain(graph_ref()));
    REFUSED(graph::from_native(0, native));
    REFUSED(graph_exec::retain(graph_exec_ref()));
    REFUSED(module::load(0, "image", 5));
    REFUSED(host_buffer::create(8));
    REFUSED(buffer::create(8, stream_ref::current()));
    REFUSED(buffer::create(8, stream_ref()));
    REFUSED(buffer::create(8, stream_ref(), pool_ref()));
    REFUSED(pool::create());
    REFUSED(pool::retain(pool_ref()));
    REFUSED(pool_ref::of_device());
    REFUSED(pool_ref::current());
    REFUSED_GUARD(capture(stream_ref::current()));
    REFUSED_GUARD(capture(stream_ref::current(), graph_ref(), {}));
#if __cplusplus >= 202002L
    REFUSED(completion_loop::create());
    gs_queue_t loop = nullptr;
    refused("co_await", static_cast<status>(detail::process_loop::find(&loop)));
#endif
}

void devices() {
    REFUSED(device_count());
    REFUSED(current_device());
    REFUSED(set_current_device(0));
    REFUSED(device(0).synchronize());
    REFUSED(device(0).synchronize_for(std::chrono::seconds(1)));
    REFUSED(device(0).check());
    REFUSED(device(0).info());
    REFUSED(device(0).can_access_peer(1));
    REFUSED(device(0).calibrate());
    REFUSED(device(0).priority_range());
    REFUSED(device(0).utilization_percent());
    REFUSED(device(0).memory_bytes());
    REFUSED(rng::seed(1));
    REFUSED(rng::get_state());
    REFUSED(rng::set_state({}));
    REFUSED(partition::create(1));
    REFUSED(partition::split({1, 1}));
    REFUSED(partition::split(std::vector<uint32_t>(2, 1)));
    REFUSED_GUARD(device_guard(0));
}

void library() {
    REFUSED(require_abi());
    REFUSED(init());
    REFUSED(is_initialized());
    REFUSED(is_available());
    REFUSED(default_backend());
    REFUSED(forked());
    REFUSED(set_wait_mode(wait_mode::spin));
    REFUSED(get_wait_mode());
    REFUSED(set_sync_debug(sync_debug::warn));
    REFUSED(get_sync_debug());
    REFUSED(get_sync_debug_scope());
    REFUSED(set_log(nullptr));
    REFUSED(get_unrecorded());
    REFUSED(stats());
    REFUSED(reset_stats());
    REFUSED(trim());
    REFUSED(find_bridge("torch"));
    REFUSED(register_bridge(gs_bridge_t{}));
    REFUSED(unregister_bridge(1));
    REFUSED(lead(1));
    REFUSED(follow(1));
    REFUSED(check::start());
    REFUSED(check::stop());
    REFUSED(check::set_callback([](std::string_view, std::string_view) {}));
    REFUSED(check::set_callback(nullptr));
    REFUSED_GUARD(forbid_sync());
    REFUSED_GUARD(range("refused"));
    REFUSED(mark("refused"));
}

// Refused functions are freed, and not called.
void functions() {
    const auto calls = std::make_shared<int>(0);
    const auto count = [calls] { ++*calls; };
    REFUSED(call_on_init(count));
    REFUSED(stream::adopt_native(0, uintptr_t{1}, count));
    REFUSED(event::adopt_native(0, uintptr_t{1}, count));
    if (*calls == 0 && calls.use_count() == 2) return;
    std::fprintf(stderr, "functions: %d calls, %ld references\n", *calls, calls.use_count());
    ++accepted;
}

} // namespace

int main() {
    if (abi_fits()) ++accepted;
#if GPUSTREAM_NOEXCEPT
    const error failure = stream::create().error();
#else
    const error failure = [] {
        try {
            static_cast<void>(stream::create());
        } catch (const error &thrown) {
            return thrown;
        }
        return error(wrong_abi);
    }();
#endif
    std::printf("%s\n", failure.what());
    if (failure.status() != wrong_abi || !failure.function().empty() || name(wrong_abi) != "GPUSTREAM_WRONG_ABI")
        ++accepted;
    objects();
    devices();
    library();
    functions();
    return accepted == 0 ? 0 : 1;
}
