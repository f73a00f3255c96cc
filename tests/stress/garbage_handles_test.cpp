// SPDX-License-Identifier: Apache-2.0
// Any 64-bit number may be passed as a handle: the call returns a status, and live objects are not affected.
#include <algorithm>
#include <set>

#include "calls/calls.hpp"
#include "handle/handle_bits.hpp"
#include "stress.hpp"

namespace gs::test {
namespace {

class GarbageHandles : public ::testing::Test {
protected:
    GarbageHandles() {
        stream_ = make_stream(0);
        other_ = make_stream(0);
        event_ = make_event(GS_EVENT_TIMING);
        shared_ = make_event(GS_EVENT_INTERPROCESS);
        EXPECT_OK(gs_event_record(event_, stream_));
        EXPECT_OK(gs_event_synchronize(event_));
        gs_module_t module = nullptr;
        EXPECT_OK(gs_module_load(0, kernels_image(), 0, &module));
        module_ = Module(module);
        live_.stream = stream_;
        live_.recorder = other_;
        live_.event = live_.timed = event_;
        live_.shared = shared_;
        live_.module = module;
        EXPECT_OK(gs_module_get_kernel(module, "nothing", &live_.kernel));
        EXPECT_OK(gs_malloc_host(64, &live_.host_memory));
        live_.memory = live_.host_memory;
        alive_ = {handle_bits(live_.stream), handle_bits(live_.recorder), handle_bits(live_.event),
                  handle_bits(live_.shared), handle_bits(live_.module),   handle_bits(live_.kernel)};
        for (int32_t device = 0; device < 2; ++device) {
            alive_.insert(handle_bits(default_stream(device)));
            alive_.insert(handle_bits(per_thread_stream(device)));
        }
        EXPECT_OK(gs_set_current_stream(other_));
        before_ = read_stats();
    }

    // None of those calls created, destroyed, retained or released anything.
    ~GarbageHandles() override {
        const gs_stats_t after = read_stats();
        EXPECT_EQ(after.streams_created, before_.streams_created);
        EXPECT_EQ(after.events_created, before_.events_created);
        EXPECT_EQ(after.records, before_.records);
        EXPECT_EQ(after.notifications, before_.notifications);
        EXPECT_EQ(current_stream(0), live_.recorder);
        EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(0));
        EXPECT_OK(gs_set_current_stream(default_stream(0)));
        EXPECT_OK(gs_free_host(live_.host_memory));
        int32_t value = 0;
        for (Stream *stream : {&stream_, &other_}) {
            const gs_stream_t handle = *stream;
            EXPECT_OK(gs_stream_query(handle, &value));
            stream->reset(); // exactly one reference
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(handle));
        }
        for (Event *event : {&event_, &shared_}) {
            const gs_event_t handle = *event;
            EXPECT_OK(gs_event_query(handle, &value));
            event->reset();
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_destroy(handle));
        }
        module_.reset();
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_module_destroy(live_.module));
    }

    bool may_be_passed(const HandleCall &call, uint64_t number) const {
        return alive_.count(number) == 0 && !(call.current && number == kCurrentStreamBits);
    }
    // Returns false if the number was not rejected as it should be.
    bool refused(const HandleCall &call, uint64_t number) const {
        return !may_be_passed(call, number) || call.call(number, live_) == GS_ERROR_INVALID_HANDLE;
    }
    void expect_refused_everywhere(uint64_t number) const {
        for (const HandleCall &call : handle_calls())
            EXPECT_TRUE(refused(call, number))
                << call.function << " took " << std::hex << number << ", last error: " << last_text();
    }

    Stream stream_, other_;
    Event event_, shared_;
    Module module_;
    Objects live_;
    std::set<uint64_t> alive_;
    gs_stats_t before_{};
};

// Half of them are random, half are built like handles, so that they pass the first checks.
uint64_t random_number(Random &random) {
    if (random.chance(50)) return random.word();
    return make_handle(static_cast<Kind>(random.below(8)), random.below(16),
                       random.chance(50) ? random.below(8) : static_cast<uint32_t>(random.word()),
                       random.chance(80) ? random.below(600) : random.below(kMaxIndex + 1)) |
           (random.chance(3) ? uint64_t{1} << 63 : 0);
}

