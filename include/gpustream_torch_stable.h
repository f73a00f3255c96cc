/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream_torch_stable.h
 * What PyTorch's stable C ABI lacks, for its extensions in C++17: events, waits, a release behind a stream's work, and
 * functions called when work is done. Header-only: the extension links PyTorch alone. This header includes no header of
 * PyTorch's.
 *
 * The first call opens libgpustream.so.0: the copy that the process has loaded, by `import gpustream` for example, else
 * the file that the variable GPUSTREAM_LIBRARY names, else the loader's. All failures are thrown as
 * gpustream::torch_stable::error, which PyTorch passes on to Python as a RuntimeError.
 *
 *     namespace gt = gpustream::torch_stable;
 *     gt::stream current = gt::current_stream(device), side(device);
 *     gt::wait(side, current);                        // side begins behind what PyTorch has submitted
 *     launch(static_cast<cudaStream_t>(side.raw()));
 *     gt::free_after(side, [tensor] {});              // a torch::stable::Tensor lives until side is done with it
 *     gt::wait(current, side);                        // what PyTorch submits next comes behind it
 *
 * Inside torch.cuda.graph free_after() keeps what it is given until the graph has ended. when_done(), done() and
 * synchronize() fail there and leave the capture intact.
 */
#ifndef GPUSTREAM_TORCH_STABLE_H
#define GPUSTREAM_TORCH_STABLE_H

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpustream.h"

// Each extension has this code for itself: two of them may come from different versions of the header.
#pragma GCC visibility push(hidden)
namespace gpustream::torch_stable {

/// A call of gpustream that failed, or a library that cannot be used.
class error : public std::runtime_error {
public:
    explicit error(const std::string &text, gs_status_t status = GS_ERROR_UNAVAILABLE)
        : std::runtime_error(text), status_(status) {}
    gs_status_t status() const noexcept { return status_; }

private:
    gs_status_t status_;
};

/// More functions of gpustream.h that the extension calls, as the list below has them; define it in all of its files.
#ifndef GPUSTREAM_TORCH_STABLE_MORE
#define GPUSTREAM_TORCH_STABLE_MORE(X)
#endif

// clang-format off
#define GPUSTREAM_TORCH_STABLE_FUNCTIONS(X) \
    X(gs_abi_version) X(gs_current_stream) X(gs_default_backend) X(gs_event_create) X(gs_event_destroy) \
    X(gs_event_query) X(gs_event_record) X(gs_event_synchronize) X(gs_event_wait) X(gs_last_error) \
    X(gs_status_name) X(gs_stream_create) X(gs_stream_defer) X(gs_stream_destroy) X(gs_stream_from_native) \
    X(gs_stream_native) X(gs_stream_notify) X(gs_stream_query) X(gs_stream_retain) X(gs_stream_wait_stream) \
    GPUSTREAM_TORCH_STABLE_MORE(X)
// clang-format on

class library {
public:
#define GPUSTREAM_TORCH_STABLE_DECLARE(name) decltype(&::name) name = nullptr;
    GPUSTREAM_TORCH_STABLE_FUNCTIONS(GPUSTREAM_TORCH_STABLE_DECLARE)
#undef GPUSTREAM_TORCH_STABLE_DECLARE

    /// Of libtorch_cuda.so; NULL where PyTorch was built without CUDA.
    int32_t (*torch_current)(int32_t device_index, void **ret_stream) = nullptr;

    library() {
        void *found = open();
        find(found, "gs_abi_version", gs_abi_version);
        if (gs_abi_version() != GS_ABI_VERSION)
            throw error("libgpustream.so.0 has ABI version " + std::to_string(gs_abi_version()) + ", the extension " +
                        std::to_string(GS_ABI_VERSION));
#define GPUSTREAM_TORCH_STABLE_FIND(name) find(found, #name, name);
        GPUSTREAM_TORCH_STABLE_FUNCTIONS(GPUSTREAM_TORCH_STABLE_FIND)
#undef GPUSTREAM_TORCH_STABLE_FIND
        // Python loads PyTorch so that its symbols are found by the library's name only.
        if (void *torch = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD))
            torch_current =
                reinterpret_cast<decltype(torch_current)>(dlsym(torch, "aoti_torch_get_current_cuda_stream"));
    }

private:
    static void *open() {
        constexpr const char *kName = "libgpustream.so.0";
        if (void *there = dlopen(kName, RTLD_NOW | RTLD_NOLOAD)) return there;
        // The user must not choose the code of a process that has more rights.
        const char *file = getauxval(AT_SECURE) == 0 ? getenv("GPUSTREAM_LIBRARY") : nullptr;
        void *opened = dlopen(file && *file ? file : kName, RTLD_NOW);
        if (opened) return opened;
        const char *why = dlerror();
        throw error("gpustream was not found: " + std::string(why ? why : kName) +
                    "; import gpustream first, or set GPUSTREAM_LIBRARY to the file");
    }
    template <typename Function>
    static void find(void *opened, const char *name, Function &out) {
        out = reinterpret_cast<Function>(dlsym(opened, name));
        if (!out) throw error(std::string("libgpustream.so.0 is too old: it has no ") + name);
    }
};

