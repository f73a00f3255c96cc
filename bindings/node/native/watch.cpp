// SPDX-License-Identifier: Apache-2.0
// Watches a descriptor in the event loop of the calling thread.
#include "watch.hpp"

#include <uv.h>

#include <cstring>

#include "call.hpp"

namespace gs_node {
namespace {

// Lives until libuv has closed the handle, in the loop or at the end of its environment.
struct Watch {
    uv_poll_t poll{};
    napi_env env = nullptr;
    napi_ref callback = nullptr;
    napi_async_context context = nullptr;
    napi_async_cleanup_hook_handle hook = nullptr;
    uint64_t queue = 0; // the gs_queue_t of the descriptor, which ends with the environment
    bool closing = false;
};

void destroy_queue(uint64_t queue) {
    for (size_t i = 0; i < entry_count; ++i) {
        if (std::strcmp(entries[i].name, "gs_queue_destroy") != 0) continue;
        auto *destroy = reinterpret_cast<int32_t (*)(uint64_t)>(entries[i].address.load());
        if (destroy) static_cast<void>(destroy(queue));
    }
}

void closed(uv_handle_t *handle) {
    auto *watch = static_cast<Watch *>(handle->data);
    if (watch->queue) destroy_queue(watch->queue);
    if (watch->hook) napi_remove_async_cleanup_hook(watch->hook);
    delete watch;
}

void close(Watch *watch) {
    if (watch->closing) return;
    watch->closing = true;
    uv_poll_stop(&watch->poll);
    uv_close(reinterpret_cast<uv_handle_t *>(&watch->poll), closed);
}

// A worker that ends, or the process.
void environment_ends(napi_async_cleanup_hook_handle, void *data) { close(static_cast<Watch *>(data)); }

void readable(uv_poll_t *poll, int, int) {
    auto *watch = static_cast<Watch *>(poll->data);
    napi_handle_scope scope = nullptr;
    if (napi_open_handle_scope(watch->env, &scope) != napi_ok) return;
    napi_value callback = nullptr, self = nullptr, result = nullptr;
    napi_get_reference_value(watch->env, watch->callback, &callback);
    napi_get_global(watch->env, &self);
    // Also runs the microtasks, so that promises go on before the loop waits again.
    if (napi_make_callback(watch->env, watch->context, self, callback, 0, nullptr, &result) == napi_pending_exception) {
        napi_value error = nullptr;
        napi_get_and_clear_last_exception(watch->env, &error);
        napi_fatal_exception(watch->env, error);
    }
    napi_close_handle_scope(watch->env, scope);
}

Watch *of(napi_env env, napi_callback_info info, bool *on) {
    size_t count = 2;
    napi_value values[2] = {nullptr, nullptr};
    void *data = nullptr;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
    if (count < 1 || napi_get_value_external(env, values[0], &data) != napi_ok) {
        napi_throw_type_error(env, nullptr, "a watch is wanted");
        return nullptr;
    }
    if (on && (count < 2 || napi_get_value_bool(env, values[1], on) != napi_ok)) *on = false;
    return static_cast<Watch *>(data);
}

} // namespace

// watch(fd, callback, queue): a watch, which does not keep the loop alive before hold() says so. The queue is destroyed when
// the worker or process ends, whose JavaScript does not run any more then.
napi_value watch(napi_env env, napi_callback_info info) {
    size_t count = 3;
    napi_value values[3] = {nullptr, nullptr, nullptr}, name = nullptr, result = nullptr;
    int32_t fd = -1;
    bool lossless = false;
    uv_loop_s *loop = nullptr;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
    auto *made = new Watch;
    made->env = env;
    if (count != 3 || napi_get_value_int32(env, values[0], &fd) != napi_ok ||
        napi_get_value_bigint_uint64(env, values[2], &made->queue, &lossless) != napi_ok ||
        napi_get_uv_event_loop(env, &loop) != napi_ok || uv_poll_init(loop, &made->poll, fd) != 0) {
        delete made;
        napi_throw_error(env, nullptr, "the descriptor cannot be watched");
        return nullptr;
    }
    made->poll.data = made;
    napi_create_reference(env, values[1], 1, &made->callback);
    napi_create_string_utf8(env, "gpustream", NAPI_AUTO_LENGTH, &name);
    napi_async_init(env, nullptr, name, &made->context);
    napi_add_async_cleanup_hook(env, environment_ends, made, &made->hook);
    uv_unref(reinterpret_cast<uv_handle_t *>(&made->poll));
    uv_poll_start(&made->poll, UV_READABLE, readable);
    napi_create_external(env, made, nullptr, nullptr, &result);
    return result;
}

// hold(watch, on): whether the watch keeps the loop alive.
napi_value hold(napi_env env, napi_callback_info info) {
    bool on = false;
    if (Watch *found = of(env, info, &on)) {
        auto *handle = reinterpret_cast<uv_handle_t *>(&found->poll);
        if (on)
            uv_ref(handle);
        else
            uv_unref(handle);
    }
    return nullptr;
}

// unwatch(watch): ends it; the watch must not be used afterwards.
napi_value unwatch(napi_env env, napi_callback_info info) {
    if (Watch *found = of(env, info, nullptr)) {
        napi_delete_reference(env, found->callback);
        napi_async_destroy(env, found->context);
        found->queue = 0; // the caller's again
        close(found);
    }
    return nullptr;
}

} // namespace gs_node