// Fields plus and minus one, bits flipped, truncated.
std::vector<uint64_t> mutations(uint64_t handle) {
    std::vector<uint64_t> result;
    for (const int shift : {0, kGenerationShift, kBackendShift, kKindShift})
        for (const uint64_t step : {uint64_t{1}, ~uint64_t{0}}) result.push_back(handle + (step << shift));
    for (int bit = 0; bit < 64; ++bit) result.push_back(handle ^ uint64_t{1} << bit);
    for (int bits = 8; bits < 64; bits += 8) {
        result.push_back(handle >> bits);
        result.push_back(handle << bits);
    }
    result.push_back(~handle);
    result.push_back(handle ^ uint64_t{kMaxIndex});
    return result;
}

TEST_F(GarbageHandles, TheCheckCanTell) {
    const HandleCall query = *std::find_if(handle_calls().begin(), handle_calls().end(), [](const HandleCall &call) {
        return std::string(call.function) == "gs_stream_query";
    });
    alive_.erase(handle_bits(live_.stream)); // as if it were not alive
    EXPECT_FALSE(refused(query, handle_bits(live_.stream)));
}

TEST_F(GarbageHandles, ZeroSmallNumbersAndAddresses) {
    int on_the_stack = 0;
    for (const uint64_t number :
         {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{4096}, uint64_t{0xDEADBEEF}, ~uint64_t{0}, uint64_t{1} << 63,
          reinterpret_cast<uint64_t>(&on_the_stack), reinterpret_cast<uint64_t>(live_.memory)})
        expect_refused_everywhere(number);
}

TEST_F(GarbageHandles, TheWrongKindAndTheCurrentStreamWhereItIsNotAllowed) {
    expect_refused_everywhere(kCurrentStreamBits);
    for (const HandleCall &call : handle_calls()) {
        const uint64_t right = live_.of_kind(call.kind);
        for (const uint64_t number : alive_)
            if (handle_kind(number) != handle_kind(right))
                EXPECT_EQ(call.call(number, live_), GS_ERROR_INVALID_HANDLE)
                    << call.function << " took " << std::hex << number;
    }
}

TEST_F(GarbageHandles, MutationsOfLiveHandles) {
    for (const uint64_t handle : std::vector<uint64_t>(alive_.begin(), alive_.end()))
        for (const uint64_t number : mutations(handle)) expect_refused_everywhere(number);
}

TEST_F(GarbageHandles, StaleHandlesAndTheirMutations) {
    gs_module_t module = nullptr;
    gs_kernel_t kernel = nullptr;
    EXPECT_OK(gs_module_load(0, kernels_image(), 0, &module));
    EXPECT_OK(gs_module_get_kernel(module, "count", &kernel));
    EXPECT_OK(gs_module_destroy(module));
    gs_stream_t stream = make_stream(0).get();
    gs_stream_t dedicated = make_stream(1, GS_STREAM_DEDICATED).get();
    gs_event_t event = make_event().get();
    before_ = read_stats();
    for (const uint64_t handle :
         {handle_bits(stream), handle_bits(dedicated), handle_bits(event), handle_bits(module), handle_bits(kernel)}) {
        expect_refused_everywhere(handle);
        for (const uint64_t number : mutations(handle)) expect_refused_everywhere(number);
    }
}

TEST_F(GarbageHandles, RandomNumbers) {
    const uint64_t total = GS_SANITIZED ? 400'000 : 10'100'000;
    const uint64_t each = total * (long_form() ? 10 : 1) / handle_calls().size();
    constexpr int kThreads = 2;
    std::atomic<uint64_t> passed{0};
    run_threads(kThreads, [&](int i) {
        uint64_t count = 0;
        for (size_t c = static_cast<size_t>(i); c < handle_calls().size(); c += kThreads) {
            const HandleCall &call = handle_calls()[c];
            Random random(static_cast<uint32_t>(c));
            for (uint64_t n = 0; n < each; ++n) {
                const uint64_t number = random_number(random);
                ASSERT_TRUE(refused(call, number)) << call.function << " took " << std::hex << number;
                ++count;
            }
        }
        passed += count;
    });
    EXPECT_GE(passed, total - handle_calls().size());
    if (!GS_SANITIZED) EXPECT_GE(passed, 10'000'000u);
}

} // namespace
} // namespace gs::test
