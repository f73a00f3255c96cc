// SPDX-License-Identifier: Apache-2.0
// How arguments come from JavaScript and results go back. Addresses are memory of JavaScript, a bigint, or null.
#pragma once

#include <node_api.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gpustream.h"

namespace gs_node {

// A function of the library: its name, its place in the table by address, and the form that JavaScript calls.
struct Entry {
    const char *name;
    napi_callback call;
    std::atomic<void *> address; // 0 before the library is loaded, and if it lacks the function
};

extern Entry entries[];
extern const size_t entry_count;

// Statuses of the addon: there is no library; it lacks the function with this place in the table.
constexpr int32_t kNotLoaded = INT32_MIN;
constexpr int32_t kMissing = -(1 << 20);

// Opens the library if that has not happened; false if there is none.
bool load_once();

inline void type_error(napi_env env, const char *text) {
    bool pending = false;
    napi_is_exception_pending(env, &pending);
    if (!pending) napi_throw_type_error(env, nullptr, text);
}

// A number or bigint as 64 bits, and whether it is below 0.
inline bool take_bits(napi_env env, napi_value value, uint64_t *bits, bool *below) {
    bool lossless = false;
    int64_t number = 0;
    double real = 0;
    *below = false;
    if (napi_get_value_bigint_uint64(env, value, bits, &lossless) == napi_ok) {
        if (!lossless) { // negative, or too large
            if (napi_get_value_bigint_int64(env, value, &number, &lossless) != napi_ok || !lossless) return false;
            *bits = static_cast<uint64_t>(number);
            *below = true;
        }
        return true;
    }
    if (napi_get_value_double(env, value, &real) != napi_ok) return false;
    if (!(real <= 9007199254740991.0 && real >= -9007199254740991.0)) return false;
    if (real != static_cast<double>(static_cast<int64_t>(real))) return false;
    *bits = static_cast<uint64_t>(static_cast<int64_t>(real));
    *below = real < 0;
    return true;
}

// Memory of JavaScript, an address, or NULL.
inline bool take_address(napi_env env, napi_value value, void **address) {
    napi_valuetype type = napi_undefined;
    napi_typeof(env, value, &type);
    if (type == napi_null || type == napi_undefined) return *address = nullptr, true;
    if (type == napi_bigint) {
        uint64_t bits = 0;
        bool below = false;
        if (!take_bits(env, value, &bits, &below)) return false;
        *address = reinterpret_cast<void *>(bits);
        return true;
    }
    if (napi_get_typedarray_info(env, value, nullptr, nullptr, address, nullptr, nullptr) == napi_ok) return true;
    return napi_get_dataview_info(env, value, nullptr, address, nullptr, nullptr) == napi_ok;
}

template <typename T>
class Argument {
public:
    bool take(napi_env env, napi_value value) {
        if constexpr (std::is_same_v<T, const char *>) {
            return take_text(env, value);
        } else if constexpr (std::is_pointer_v<T>) {
            void *address = nullptr;
            if (!take_address(env, value, &address)) return false;
            value_ = reinterpret_cast<T>(address);
            return true;
        } else if constexpr (std::is_floating_point_v<T>) {
            double number = 0;
            const bool taken = napi_get_value_double(env, value, &number) == napi_ok;
            value_ = static_cast<T>(number);
            return taken;
        } else {
            uint64_t bits = 0;
            bool below = false;
            if (!take_bits(env, value, &bits, &below)) return false;
            value_ = static_cast<T>(bits);
            return static_cast<uint64_t>(value_) == bits && below == (std::is_signed_v<T> && value_ < T{}); // in range
        }
    }
    T get() const {
        if constexpr (std::is_same_v<T, const char *>)
            return null_ ? nullptr : text_.c_str();
        else
            return value_;
    }

private:
    bool take_text(napi_env env, napi_value value) {
        napi_valuetype type = napi_undefined;
        size_t bytes = 0;
        napi_typeof(env, value, &type);
        null_ = type == napi_null || type == napi_undefined;
        if (null_) return true;
        if (napi_get_value_string_utf8(env, value, nullptr, 0, &bytes) != napi_ok) return false;
        text_.resize(bytes + 1);
        napi_get_value_string_utf8(env, value, text_.data(), text_.size(), &bytes);
        text_.resize(bytes);
        return text_.find('\0') == std::string::npos;
    }
    std::conditional_t<std::is_same_v<T, const char *>, int, T> value_{};
    std::conditional_t<std::is_same_v<T, const char *>, std::string, char> text_{};
    bool null_ = false;
};

template <typename R>
napi_value returned(napi_env env, R result) {
    napi_value value = nullptr;
    if constexpr (std::is_same_v<R, const char *>)
        napi_create_string_utf8(env, result ? result : "", NAPI_AUTO_LENGTH, &value);
    else if constexpr (sizeof(R) == 8)
        napi_create_bigint_uint64(env, static_cast<uint64_t>(result), &value);
    else if constexpr (std::is_signed_v<R>)
        napi_create_int32(env, result, &value);
    else
        napi_create_uint32(env, result, &value);
    return value;
}

// What a call returns that never reached the library.
template <typename R>
napi_value unreached(napi_env env, const Entry *entry) {
    if constexpr (std::is_same_v<R, const char *>)
        return returned<R>(env, "");
    else if constexpr (!std::is_same_v<R, gs_status_t>)
        return returned<R>(env, R{});
    else
        return returned<R>(env, load_once() ? kMissing - static_cast<int32_t>(entry - entries) : kNotLoaded);
}

// A value, for the text of an error. Of an object only that it is one: to show it would run its code.
inline std::string shown(napi_env env, napi_value value) {
    napi_valuetype type = napi_undefined;
    napi_typeof(env, value, &type);
    if (type == napi_object) return "an object";
    if (type == napi_function) return "a function";
    napi_value as_text = nullptr;
    char text[64] = "a value";
    if (type != napi_symbol && napi_coerce_to_string(env, value, &as_text) == napi_ok)
        napi_get_value_string_utf8(env, as_text, text, sizeof text, nullptr);
    return type == napi_string ? "'" + std::string(text) + "'" : text;
}

template <typename F>
struct Form;

template <typename R, typename... A>
struct Form<R(A...)> {
    static napi_value call(napi_env env, napi_callback_info info) {
        constexpr size_t kCount = sizeof...(A);
        napi_value values[kCount + 1];
        size_t given = kCount + 1;
        void *data = nullptr;
        napi_get_cb_info(env, info, &given, values, nullptr, &data);
        const auto *entry = static_cast<const Entry *>(data);
        if (given != kCount) {
            napi_throw_type_error(
                env, nullptr, (std::string(entry->name) + " takes " + std::to_string(kCount) + " arguments").c_str());
            return nullptr;
        }
        return with(env, *entry, values, std::make_index_sequence<kCount>());
    }
    template <size_t... I>
    static napi_value with(napi_env env, const Entry &entry, [[maybe_unused]] napi_value *values,
                           std::index_sequence<I...>) {
        std::tuple<Argument<A>...> arguments;
        size_t wrong = 0;
        // Each is taken; the first that cannot be is named.
        [[maybe_unused]] const bool all = (true && ... && (wrong = I + 1, std::get<I>(arguments).take(env, values[I])));
        if (!all) {
            type_error(env, (std::string(entry.name) + ": argument " + std::to_string(wrong) + " is " +
                             shown(env, values[wrong - 1]) + ": it has a wrong type or is out of range")
                                .c_str());
            return nullptr;
        }
        if (!entry.address && (!load_once() || !entry.address)) return unreached<R>(env, &entry);
        return returned<R>(env, reinterpret_cast<R (*)(A...)>(entry.address.load(std::memory_order_relaxed))(
                                    std::get<I>(arguments).get()...));
    }
};

template <typename F>
constexpr Entry entry(const char *name) {
    return {name, Form<F>::call, nullptr};
}

} // namespace gs_node
