// SPDX-License-Identifier: Apache-2.0
// --learn: which of a kernel's arguments lead to memory that it writes. The launch waits until the context has no other work, and the front
// compares the memory behind the addresses before the kernel and after it.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "base/log.hpp"
#include "front/driver.hpp"
#include "front/front_locks.hpp"
#include "front/learnt_uses.hpp"
#include "front/run_settings.hpp"
#include "front/watch.hpp"

namespace gs::front {
namespace {

constexpr uint32_t kMostLaunches = 32;             // of a kernel: later ones run as they are
constexpr uint64_t kMostBytes = uint64_t{1} << 24; // behind one address
constexpr uint64_t kPiece = uint64_t{1} << 20;
constexpr uint64_t kHere = 256; // what is written behind this may be another launch's part of the same memory

// The memory behind an address, until another address of the launch.
struct Window {
    KernelWord word;
    bool is_one_of_several = false; // words with this address
    uint64_t bytes = 0;
    uint64_t here = 0, elsewhere = 0; // checksums
};
struct Learning {
    std::string kernel;
    std::vector<Window> windows;
    uint64_t copies = 0;
};

Learning *g_learning GS_GUARDED_BY(g_learning_mutex) = nullptr; // of the launch that goes on
std::map<std::string, uint32_t> *g_launches GS_GUARDED_BY(g_learning_mutex) = nullptr;
std::atomic<uint64_t> g_copies_begun{0},
    g_copies_ended{0};                // without the lock, as they may wait for other threads' work
std::atomic<bool> g_has_ended{false}; // a stream waits for a word, perhaps of this thread's next call

uint64_t mix(uint64_t sum, const char *bytes, uint64_t count) noexcept {
    for (uint64_t at = 0; at < count; at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes + at, std::min<uint64_t>(8, count - at));
        sum = (sum ^ word) * 0x9E3779B97F4A7C15;
        sum ^= sum >> 29;
    }
    return sum;
}

// False: the driver does not copy it.
bool sum_up(Window &window, char *piece) noexcept {
    uint64_t here = 0, elsewhere = 0;
    for (uint64_t at = 0; at < window.bytes;) {
        const uint64_t bytes = std::min(at == 0 ? kHere : kPiece, window.bytes - at);
        if (g_real.copy_to_host(piece, window.word.value + at, bytes) != CUDA_SUCCESS) return false;
        (at == 0 ? here : elsewhere) = mix(at == 0 ? here : elsewhere, piece, bytes);
        at += bytes;
    }
    window.here = here;
    window.elsewhere = elsewhere;
    return true;
}

// Also notes the words that lead to no memory of the device.
std::vector<Window> windows_of(const Call &call, const std::string &kernel) {
    std::vector<KernelWord> words = words_of(call);
    std::sort(words.begin(), words.end(),
              [](const KernelWord &one, const KernelWord &other) { return one.value < other.value; });
    std::vector<Window> windows;
    for (size_t i = 0, next = 0; i < words.size(); ++i) {
        const uint64_t address = words[i].value;
        const bool is_first = i == 0 || words[i - 1].value != address;
        while (next < words.size() && words[next].value == address) ++next;
        CUdeviceptr base = 0;
        size_t bytes = 0;
        if (g_real.get_range(&base, &bytes, address) != CUDA_SUCCESS) {
            note_use(kernel, words[i], Use::NoAddress, g_settings.learn);
            continue;
        }
        uint64_t end = std::min<uint64_t>(base + bytes, address + kMostBytes);
        if (next < words.size()) end = std::min(end, words[next].value);
        windows.push_back({words[i], !is_first || next > i + 1, end - address});
    }
    return windows;
}

bool is_next_launch(const std::string &kernel) GS_REQUIRES(g_learning_mutex) {
    if (!g_launches) g_launches = new std::map<std::string, uint32_t>;
    return ++(*g_launches)[kernel] <= kMostLaunches;
}

bool can_learn() noexcept {
    return g_real.copy_to_host && g_real.sync_context && g_real.get_range && g_real.get_parameter;
}

void begin_launch(const Call &call) GS_REQUIRES(g_learning_mutex) {
    auto learning = std::make_unique<Learning>();
    learning->kernel = name_of_kernel(call);
    if (learning->kernel.empty() || !is_next_launch(learning->kernel)) return;
    learning->copies = g_copies_begun.load(std::memory_order_seq_cst);
    const StreamContext context(driver_stream(call), true);
    if (g_copies_ended.load(std::memory_order_seq_cst) != learning->copies) return;
    if (g_real.sync_context() != CUDA_SUCCESS) return;
    const auto piece = std::make_unique<char[]>(kPiece);
    for (Window &window : windows_of(call, learning->kernel))
        if (sum_up(window, piece.get())) learning->windows.push_back(window);
    if (!learning->windows.empty()) g_learning = learning.release();
}

void end_launch(const Call &call) GS_REQUIRES(g_learning_mutex) {
    const std::unique_ptr<Learning> learning(g_learning);
    g_learning = nullptr;
    const StreamContext context(driver_stream(call), true);
    if (call.result != CUDA_SUCCESS || g_real.sync_context() != CUDA_SUCCESS) return;
    const auto piece = std::make_unique<char[]>(kPiece);
    std::vector<std::pair<KernelWord, Use>> found;
    for (const Window &before : learning->windows) {
        Window after = before;
        if (!sum_up(after, piece.get())) continue;
        const bool here = after.here != before.here, elsewhere = after.elsewhere != before.elsewhere;
        found.push_back({before.word, !here && !elsewhere        ? Use::Read
                                      : !here                    ? Use::WriteElsewhere
                                      : before.is_one_of_several ? Use::OneOfSeveral
                                                                 : Use::WriteHere});
    }
    if (g_copies_begun.load(std::memory_order_seq_cst) != learning->copies) return; // which may have written the memory
    for (const auto &[word, use] : found) note_use(learning->kernel, word, use, g_settings.learn);
}

// What puts work in streams does so one after the other.
bool is_serial(DriverCall kind) noexcept {
    return (is_work(kind) && kind != DriverCall::CopyNow) || kind == DriverCall::BeginCapture;
}

} // namespace

