// SPDX-License-Identifier: Apache-2.0
#include "queues.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "devices.hpp"
#include "table.hpp"

namespace command {
namespace {

using Clock = std::chrono::steady_clock;
// Writing a word takes microseconds. If no further word is written for so long, the remaining streams are held up.
constexpr std::chrono::seconds kPatience{2};

// The streams, and one word for each. The host writes the word of the first stream, which ends its wait.
class Probe {
public:
    explicit Probe(gs_device_t device) : device_(device) {}
    ~Probe() {
        release();
        for (gs_stream_t stream : streams_) gs_stream_destroy(stream);
        gs_free_host(words_);
    }
    Probe(const Probe &) = delete;
    Probe &operator=(const Probe &) = delete;

    gs_status_t submit(int32_t count);
    std::vector<int32_t> wait_for_words() const;
    gs_status_t release();

private:
    bool written(size_t stream) const {
        return std::atomic_ref<uint32_t>(words_[stream]).load(std::memory_order_acquire) != 0;
    }

    gs_device_t device_;
    uint32_t *words_ = nullptr;
    std::vector<gs_stream_t> streams_;
};

gs_status_t Probe::submit(int32_t count) {
    if (const gs_status_t status = gs_set_current_device(device_); status != GS_OK) return status;
    void *memory = nullptr;
    const size_t bytes = static_cast<size_t>(count) * sizeof *words_;
    if (const gs_status_t status = gs_malloc_host(bytes, &memory); status != GS_OK) return status;
    words_ = static_cast<uint32_t *>(memory);
    for (int32_t i = 0; i < count; ++i) words_[i] = 0;
    // All streams are made before the wait: the creation of one may wait for the device.
    for (int32_t i = 0; i < count; ++i) {
        gs_stream_t stream = nullptr;
        if (const gs_status_t status = gs_stream_create(device_, 0, 0, &stream); status != GS_OK) return status;
        streams_.push_back(stream);
    }
    gs_status_t status = gs_stream_wait_value(streams_[0], words_, 1, GS_VALUE_GEQ | GS_VALUE_32);
    for (size_t i = 1; i < streams_.size() && status == GS_OK; ++i)
        status = gs_stream_write_value(streams_[i], words_ + i, 1, GS_VALUE_32);
    return status;
}

std::vector<int32_t> Probe::wait_for_words() const {
    std::vector<int32_t> missing;
    Clock::time_point last = Clock::now();
    for (size_t before = streams_.size();; before = missing.size()) {
        missing.clear();
        for (size_t i = 1; i < streams_.size(); ++i)
            if (!written(i)) missing.push_back(static_cast<int32_t>(i));
        if (missing.size() < before) last = Clock::now();
        if (missing.empty() || Clock::now() - last >= kPatience) return missing;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

gs_status_t Probe::release() {
    gs_status_t first = GS_OK;
    if (words_) std::atomic_ref<uint32_t>(words_[0]).store(1, std::memory_order_release);
    for (gs_stream_t stream : streams_)
        if (const gs_status_t status = gs_stream_synchronize(stream); status != GS_OK && first == GS_OK) first = status;
    return first;
}

} // namespace

SharedQueues probe_queues(gs_device_t device, int32_t streams) {
    SharedQueues found;
    Probe probe(device);
    if (probe.submit(streams) == GS_OK) {
        found.held = probe.wait_for_words();
        if (probe.release() == GS_OK) return found;
    }
    found.held.clear();
    found.trouble = last_error_text();
    return found;
}

std::string queues_json(const SharedQueues &queues, long streams) {
    std::vector<std::string> held;
    for (const int32_t stream : queues.held) held.push_back(std::to_string(stream));
    JsonObject object;
    object.add_number("streams", streams);
    object.add("held_up_by_stream_0", queues.trouble.empty() ? json_list(held) : "null");
    return object.add_text("trouble", queues.trouble).str();
}

std::string queues_text(const SharedQueues &queues, int32_t device, long streams) {
    const std::string which = "  device " + std::to_string(device) + ", " + std::to_string(streams) + " streams: ";
    if (!queues.trouble.empty()) return which + queues.trouble;
    if (queues.held.empty()) return which + "one that waits holds up none of the others";
    std::string numbers;
    for (const int32_t stream : queues.held) numbers += (numbers.empty() ? "" : ", ") + std::to_string(stream);
    return which + "where number 0 waits, it holds up " + numbers + ", though nothing orders them";
}

} // namespace command
