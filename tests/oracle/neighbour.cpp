// SPDX-License-Identifier: Apache-2.0
#include "oracle/neighbour.hpp"

namespace gs::oracle {
namespace {

constexpr int kMostDevices = 16;
thread_local uintptr_t t_current[kMostDevices] = {};
thread_local bool t_inside = false;

int32_t get(void *, int32_t ordinal, uintptr_t *out_native) {
    *out_native = t_current[ordinal];
    return 0;
}

int32_t set(void *, int32_t ordinal, uintptr_t native) {
    t_current[ordinal] = native;
    return 0;
}

gs_status_t native_of(gs_stream_t stream, uintptr_t *out) { return gs_stream_native(stream, out); }

} // namespace

Neighbour &Neighbour::instance() {
    static Neighbour neighbour;
    return neighbour;
}

bool Neighbour::inside() { return t_inside; }
Neighbour::Inside::Inside() { t_inside = true; }
Neighbour::Inside::~Inside() { t_inside = false; }

gs_status_t Neighbour::change_mode(uint8_t mode) {
    if (bridge_ == 0) {
        gs_bridge_t bridge{};
        bridge.struct_size = sizeof bridge;
        bridge.name = "neighbour";
        bridge.backend = GS_BACKEND_DEFAULT;
        bridge.get = get;
        bridge.set = set;
        if (const gs_status_t status = gs_bridge_register(&bridge, &bridge_); status != GS_OK) return status;
    }
    if (mode == mode_) return GS_OK;
    gs_status_t status = gs_bridge_lead(bridge_, (mode & kLeads) != 0);
    if (status == GS_OK) status = gs_bridge_follow((mode & kFollows) != 0 ? bridge_ : 0);
    if (status == GS_OK) mode_ = mode;
    return status;
}

gs_status_t Neighbour::begin(Visit &visit, std::string *out_wrong) {
    gs_status_t status = change_mode(visit.op.mode);
    uintptr_t native = 0;
    gs_stream_t now = nullptr;
    if (status == GS_OK) status = native_of(visit.stream, &native);
    if (status != GS_OK) return status;
    visit.before = t_current[visit.device];
    switch (visit.op.by) {
    case By::Push: status = gs_push_current_stream(visit.stream, &visit.scope); break;
    case By::Set:
        status = gs_set_current_device(visit.device);
        if (status == GS_OK) status = gs_exchange_current_stream(visit.stream, &visit.former);
        break;
    case By::Neighbour:
        t_current[visit.device] = native;
        status = gs_set_current_device(visit.device);
        if (status == GS_OK && (visit.op.mode & kFollows) == 0)
            status = gs_exchange_current_stream(visit.stream, &visit.former);
        break;
    case By::Handle: return GS_ERROR_INTERNAL;
    }
    if (status == GS_OK) status = gs_current_stream(GS_DEVICE_CURRENT, &now);
    if (status != GS_OK) return status;
    if (now != visit.stream) *out_wrong = "another stream is current";
    if (visit.op.mode != 0 && t_current[visit.device] != native)
        *out_wrong = "the other library has another stream current";
    return GS_OK;
}

gs_status_t Neighbour::end(const Visit &visit, std::string *out_wrong) {
    gs_status_t status = GS_OK;
    if (visit.op.by == By::Push) {
        status = gs_pop_current_stream(visit.scope);
        if (t_current[visit.device] != visit.before)
            *out_wrong = "the end of the scope left the other library's stream";
    }
    if (visit.former) {
        status = gs_set_current_stream(visit.former);
        const gs_status_t released = gs_stream_destroy(visit.former);
        if (status == GS_OK) status = released;
    }
    t_current[visit.device] = 0;
    return status;
}

} // namespace gs::oracle