void begin_learning() noexcept {
    if (!can_learn() || !g_real.get_function_name)
        return log_message(GS_LOG_ERROR, "--learn needs a driver of CUDA 12.4 or later");
    try {
        begin_uses(g_settings.learn);
    } catch (const std::bad_alloc &) {
        log_message(GS_LOG_ERROR, "no memory to read '%s'", g_settings.learn);
    }
}

void before_learnt(const Call &call) noexcept GS_UNANALYSED {
    const DriverCall kind = call.row->kind;
    if (kind == DriverCall::CopyNow) g_copies_begun.fetch_add(1, std::memory_order_seq_cst);
    if (kind == DriverCall::WaitValue || (kind == DriverCall::Write && call.object == 0))
        g_has_ended.store(true, std::memory_order_relaxed);
    if (!is_serial(kind)) return;
    g_learning_mutex.lock();
    if (kind != DriverCall::Kernel || any_capture() || g_has_ended.load(std::memory_order_relaxed)) return;
    try {
        if (can_learn()) begin_launch(call);
    } catch (const std::bad_alloc &) {
        log_message(GS_LOG_ERROR, "no memory to learn from a kernel");
    }
}

void saw_learnt(const Call &call) noexcept GS_UNANALYSED {
    const DriverCall kind = call.row->kind;
    if (kind == DriverCall::CopyNow) g_copies_ended.fetch_add(1, std::memory_order_seq_cst);
    if (!is_serial(kind)) return;
    try {
        if (g_learning) end_launch(call);
    } catch (const std::bad_alloc &) {
        log_message(GS_LOG_ERROR, "no memory to learn from a kernel");
    }
    g_learning_mutex.unlock();
}

} // namespace gs::front
