// SPDX-License-Identifier: Apache-2.0
// Record, wait and query. Handles, status and output lie in memory that both sides see. To read two bigints and to make a number
// by N-API takes longer than the rest of such a call.
#include "hot.hpp"

#include <cstring>

#include "call.hpp"

namespace gs_node {
namespace {

// An ArrayBuffer of JavaScript's. Each environment, that is each worker, has its own, and calls do not nest.
struct Hot {
    uint64_t first, second;
    int32_t status, out;
};
static_assert(sizeof(Hot) == 24, "as src/native.ts has it");

template <typename Handle>
Handle as(uint64_t bits) {
    return reinterpret_cast<Handle>(bits);
}

int32_t record(void *function, Hot *hot) {
    return reinterpret_cast<decltype(&gs_event_record)>(function)(as<gs_event_t>(hot->first),
                                                                  as<gs_stream_t>(hot->second));
}
int32_t wait(void *function, Hot *hot) {
    return reinterpret_cast<decltype(&gs_stream_wait_event)>(function)(as<gs_stream_t>(hot->first),
                                                                       as<gs_event_t>(hot->second));
}
int32_t query_event(void *function, Hot *hot) {
    return reinterpret_cast<decltype(&gs_event_query)>(function)(as<gs_event_t>(hot->first), &hot->out);
}
int32_t query_stream(void *function, Hot *hot) {
    return reinterpret_cast<decltype(&gs_stream_query)>(function)(as<gs_stream_t>(hot->first), &hot->out);
}

// One call: its function of the library, and what makes the call.
template <int32_t (*call)(void *, Hot *)>
struct HotForm {
    static Entry *entry;

    static napi_value run(napi_env env, napi_callback_info info) {
        void *data = nullptr;
        napi_get_cb_info(env, info, nullptr, nullptr, nullptr, &data);
        auto *hot = static_cast<Hot *>(data);
        void *function = entry->address.load(std::memory_order_relaxed);
        if (!function && load_once()) function = entry->address.load(std::memory_order_relaxed);
        hot->status = function      ? call(function, hot)
                      : load_once() ? kMissing - static_cast<int32_t>(entry - entries)
                                    : kNotLoaded;
        return nullptr;
    }
    static void add(napi_env env, napi_value exports, Hot *hot, const char *name, const char *function) {
        for (size_t i = 0; i < entry_count; ++i)
            if (std::strcmp(entries[i].name, function) == 0) entry = &entries[i]; // the same in all workers
        napi_value made = nullptr;
        napi_create_function(env, name, NAPI_AUTO_LENGTH, run, hot, &made);
        napi_set_named_property(env, exports, name, made);
    }
};
template <int32_t (*call)(void *, Hot *)>
Entry *HotForm<call>::entry = nullptr;

} // namespace

void add_hot(napi_env env, napi_value exports) {
    napi_value buffer = nullptr;
    napi_ref kept = nullptr; // for as long as the functions, which are there until the environment ends
    void *memory = nullptr;
    if (napi_create_arraybuffer(env, sizeof(Hot), &memory, &buffer) != napi_ok ||
        napi_create_reference(env, buffer, 1, &kept) != napi_ok) {
        napi_throw_error(env, nullptr, "there is no memory for the outputs of calls");
        return;
    }
    auto *hot = static_cast<Hot *>(memory);
    napi_set_named_property(env, exports, "hot", buffer);
    HotForm<record>::add(env, exports, hot, "hotRecord", "gs_event_record");
    HotForm<wait>::add(env, exports, hot, "hotWait", "gs_stream_wait_event");
    HotForm<query_event>::add(env, exports, hot, "hotQueryEvent", "gs_event_query");
    HotForm<query_stream>::add(env, exports, hot, "hotQueryStream", "gs_stream_query");
}

} // namespace gs_node
