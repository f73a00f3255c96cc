// SPDX-License-Identifier: Apache-2.0
// The arguments of one call, drawn from the input: one byte each, so that every byte of a program has one meaning
// (assemble.py writes programs by this). After the call it checks what the header promises of every function: statuses,
// outputs, structs, handles.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "fuzz/api/calls.hpp"
#include "fuzz/api/order.hpp"
#include "gpustream.h"

namespace gs::fuzz {

class Program;

template <typename Handle>
constexpr const char *kind_of() {
    if constexpr (std::is_same_v<Handle, gs_stream_t>)
        return "stream";
    else if constexpr (std::is_same_v<Handle, gs_event_t>)
        return "event";
    else if constexpr (std::is_same_v<Handle, gs_module_t>)
        return "module";
    else if constexpr (std::is_same_v<Handle, gs_kernel_t>)
        return "kernel";
    else if constexpr (std::is_same_v<Handle, gs_queue_t>)
        return "queue";
    else if constexpr (std::is_same_v<Handle, gs_timeline_t>)
        return "timeline";
    else if constexpr (std::is_same_v<Handle, gs_pool_t>)
        return "pool";
    else if constexpr (std::is_same_v<Handle, gs_partition_t>)
        return "partition";
    else if constexpr (std::is_same_v<Handle, gs_graph_t>)
        return "graph";
    else if constexpr (std::is_same_v<Handle, gs_graph_exec_t>)
        return "executable";
    else
        return "unknown";
}

class Arguments {
public:
    Arguments(Program &program, const Call &call) : program_(program), call_(call) {}

    // Inputs of the call, in their order.
    template <typename Handle>
    Handle handle(const char *name) {
        return reinterpret_cast<Handle>(draw_handle(name, kind_of<Handle>())); // NOLINT: a handle is a number
    }
    template <typename Handle>
    const Handle *handles(const char *name); // a list; list_count() says how many of it the call looks at
    gs_device_t device();
    template <typename Number>
    Number number(const char *name) {
        return static_cast<Number>(draw_number(name, std::numeric_limits<Number>::min(),
                                               static_cast<uint64_t>(std::numeric_limits<Number>::max())));
    }
    template <typename Number>
    Number amount(const char *name) { // of time or memory: small, as nothing waits for it
        return static_cast<Number>(draw_amount(name));
    }
    template <typename Number>
    Number list_count(const char *name) { // of the list of handles drawn before it
        const auto count = amount<Number>(name);
        look_at(static_cast<size_t>(count));
        return count;
    }
    const char *text(const char *name);
    template <typename Pointer>
    Pointer memory(const char *) { // never freed, and as long as an amount can be
        return static_cast<Pointer>(const_cast<void *>(draw_memory()));
    }
    template <typename Struct>
    const Struct *struct_input(const char *name) {
        return static_cast<const Struct *>(draw_struct(name, sizeof(Struct)));
    }
    struct Callback { // any function that a call takes
        template <typename R, typename... A>
        using Function = R (*)(A...);
        template <typename R, typename... A>
        operator Function<R, A...>() const { // NOLINT: it stands where a function is wanted
            return is_null ? nullptr : Function<R, A...>([](A...) { return R(); });
        }
        bool is_null;
    };
    Callback callback();

    // Outputs: garbage before the call, or NULL.
    template <typename Number>
    Number *output(const char *name) {
        void *place = draw_output(name, sizeof(Number), nullptr);
        is_text_ = is_text_ || std::is_same_v<Number, const char *>;
        return static_cast<Number *>(place);
    }
    template <typename Handle>
    Handle *handle_output(const char *name) {
        return static_cast<Handle *>(draw_output(name, sizeof(Handle), kind_of<Handle>()));
    }
    template <typename Struct>
    Struct *struct_output(const char *name) {
        constexpr bool kSized = requires(Struct value) { value.struct_size; };
        return static_cast<Struct *>(draw_struct_output(name, sizeof(Struct), kSized));
    }

    // Ends of the call.
    void returned(gs_status_t status);
    void answered(const char *text);
    template <typename Number>
    void answered(Number number) {
        answered_number(static_cast<int64_t>(number));
    }

    // For rows written by hand.
    Program &program() const { return program_; }
    uint8_t byte();
    uintptr_t native(bool of_event);
    uint64_t input_handle(size_t index) const { return index < handles_.size() ? handles_[index].handle : 0; }
    std::string input_kind(size_t index) const { return index < handles_.size() ? handles_[index].kind : ""; }
    uint64_t output_handle() const;
    int64_t first_output() const;                    // of a call that succeeded
    Order::Name stream_name(size_t index) const;     // the handle's stream, GS_STREAM_CURRENT resolved before the call
    void expect_any_status() { any_status_ = true; } // of a function that the test passes
    void depends_on_more_than_handles() { more_than_handles_ = true; } // INVALID_HANDLE has other reasons
    gs_status_t status() const { return status_; }
    std::string detail() const; // for a person: the call, its status and handles

private:
    struct Input {
        std::string kind;
        uint64_t handle, resolved;
    };
    struct Output {
        std::string name;
        size_t bytes;
        const char *kind; // of a handle
        bool is_struct, sized;
        uint32_t said; // struct_size
        std::unique_ptr<unsigned char[]> place;
    };

    uint64_t draw_handle(const char *name, const char *kind);
    int64_t draw_number(const char *name, int64_t least, uint64_t greatest);
    uint64_t draw_amount(const char *name);
    void look_at(size_t count);
    const void *draw_memory();
    const void *draw_struct(const char *name, size_t bytes);
    void *draw_output(const char *name, size_t bytes, const char *kind);
    void *draw_struct_output(const char *name, size_t bytes, bool sized);
    void answered_number(int64_t number);

    void check_status();
    void check_handles();
    void check_outputs();
    void check_struct(const Output &output);
    void take_ownership();

    Program &program_;
    const Call &call_;
    std::vector<Input> handles_;
    bool has_list_ = false; // of handles, which are then the last of handles_
    size_t list_begin_ = 0;
    std::vector<Output> outputs_;
    std::vector<std::unique_ptr<unsigned char[]>> structs_;
    gs_status_t status_ = GS_OK;
    bool any_status_ = false, more_than_handles_ = false, is_text_ = false, null_output_ = false;
};

} // namespace gs::fuzz