/// The functions, by their names in gpustream.h. A library that was not found is looked for again the next time.
inline const library &functions() {
    static const library all;
    return all;
}

/// Throws unless the call succeeded: check(functions().gs_event_wait(event.get(), stream.get())).
inline void check(gs_status_t status) {
    if (status == GS_OK) return;
    gs_error_info_t last{};
    last.struct_size = sizeof last;
    const bool known = functions().gs_last_error(&last) == GS_OK && last.status == status;
    throw error(std::string(functions().gs_status_name(status)) + (known ? std::string(": ") + last.message : ""),
                status);
}

/// Owns one reference to a stream.
class stream {
public:
    /// A stream of the extension's own; lower numbers of priority are higher ones. Negative: the current device.
    explicit stream(int32_t device, int32_t priority = 0) {
        check(functions().gs_stream_create(device < 0 ? GS_DEVICE_CURRENT : device, priority, 0, &handle_));
    }
    /// Takes over a reference.
    explicit stream(gs_stream_t owned) noexcept : handle_(owned) {}
    stream(stream &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    stream &operator=(stream &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~stream() {
        if (handle_) (void)functions().gs_stream_destroy(handle_);
    }

    gs_stream_t get() const noexcept { return handle_; }
    /// A cudaStream_t, valid as long as this object.
    void *raw() const {
        uintptr_t native = 0;
        check(functions().gs_stream_native(handle_, &native));
        return reinterpret_cast<void *>(native);
    }
    /// Whether all work submitted so far is done.
    bool done() const {
        int32_t is_done = 0;
        check(functions().gs_stream_query(handle_, &is_done));
        return is_done != 0;
    }

private:
    gs_stream_t handle_ = nullptr;
};

/// PyTorch's current stream of a CUDA device; negative: of the current device. On the host backend, and with a PyTorch
/// without CUDA, it is gpustream's current stream.
inline stream current_stream(int32_t device = -1) {
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    gs_stream_t found = nullptr;
    check(functions().gs_default_backend(&backend));
    if (backend == GS_BACKEND_CUDA && functions().torch_current) {
        void *raw = nullptr;
        if (functions().torch_current(device, &raw) != 0)
            throw error("aoti_torch_get_current_cuda_stream(" + std::to_string(device) + ") failed");
        const gs_device_t expected = device < 0 ? GS_DEVICE_NONE : device;
        check(functions().gs_stream_from_native(expected, reinterpret_cast<uintptr_t>(raw), &found));
    } else {
        check(functions().gs_current_stream(device < 0 ? GS_DEVICE_CURRENT : device, &found));
        check(functions().gs_stream_retain(found));
    }
    return stream(found);
}

/// Owns one reference to an event, which is bound to the device of the first stream that records it.
class event {
public:
    /// flags: GS_EVENT_*.
    explicit event(uint32_t flags = 0) { check(functions().gs_event_create(flags, &handle_)); }
    event(event &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    event &operator=(event &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~event() {
        if (handle_) (void)functions().gs_event_destroy(handle_);
    }

    gs_event_t get() const noexcept { return handle_; }
    void record(const stream &in) { check(functions().gs_event_record(handle_, in.get())); }
    /// Whether the work that the last record covers is done; true if there was no record.
    bool done() const {
        int32_t is_done = 0;
        check(functions().gs_event_query(handle_, &is_done));
        return is_done != 0;
    }
    /// Blocks this thread. Release the GIL around it: what it waits for may need it.
    void synchronize() const { check(functions().gs_event_synchronize(handle_)); }

private:
    gs_event_t handle_ = nullptr;
};

/// Later work of the waiter comes behind the work that the event's last record covers; this thread does not wait.
inline void wait(const stream &waiter, const event &recorded) {
    check(functions().gs_event_wait(recorded.get(), waiter.get()));
}
/// Later work of the waiter comes behind all work that the other stream has now.
inline void wait(const stream &waiter, const stream &other) {
    check(functions().gs_stream_wait_stream(waiter.get(), other.get()));
}

/// Runs `release()` and destroys it some time after the work that the stream has now. That is soon if an event or a
/// wait for the stream follows. It costs less than when_done(). It runs on a thread of gpustream's, and must neither
/// throw nor wait.
template <typename Release>
void free_after(const stream &used_in, Release release) {
    auto held = std::make_unique<Release>(std::move(release));
    check(functions().gs_stream_defer(
        used_in.get(), [](void *arg) { (*std::unique_ptr<Release>(static_cast<Release *>(arg)))(); }, held.get()));
    held.release(); // NOLINT(bugprone-unused-return-value): gpustream has it now
}

/// Runs `call(status)` when the work that the stream has now is done, with GS_OK or the status with which it failed. It
/// must neither throw nor wait.
template <typename Call>
void when_done(const stream &in, Call call) {
    auto held = std::make_unique<Call>(std::move(call));
    check(functions().gs_stream_notify(
        in.get(), [](void *arg, gs_status_t status) { (*std::unique_ptr<Call>(static_cast<Call *>(arg)))(status); },
        held.get()));
    held.release(); // NOLINT(bugprone-unused-return-value)
}

} // namespace gpustream::torch_stable
#pragma GCC visibility pop

#endif /* GPUSTREAM_TORCH_STABLE_H */
