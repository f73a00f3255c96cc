// SPDX-License-Identifier: Apache-2.0
// P24: may a stream of another device wait for an interprocess event? Each case is a process of its own, since the answer may
// be a crash.
#include <unistd.h>

#include "probe_driver.hpp"

namespace probes {
namespace {

constexpr unsigned kInterprocess = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

struct Devices {
    CUcontext first = start();
    CUcontext second = nullptr;
    bool two() {
        int count = 0;
        GS_MUST(d.device_get_count(&count));
        if (count < 2) {
            GS_FINDING("needs two devices");
            return false;
        }
        GS_MUST(d.primary_ctx_retain(&second, 1));
        return true;
    }
};

CUstream stream_in(CUcontext context) {
    GS_MUST(d.ctx_set_current(context));
    return new_stream();
}

// The wait, and whether it holds the stream until the event's gate opens.
void wait_and_tell(CUstream waits, CUevent event, Gate &gate, CUstream records) {
    const CUresult waited = d.stream_wait_event(waits, event, 0);
    const CUresult before = d.stream_query(waits);
    gate.open();
    const CUresult ended = d.stream_synchronize(waits);
    GS_MUST(d.stream_synchronize(records));
    GS_FINDING("wait %d, query while it is pending %d, synchronize %d", static_cast<int>(waited),
               static_cast<int>(before), static_cast<int>(ended));
}

enum class Handle { None, Given };
enum class Current { First, Second, None };

template <unsigned flags, Handle handle, Current current, bool other_device>
void wait_in_this_process() {
    Devices devices;
    if (!devices.two()) return;
    const CUstream waits = stream_in(other_device ? devices.second : devices.first);
    const CUstream records = stream_in(devices.first);
    const CUevent event = new_event(flags);
    CUipcEventHandle exported;
    if (handle == Handle::Given) GS_MUST(d.ipc_get_event_handle(&exported, event));
    Gate gate;
    gate.close(records);
    GS_MUST(d.event_record(event, records));
    GS_MUST(d.ctx_set_current(current == Current::First    ? devices.first
                              : current == Current::Second ? devices.second
                                                           : nullptr));
    wait_and_tell(waits, event, gate, records);
}

// Through a stream of the event's device and an ordinary event.
void wait_through_another_stream() {
    Devices devices;
    if (!devices.two()) return;
    const CUstream waits = stream_in(devices.second);
    const CUstream records = stream_in(devices.first), joins = new_stream();
    const CUevent event = new_event(kInterprocess), ordinary = new_event();
    CUipcEventHandle exported;
    GS_MUST(d.ipc_get_event_handle(&exported, event));
    Gate gate;
    gate.close(records);
    GS_MUST(d.event_record(event, records));
    GS_MUST(d.stream_wait_event(joins, event, 0));
    GS_MUST(d.event_record(ordinary, joins));
    wait_and_tell(waits, ordinary, gate, records);
}

// The other process: opens the event with one device's context current, and waits in a stream of the second device.
template <Current opens>
void wait_in_another_process() {
    int names[2], answers[2];
    if (pipe(names) != 0 || pipe(answers) != 0) return;
    if (fork() == 0) {
        CUipcEventHandle name;
        if (read(names[0], &name, sizeof name) != sizeof name) std::_Exit(4);
        Devices devices;
        if (!devices.two()) std::_Exit(0);
        const CUstream waits = stream_in(devices.second);
        GS_MUST(d.ctx_set_current(opens == Current::First ? devices.first : devices.second));
        CUevent event = nullptr;
        const CUresult opened = d.ipc_open_event_handle(&event, name);
        GS_FINDING("open %d", static_cast<int>(opened));
        if (opened == CUDA_SUCCESS) {
            const CUresult waited = d.stream_wait_event(waits, event, 0);
            GS_FINDING("wait %d, query while it is pending %d", static_cast<int>(waited),
                       static_cast<int>(d.stream_query(waits)));
        }
        std::_Exit(write(answers[1], "", 1) == 1 ? 0 : 4);
    }
    close(answers[1]);
    Devices devices;
    const CUstream records = stream_in(devices.first);
    const CUevent event = new_event(kInterprocess);
    CUipcEventHandle name;
    GS_MUST(d.ipc_get_event_handle(&name, event));
    Gate gate;
    gate.close(records);
    GS_MUST(d.event_record(event, records));
    if (write(names[1], &name, sizeof name) != sizeof name) return;
    char answer = 0;
    GS_FINDING("%s", read(answers[0], &answer, 1) == 1 ? "the other process went on" : "the other process crashed");
    gate.open();
    GS_MUST(d.stream_synchronize(records));
}

} // namespace

const Probe kInterprocessProbes[] = {
    {"P24.ordinary", wait_in_this_process<CU_EVENT_DISABLE_TIMING, Handle::None, Current::First, true>},
    {"P24.same", wait_in_this_process<kInterprocess, Handle::Given, Current::First, false>},
    {"P24.unnamed", wait_in_this_process<kInterprocess, Handle::None, Current::First, true>},
    {"P24.named", wait_in_this_process<kInterprocess, Handle::Given, Current::First, true>},
    {"P24.current", wait_in_this_process<kInterprocess, Handle::Given, Current::Second, true>},
    {"P24.no-context", wait_in_this_process<kInterprocess, Handle::Given, Current::None, true>},
    {"P24.joined", wait_through_another_stream},
    {"P24.opened-second", wait_in_another_process<Current::Second>},
    {"P24.opened-first", wait_in_another_process<Current::First>},
};
const int kInterprocessProbeCount = static_cast<int>(sizeof kInterprocessProbes / sizeof kInterprocessProbes[0]);

} // namespace probes
