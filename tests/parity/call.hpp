// SPDX-License-Identifier: Apache-2.0
// Calls any function of the header from JSON: inputs are converted by their C type, pointers to non-const are outputs.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <tuple>
#include <type_traits>

#include "parity/library_types.hpp"
#include "values.hpp"

namespace parity {

struct Result {
    bool has_status = false;
    gs_status_t status = GS_OK;
    Value returned;
    std::vector<Value> outputs;
};

// The inputs of one step, taken one by one, and what lives as long as the call.
class Arguments {
public:
    Arguments(const Names &names, const Json &inputs, const Json *outputs, void *native)
        : names_(names), inputs_(inputs), outputs_(outputs), native_(native) {}

    const Json &next() {
        if (taken_ == inputs_.items.size()) throw Failure("too few arguments");
        return inputs_.items[taken_++];
    }
    void finish() const {
        if (taken_ != inputs_.items.size()) throw Failure("too many arguments");
    }
    Value next_value() { return names_.resolve(next()); }
    const char *next_text() { return keep_text(next()); }
    const char *keep_text(const Json &json) {
        if (json.is(Json::Type::Null)) return nullptr;
        texts_.push_back(names_.resolve(json).text);
        return texts_.back().c_str();
    }
    void *next_function() {
        const Json &json = next();
        if (json.is(Json::Type::Null)) return nullptr;
        void *function = dlsym(native_, json.text.c_str());
        if (!function) throw Failure("no native function " + json.text);
        return function;
    }
    // "out": [null] passes NULL for that output.
    bool output_is_null(size_t index) const {
        return outputs_ && index < outputs_->items.size() && outputs_->items[index].is(Json::Type::Null);
    }
    std::vector<unsigned char> &keep(size_t bytes) { return kept_.emplace_back(bytes); }
    const Names &names() const { return names_; }

private:
    const Names &names_;
    const Json &inputs_;
    const Json *outputs_;
    void *native_;
    size_t taken_ = 0;
    std::deque<std::string> texts_;
    std::deque<std::vector<unsigned char>> kept_;
};

template <typename T>
concept HandleType = kIsHandle<T>;
template <typename T>
concept OutputType = std::is_pointer_v<T> && !HandleType<T> && !std::is_void_v<std::remove_pointer_t<T>> &&
                     !std::is_function_v<std::remove_pointer_t<T>> && !std::is_const_v<std::remove_pointer_t<T>>;

// One parameter: holds an input's value, or an output's storage. It stays where it is during the call.
template <typename T>
class Parameter {
public:
    explicit Parameter(Arguments &arguments, size_t &outputs) {
        if constexpr (OutputType<T>) {
            null_ = arguments.output_is_null(outputs++);
            if constexpr (requires(std::remove_pointer_t<T> t) { t.struct_size; })
                storage_.struct_size = sizeof storage_;
        } else if constexpr (std::is_same_v<T, const char *>) {
            value_ = arguments.next_text();
        } else if constexpr (std::is_function_v<std::remove_pointer_t<T>>) {
            value_ = reinterpret_cast<T>(arguments.next_function());
        } else if constexpr (std::is_pointer_v<T> && !HandleType<T> && !std::is_void_v<std::remove_pointer_t<T>>) {
            take_elements(arguments);
        } else if constexpr (std::is_same_v<T, const void *>) { // also a path
            const Value value = arguments.next_value();
            if (value.is_text) {
                auto &bytes = arguments.keep(value.text.size() + 1);
                std::memcpy(bytes.data(), value.text.c_str(), bytes.size());
                value_ = bytes.data();
            } else {
                value_ = reinterpret_cast<T>(value.bits);
            }
        } else if constexpr (std::is_pointer_v<T>) {
            value_ = reinterpret_cast<T>(arguments.next_value().bits);
        } else {
            value_ = static_cast<T>(arguments.next_value().bits);
        }
    }

    // Of an output that another parameter counts.
    void make_array(uint64_t count) {
        if constexpr (OutputType<T>) elements_.resize(std::min<uint64_t>(count, kMostElements) + 1);
    }
    uint64_t number() const {
        if constexpr (std::is_integral_v<T>) return static_cast<uint64_t>(value_);
        throw Failure("an array is counted by what is no integer");
    }

