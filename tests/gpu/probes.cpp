// SPDX-License-Identifier: Apache-2.0
// Answers open questions about the driver's behaviour on this machine's GPU: one line per finding. Each probe runs in a
// process of its own with a time limit, since some may crash or hang inside the driver, which is a finding too.
//
//   g++ -std=c++20 -O1 -Isrc -isystem <folder of cuda.h> tests/gpu/probes*.cpp -o probes -ldl -pthread
//   ./probes          all but P8      ./probes P13      those with this prefix      ./probes --list
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "probe_driver.hpp"

namespace probes {
namespace {

void destroy_word(uintptr_t word) {
    start();
    const CUresult result = d.stream_destroy(reinterpret_cast<CUstream>(word));
    GS_FINDING("cuStreamDestroy(%zu) -> %d", static_cast<size_t>(word), static_cast<int>(result));
}

void legacy_pending() {
    start();
    const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
    const CUstream other = new_stream();
    Gate gate;
    gate.close(nullptr);
    GS_FINDING("only the legacy stream has pending work: cuStreamQuery(legacy) -> %d, (blocking) -> %d, "
               "(non-blocking) -> %d",
               d.stream_query(nullptr), d.stream_query(blocking), d.stream_query(other));
    const CUevent event = new_event();
    GS_MUST(d.event_record(event, blocking));
    GS_FINDING("event recorded on the blocking stream at that time: cuEventQuery -> %d", d.event_query(event));
    gate.open();
    GS_MUST(d.ctx_synchronize());
}

void record_again_while_pending() {
    start();
    const CUstream held = new_stream();
    const CUstream waiting = new_stream();
    const CUstream idle = new_stream();
    {
        Gate gate;
        const CUevent event = new_event();
        gate.close(held);
        GS_MUST(d.event_record(event, held));
        GS_MUST(d.stream_wait_event(waiting, event, 0));
        GS_MUST(d.event_record(event, idle));
        GS_MUST(d.stream_synchronize(idle));
        GS_FINDING("pending record replaced by a complete one: event -> %d, stream that waited before -> %d (600: the "
                   "wait kept the old record)",
                   d.event_query(event), d.stream_query(waiting));
        gate.open();
        GS_MUST(d.ctx_synchronize());
    }
    Gate gate;
    const CUevent event = new_event();
    GS_MUST(d.event_record(event, idle));
    GS_MUST(d.stream_wait_event(waiting, event, 0));
    gate.close(held);
    GS_MUST(d.event_record(event, held));
    GS_MUST(d.stream_synchronize(waiting));
    GS_FINDING("complete record replaced by a pending one: event -> %d, stream that waited before -> %d (0: the wait "
               "kept the old record)",
               d.event_query(event), d.stream_query(waiting));
    gate.open();
    GS_MUST(d.ctx_synchronize());
}

struct FromHostFunction {
    CUstream stream = nullptr;
    CUevent event = nullptr;
    CUresult query = CUDA_SUCCESS, record = CUDA_SUCCESS, create = CUDA_SUCCESS, current = CUDA_SUCCESS;
};

void calls_from_host_function() {
    start();
    FromHostFunction facts;
    facts.stream = new_stream();
    facts.event = new_event();
    const CUstream stream = new_stream();
    GS_MUST(d.launch_host_func(
        stream,
        [](void *arg) {
            auto *seen = static_cast<FromHostFunction *>(arg);
            seen->query = d.event_query(seen->event);
            seen->record = d.event_record(seen->event, seen->stream);
            CUevent fresh = nullptr;
            seen->create = d.event_create(&fresh, CU_EVENT_DISABLE_TIMING);
            CUcontext context = nullptr;
            seen->current = d.ctx_get_current(&context);
        },
        &facts));
    const CUresult after = d.stream_synchronize(stream);
    GS_FINDING("inside a host function: cuEventQuery -> %d, cuEventRecord -> %d, cuEventCreate -> %d, cuCtxGetCurrent "
               "-> %d; synchronising its stream -> %d",
               facts.query, facts.record, facts.create, facts.current, after);
}

void external_outside_capture() {
    start();
    const CUstream stream = new_stream();
    const CUevent event = new_event();
    const CUresult record = d.event_record_with_flags(event, stream, CU_EVENT_RECORD_EXTERNAL);
    GS_MUST(d.event_record(event, stream));
    const CUresult wait = d.stream_wait_event(stream, event, CU_EVENT_WAIT_EXTERNAL);
    GS_FINDING("outside of a capture: record EXTERNAL -> %d, wait EXTERNAL -> %d", record, wait);
}

const Probe kProbes[] = {
    {"P6.0", [] { destroy_word(0); }},   {"P6.1", [] { destroy_word(1); }},
    {"P6.2", [] { destroy_word(2); }},   {"P7", legacy_pending},
    {"P13", record_again_while_pending}, {"P14", calls_from_host_function},
    {"P15", external_outside_capture},
};

std::vector<Probe> all_probes() {
    std::vector<Probe> all(std::begin(kProbes), std::end(kProbes));
    all.insert(all.end(), kCaptureProbes, kCaptureProbes + kCaptureProbeCount);
    all.insert(all.end(), kLifetimeProbes, kLifetimeProbes + kLifetimeProbeCount);
    all.insert(all.end(), kContextProbes, kContextProbes + kContextProbeCount);
    all.insert(all.end(), kGraphProbes, kGraphProbes + kGraphProbeCount);
    all.insert(all.end(), kUpdateProbes, kUpdateProbes + kUpdateProbeCount);
    all.insert(all.end(), kWordProbes, kWordProbes + kWordProbeCount);
    all.insert(all.end(), kInterprocessProbes, kInterprocessProbes + kInterprocessProbeCount);
    all.insert(all.end(), kFullQueueProbes, kFullQueueProbes + kFullQueueProbeCount);
    all.insert(all.end(), kThreadProbes, kThreadProbes + kThreadProbeCount);
    all.insert(all.end(), kPoolProbes, kPoolProbes + kPoolProbeCount);
    return all;
}

constexpr std::chrono::seconds kLimit{60};

// False if the probe has no result.
bool run_in_child(const char *program, const char *name) {
    GS_FINDING("%s", name);
    const pid_t child = fork();
    if (child == 0) {
        execl(program, program, "--child", name, static_cast<char *>(nullptr));
        std::_Exit(127);
    }
    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= deadline) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            GS_FINDING("  hung: ended after %lld s", static_cast<long long>(kLimit.count()));
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (WIFSIGNALED(status)) GS_FINDING("  crashed: signal %d", WTERMSIG(status));
    return !(WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

} // namespace
} // namespace probes

int main(int argc, char **argv) {
    using namespace probes;
    const std::vector<Probe> all = all_probes();
    if (argc == 3 && std::strcmp(argv[1], "--child") == 0) {
        for (const Probe &probe : all)
            if (std::strcmp(probe.name, argv[2]) == 0) {
                std::printf("  ");
                probe.run();
                return 0;
            }
        return 2;
    }
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
        for (const Probe &probe : all) std::printf("%s\n", probe.name);
        return 0;
    }
    const char *wanted = argc == 2 ? argv[1] : "";
    int ran = 0;
    int unsettled = 0;
    for (const Probe &probe : all) {
        if (std::strncmp(probe.name, wanted, std::strlen(wanted)) != 0) continue;
        if (*wanted == '\0' && probe.only_by_name) {
            GS_FINDING("%s\n  left out: runs only when named", probe.name);
            continue;
        }
        ++ran;
        if (!run_in_child("/proc/self/exe", probe.name)) ++unsettled;
    }
    std::printf("%d probes ran, %d could not be settled\n", ran, unsettled);
    return ran == 0 || unsettled != 0 ? 1 : 0;
}
