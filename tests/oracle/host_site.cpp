// SPDX-License-Identifier: Apache-2.0
#include "oracle/host_site.hpp"

#include <array>
#include <atomic>

#include "core/slots.hpp"
#include "oracle/oracle.hpp"
#include "support/host_hooks.hpp"

namespace gs::oracle {
namespace {

std::atomic<uint32_t> g_numbers{0}; // the works of all programs take their numbers from here

class HostGround final : public Ground {
public:
    explicit HostGround(const Program &program) : works_(static_cast<size_t>(program.works)) {
        gates_.resize(static_cast<size_t>(program.gates));
    }

    gs_status_t work(gs_stream_t stream, int number) override {
        return gs_stream_launch_host(stream, run_work, &works_[static_cast<size_t>(number)]);
    }
    gs_status_t hold(gs_stream_t stream, int device, int gate) override {
        StreamSlot *slot = stream_slots().find(handle_bits(stream));
        auto &held = gates_[static_cast<size_t>(gate)];
        held = std::make_unique<host::testing::Gate>(device);
        slot->use.store(StreamUse::Some); // the gate bypasses the library, which would consider the stream never used
        return held->hold(device, slot->native) ? GS_OK : GS_ERROR_INTERNAL;
    }
    void open(int gate) override { gates_[static_cast<size_t>(gate)]->open(); }

    uint64_t ran() const override {
        uint64_t set = 0;
        for (size_t w = 0; w < works_.size(); ++w)
            if (works_[w].number.load() != 0) set |= uint64_t{1} << w;
        return set;
    }
    std::vector<uint64_t> seen() const override {
        std::vector<uint32_t> numbers;
        for (const Work &work : works_) numbers.push_back(work.number.load());
        return seen_by_number(numbers);
    }
    std::string trouble() const override {
        for (size_t w = 0; w < works_.size(); ++w)
            if (works_[w].again.load()) return "work " + std::to_string(w) + " ran twice";
        return {};
    }

private:
    struct Work {
        std::atomic<uint32_t> number{0};
        std::atomic<bool> again{false};
    };
    static void run_work(void *opaque) {
        auto *work = static_cast<Work *>(opaque);
        if (work->number.exchange(g_numbers.fetch_add(1) + 1) != 0) work->again.store(true);
    }

    std::vector<Work> works_;
    std::vector<std::unique_ptr<host::testing::Gate>> gates_;
};

} // namespace

std::unique_ptr<Ground> HostSite::ground(const Program &program) { return std::make_unique<HostGround>(program); }

} // namespace gs::oracle
