// SPDX-License-Identifier: Apache-2.0
// Keeps the ordering checker's reports, which come on any thread, until the event loop that asked for them takes them.
#include "reports.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "call.hpp"

namespace gs_node {
namespace {

struct Report {
    std::string text, json;
};
struct Target {
    napi_env env = nullptr;
    napi_threadsafe_function wake = nullptr;
    bool closing = false; // its worker ends: `wake` is not called or released any more, and ended() comes
};

// Held while C's function and the target, one of a process each, are changed together. Held, too, while the function of a target
// is released: another thread's, whose worker may end, lives until ended() has had it.
std::mutex changes;
std::mutex mutex; // of what follows
Target target;    // what asked last
std::vector<Report> reports;

// On the thread whose access completed the race.
void take(void *, const char *text, const char *json) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!target.wake || target.closing) return;
    reports.push_back({text, json});
    target.closing = napi_call_threadsafe_function(target.wake, nullptr, napi_tsfn_nonblocking) == napi_closing;
}

int32_t set_callback(bool on) {
    if (!load_once()) return kNotLoaded;
    for (size_t i = 0; i < entry_count; ++i) {
        if (std::strcmp(entries[i].name, "gs_set_check_callback") != 0) continue;
        using Set = int32_t (*)(void (*)(void *, const char *, const char *), void *);
        const auto set = reinterpret_cast<Set>(entries[i].address.load());
        return set ? set(on ? take : nullptr, nullptr) : kMissing - static_cast<int32_t>(i);
    }
    return kNotLoaded;
}

void call(napi_env env, napi_value callback, void *, void *) {
    if (!env) return; // the environment ends
    napi_value self = nullptr;
    napi_get_undefined(env, &self);
    if (napi_call_function(env, self, callback, 0, nullptr, nullptr) == napi_pending_exception) {
        napi_value error = nullptr;
        napi_get_and_clear_last_exception(env, &error);
        napi_fatal_exception(env, error);
    }
}

// Of a function that was replaced, or whose worker ends.
void ended(napi_env, void *, void *context) {
    const std::unique_ptr<napi_threadsafe_function> own(static_cast<napi_threadsafe_function *>(context));
    const std::lock_guard<std::mutex> changing(changes);
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (target.wake != *own) return;
        target = {};
    }
    static_cast<void>(set_callback(false)); // reports go to stderr again
}

} // namespace

// onReport(function or null): a status. The function is called when there is something for takeReports(); it does not keep
// the loop alive.
napi_value on_report(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value value = nullptr, name = nullptr, result = nullptr;
    napi_valuetype type = napi_undefined;
    Target made;
    napi_get_cb_info(env, info, &count, &value, nullptr, nullptr);
    napi_typeof(env, value, &type);
    if (type != napi_null) {
        auto own = std::make_unique<napi_threadsafe_function>(nullptr);
        napi_create_string_utf8(env, "gpustream reports", NAPI_AUTO_LENGTH, &name);
        if (type != napi_function || napi_create_threadsafe_function(env, value, nullptr, name, 0, 1, nullptr, ended,
                                                                     own.get(), call, &made.wake) != napi_ok) {
            napi_throw_type_error(env, nullptr, "a function or null is wanted");
            return nullptr;
        }
        made.env = env;
        *own.release() = made.wake;
        napi_unref_threadsafe_function(env, made.wake);
    }
    Target before = made; // is released if it does not become the target
    int32_t status = 0;
    {
        const std::lock_guard<std::mutex> changing(changes);
        status = set_callback(made.wake != nullptr);
        if (status == 0) {
            const std::lock_guard<std::mutex> lock(mutex);
            before = std::exchange(target, made);
            reports.clear();
        }
        if (before.wake && !before.closing) napi_release_threadsafe_function(before.wake, napi_tsfn_release);
    }
    napi_create_int32(env, status, &result);
    return result;
}

// takeReports(): [text, JSON, text, JSON, ...] of those that came since the last call, if this environment asked for them.
napi_value take_reports(napi_env env, napi_callback_info) {
    std::vector<Report> taken;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (target.env == env) taken.swap(reports);
    }
    napi_value result = nullptr, text = nullptr;
    napi_create_array(env, &result);
    uint32_t place = 0;
    for (const Report &report : taken) {
        for (const std::string *part : {&report.text, &report.json}) {
            napi_create_string_utf8(env, part->c_str(), part->size(), &text);
            napi_set_element(env, result, place++, text);
        }
    }
    return result;
}

} // namespace gs_node
