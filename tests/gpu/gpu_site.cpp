// SPDX-License-Identifier: Apache-2.0
#include "gpu_site.hpp"
#include "support/launches.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace gs::oracle {
namespace {

// The offsets are those of Board. Volatile accesses go to memory, and the fence makes what was noted visible to the host
// and to the other device before the mark. A gate that stays closed for a minute gives up, so that a failure ends.
constexpr char kPtx[] = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry work(.param .u64 board, .param .u32 number, .param .u32 delay_ns)
{
    .reg .pred %p;
    .reg .b32 %n, %delay, %flag;
    .reg .b64 %b, %own, %note, %begin, %now, %limit, %w<8>;
    ld.param.u64 %b, [board];
    ld.param.u32 %n, [number];
    ld.param.u32 %delay, [delay_ns];
    cvt.u64.u32 %limit, %delay;
    mov.u64 %begin, %globaltimer;
later:
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %begin;
    setp.lt.u64 %p, %now, %limit;
    @%p bra later;
    mad.wide.u32 %note, %n, 64, %b;
    ld.volatile.global.u64 %w0, [%b];
    ld.volatile.global.u64 %w1, [%b+8];
    ld.volatile.global.u64 %w2, [%b+16];
    ld.volatile.global.u64 %w3, [%b+24];
    ld.volatile.global.u64 %w4, [%b+32];
    ld.volatile.global.u64 %w5, [%b+40];
    ld.volatile.global.u64 %w6, [%b+48];
    ld.volatile.global.u64 %w7, [%b+56];
    st.volatile.global.u64 [%note+192], %w0;
    st.volatile.global.u64 [%note+200], %w1;
    st.volatile.global.u64 [%note+208], %w2;
    st.volatile.global.u64 [%note+216], %w3;
    st.volatile.global.u64 [%note+224], %w4;
    st.volatile.global.u64 [%note+232], %w5;
    st.volatile.global.u64 [%note+240], %w6;
    st.volatile.global.u64 [%note+248], %w7;
    cvt.u64.u32 %own, %n;
    add.u64 %own, %own, %b;
    ld.volatile.global.u8 %flag, [%own];
    setp.ne.u32 %p, %flag, 0;
    mov.u32 %flag, 1;
    @%p st.volatile.global.u8 [%own+64], %flag;
    membar.sys;
    st.volatile.global.u8 [%own], %flag;
    ret;
}
.visible .entry gate(.param .u64 board, .param .u32 number)
{
    .reg .pred %p;
    .reg .b32 %g, %v;
    .reg .b64 %b, %a, %begin, %now;
    ld.param.u64 %b, [board];
    ld.param.u32 %g, [number];
    mad.wide.u32 %a, %g, 4, %b;
    mov.u64 %begin, %globaltimer;
closed:
    ld.volatile.global.u32 %v, [%a+128];
    setp.ne.u32 %p, %v, 0;
    @%p bra opened;
    nanosleep.u32 200;
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %begin;
    setp.lt.u64 %p, %now, 60000000000;
    @%p bra closed;
    mov.u32 %v, 1;
    st.volatile.global.u32 [%b+160], %v;
opened:
    mov.u32 %v, 1;
    st.volatile.global.u32 [%a+144], %v;
    ret;
}
)";

static_assert(offsetof(Board, again) == 64 && offsetof(Board, open) == 128 && offsetof(Board, passed) == 144 &&
              offsetof(Board, stuck) == 160 && offsetof(Board, seen) == 192);

constexpr int kLongestDelayNs = 8'000;
constexpr int kDelayedPercent = 30;
constexpr auto kPause = std::chrono::microseconds(20); // several times the longest work's own part
constexpr int kQuietPauses = 4;                        // without any news: what can run has run

void require(gs_status_t status, const char *what) {
    if (status == GS_OK) return;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    const bool known = gs_last_error(&error) == GS_OK;
    std::fprintf(stderr, "%s: %s\n", what, known ? error.message : gs_status_name(status));
    std::exit(1);
}

gs_status_t launch(gs_kernel_t kernel, gs_stream_t stream, void **arguments) {
    const gs_launch_config_t config = gs::test::launch_of(1, 1);
    return gs_kernel_launch(kernel, &config, arguments, stream);
}

uint64_t set_of(const uint8_t *bytes) {
    uint64_t set = 0;
    for (int w = 0; w < kMaxWorks; ++w)
        if (__atomic_load_n(bytes + w, __ATOMIC_ACQUIRE) != 0) set |= uint64_t{1} << w;
    return set;
}

} // namespace