    T get() {
        if constexpr (OutputType<T>)
            return null_ ? nullptr : elements_.empty() ? &storage_ : elements_.data();
        else
            return value_;
    }

    void collect(Result &result) const {
        if constexpr (OutputType<T>) {
            if (elements_.empty()) return result.outputs.push_back(as_value(storage_));
            Value list;
            list.is_list = true;
            for (size_t i = 0; i + 1 < elements_.size(); ++i) list.items.push_back(as_value(elements_[i]));
            result.outputs.push_back(std::move(list));
        }
    }

    template <typename V>
    static Value as_value(const V &from) {
        Value value;
        if constexpr (std::is_same_v<V, const char *>) {
            value.is_text = true;
            value.text = from ? from : "";
        } else if constexpr (std::is_same_v<V, double>) {
            value.real = from;
            value.is_real = true;
        } else if constexpr (std::is_pointer_v<V>) {
            value.bits = reinterpret_cast<uint64_t>(from);
        } else if constexpr (std::is_signed_v<V>) {
            value.bits = static_cast<uint64_t>(static_cast<int64_t>(from));
        } else if constexpr (std::is_integral_v<V>) {
            value.bits = from;
        } else {
            value.bytes.resize(sizeof from);
            std::memcpy(value.bytes.data(), &from, sizeof from);
            value.struct_name = kStructName<V>;
        }
        return value;
    }

private:
    using Storage = std::conditional_t<OutputType<T>, std::remove_pointer_t<T>, int>;
    static constexpr uint64_t kMostElements = 4096;

    // A variable that holds a struct, an object with its members, a list of elements, or null.
    void take_elements(Arguments &arguments) {
        using Element = std::remove_cv_t<std::remove_pointer_t<T>>;
        const Json &json = arguments.next();
        std::vector<unsigned char> taken;
        if (json.is(Json::Type::Array))
            for (const Json &element : json.items) append<Element>(arguments, element, taken);
        else if (!json.is(Json::Type::Null))
            append<Element>(arguments, json, taken);
        if (json.is(Json::Type::Null)) return;
        auto &bytes = arguments.keep(taken.size() + 1); // an empty list is an address too
        std::copy(taken.begin(), taken.end(), bytes.begin());
        value_ = reinterpret_cast<T>(bytes.data());
    }

    template <typename Element>
    static void append(Arguments &arguments, const Json &json, std::vector<unsigned char> &bytes) {
        const Names &names = arguments.names();
        std::vector<unsigned char> element(sizeof(Element));
        if constexpr (kStructName<Element> != nullptr) {
            element = json.is(Json::Type::Object) ? make_struct(names, kStructName<Element>, json)
                                                  : names.resolve(json).bytes;
            if (element.size() != sizeof(Element)) throw Failure(std::string(kStructName<Element>) + " is wanted");
        } else if constexpr (std::is_same_v<Element, const char *>) {
            const char *text = arguments.keep_text(json);
            std::memcpy(element.data(), &text, sizeof text);
        } else {
            const Value value = names.resolve(json);
            if constexpr (std::is_floating_point_v<Element>)
                std::memcpy(element.data(), &value.real, sizeof(Element));
            else
                std::memcpy(element.data(), &value.bits, sizeof(Element));
        }
        bytes.insert(bytes.end(), element.begin(), element.end());
    }

    T value_{};
    Storage storage_{};
    std::vector<Storage> elements_; // one more than there is room for
    bool null_ = false;
};

// The output at one position is an array with as many elements as the parameter at the other says.
template <size_t Array, size_t Count>
struct Counted {
    static constexpr size_t kArray = Array;
    static constexpr size_t kCount = Count;
};

template <typename... Arrays, typename R, typename... A>
Result call(R (*function)(A...), Arguments &arguments) {
    [[maybe_unused]] size_t outputs = 0;
    // Braces: the parameters take their arguments from left to right.
    std::tuple<Parameter<A>...> parameters{Parameter<A>(arguments, outputs)...};
    arguments.finish();
    (std::get<Arrays::kArray>(parameters).make_array(std::get<Arrays::kCount>(parameters).number()), ...);
    Result result;
    const R returned = std::apply([&](auto &...parameter) { return function(parameter.get()...); }, parameters);
    result.returned = Parameter<R>::as_value(returned);
    std::apply([&](const auto &...parameter) { (parameter.collect(result), ...); }, parameters);
    return result;
}

} // namespace parity