class GpuGround final : public Ground {
public:
    GpuGround(GpuSite &site, const Program &program) : site_(site), program_(program), random_(~program.seed) {
        std::memset(site_.board_, 0, sizeof *site_.board_);
    }
    // The next program uses the same board: no gate may look at it any more.
    ~GpuGround() override {
        for (int gate = 0; gate < held_; ++gate)
            while (__atomic_load_n(&site_.board_->passed[gate], __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
    }

    gs_status_t work(gs_stream_t stream, int number) override {
        gs_device_t device = 0;
        const gs_status_t status = gs_stream_device(stream, &device);
        if (status != GS_OK) return status;
        Board *board = site_.board_;
        auto which = static_cast<uint32_t>(number);
        auto delay = static_cast<uint32_t>(random_.percent(kDelayedPercent) ? random_.below(kLongestDelayNs) : 0);
        void *arguments[] = {&board, &which, &delay};
        return launch(site_.kernels_[static_cast<size_t>(device)].work, stream, arguments);
    }
    gs_status_t hold(gs_stream_t stream, int device, int gate) override {
        Board *board = site_.board_;
        auto which = static_cast<uint32_t>(gate);
        void *arguments[] = {&board, &which};
        ++held_;
        return launch(site_.kernels_[static_cast<size_t>(device)].gate, stream, arguments);
    }
    void open(int gate) override { __atomic_store_n(&site_.board_->open[gate], 1u, __ATOMIC_RELEASE); }

    uint64_t ran() const override { return set_of(site_.board_->done); }
    std::vector<uint64_t> seen() const override {
        std::vector<uint64_t> sets;
        for (int w = 0; w < program_.works; ++w) sets.push_back(set_of(site_.board_->seen[w]));
        return sets;
    }
    std::string trouble() const override {
        if (set_of(site_.board_->again) != 0) return "a work ran twice";
        return __atomic_load_n(&site_.board_->stuck, __ATOMIC_ACQUIRE) != 0 ? "a gate stayed closed for a minute" : "";
    }

private:
    GpuSite &site_;
    const Program &program_;
    Random random_;
    int held_ = 0;
};

GpuSite::GpuSite() {
    require(gs_device_count(GS_BACKEND_DEFAULT, &devices_), "gs_device_count");
    if (devices_ > 2) devices_ = 2;
    void *memory = nullptr;
    require(gs_malloc_host(sizeof(Board), &memory), "gs_malloc_host");
    board_ = static_cast<Board *>(memory);
    std::memset(board_, 0, sizeof *board_);
    for (int32_t device = 0; device < devices_; ++device) {
        Kernels &kernels = kernels_[static_cast<size_t>(device)];
        require(gs_module_load(device, kPtx, sizeof kPtx, &kernels.module), "gs_module_load");
        require(gs_module_get_kernel(kernels.module, "work", &kernels.work), "work");
        require(gs_module_get_kernel(kernels.module, "gate", &kernels.gate), "gate");
        for (int i = 0; i < 2 * kMaxStreams; ++i) warm_up(device);
    }
}

// The first launch of a kernel loads it, for which a driver may wait too.
void GpuSite::warm_up(int32_t device) {
    const Kernels &kernels = kernels_[static_cast<size_t>(device)];
    __atomic_store_n(&board_->open[0], 1u, __ATOMIC_RELEASE);
    gs_stream_t stream = nullptr;
    require(gs_stream_create(device, 0, 0, &stream), "gs_stream_create");
    streams_.push_back(stream);
    uint32_t zero = 0;
    void *arguments[] = {&board_, &zero, &zero};
    require(launch(kernels.work, stream, arguments), "the kernel of works");
    require(launch(kernels.gate, stream, arguments), "the kernel of gates");
    require(gs_stream_synchronize(stream), "gs_stream_synchronize");
}

void GpuSite::release_streams() {
    for (gs_stream_t stream : streams_) require(gs_stream_destroy(stream), "gs_stream_destroy");
    streams_.clear();
}

GpuSite::~GpuSite() {
    release_streams();
    for (int32_t device = 0; device < devices_; ++device) {
        require(gs_device_synchronize(device), "gs_device_synchronize");
        require(gs_module_destroy(kernels_[static_cast<size_t>(device)].module), "gs_module_destroy");
    }
    require(gs_free_host(board_), "gs_free_host");
}

std::unique_ptr<Ground> GpuSite::ground(const Program &program) { return std::make_unique<GpuGround>(*this, program); }

// Nothing depends on this but how surely a wrong order is seen: the judge accepts all that a correct library may do.
void GpuSite::settle(int) {
    uint64_t before = ~set_of(board_->done);
    for (int quiet = 0; quiet < kQuietPauses;) {
        const uint64_t now = set_of(board_->done);
        quiet = now == before ? quiet + 1 : 0;
        before = now;
        std::this_thread::sleep_for(kPause);
    }
}

} // namespace gs::oracle
