// SPDX-License-Identifier: Apache-2.0
#include "fault/injection.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sstream>

#include "calls/calls.hpp"
#include "fault/codes.hpp"
#include "fault/fake_driver.hpp"

namespace gs::test {
namespace {

std::mutex g_log_mutex;
std::string g_log; // what the library logged

void collect_log(void *, int32_t, const char *text) {
    std::lock_guard<std::mutex> lock(g_log_mutex);
    g_log += std::string(text) + "\n";
}

bool logged(const std::string &part) {
    std::lock_guard<std::mutex> lock(g_log_mutex);
    return g_log.find(part) != std::string::npos;
}

void prepare(const Scenario &scenario) {
    if (scenario.environment) {
        const std::string text = scenario.environment;
        const size_t equal = text.find('=');
        setenv(text.substr(0, equal).c_str(), text.substr(equal + 1).c_str(), 1);
    }
    (void)gs_set_log_callback(collect_log, nullptr);
    if (!scenario.cold && gs_init() != GS_OK) {
        std::printf("gs_init failed before any fault\n");
        std::exit(1);
    }
    if (scenario.setup) scenario.setup();
}

// Prints what is wrong, and remembers the failure.
class Verdict {
public:
    explicit Verdict(const Run &run) : run_(run) {}
    void require(bool condition, const std::string &text) {
        if (condition) return;
        if (good_)
            std::printf("step %s, hit in %s: %s\n", run_.failed_step.c_str(), run_.hit_step.c_str(), run_.info.message);
        good_ = false;
        std::printf("  WRONG: %s\n", text.c_str());
    }
    bool good() const { return good_; }

private:
    const Run &run_;
    bool good_ = true;
};

std::string plain_name(std::string symbol) {
    const size_t suffix = symbol.rfind("_v");
    if (suffix != std::string::npos && symbol.size() - suffix <= 4) symbol.erase(suffix);
    return symbol;
}

bool names(const gs_error_info_t &info, const std::string &name, int code) {
    const std::string text = info.message;
    // No driver, no device: a reason of its own instead of the code.
    if (info.status == GS_ERROR_UNAVAILABLE) return info.reason != 0 && text.find(name) != std::string::npos;
    if (info.native_code != code || plain_name(info.native_function) != name) return false;
    // A rejected image: the text names the module.
    return text.find(name) != std::string::npos ||
           (name.rfind("cuModule", 0) == 0 && text.find("module") != std::string::npos);
}

bool contains(const std::vector<gs_status_t> &list, gs_status_t status) {
    return std::find(list.begin(), list.end(), status) != list.end();
}

// The thread's state is as a clean run leaves it.
bool restored(const Baseline &baseline) {
    return fake().context_depth() <= baseline.depth && fake().capture_mode() == 0;
}

// The fault was reported to the caller or to the log, or need not be reported.
void check_report(const Run &run, const std::string &symbol, const Injection &injection, const Baseline &baseline,
                  Verdict &verdict) {
    const std::string name = plain_name(symbol);
    for (const auto *info : {&run.info, &run.hit_info}) {
        if (!names(*info, name, injection.code)) continue;
        const std::vector<gs_status_t> right = statuses_for(symbol, injection.code);
        verdict.require(contains(right, info->status) ||
                            (info->status == GS_ERROR_CONTEXT_LOST && info->origin[0] != '\0'),
                        "the status is " + std::string(gs_status_name(info->status)));
        if (info->status == GS_ERROR_STICKY)
            verdict.require(info->sticky == 1 && info->origin[0] != '\0', "a sticky failure reports its origin");
        return;
    }
    if (run.info.status == GS_ERROR_CONTEXT_LOST || run.hit_info.status == GS_ERROR_CONTEXT_LOST) return;
    // In a broken context any call may be the first to report it, with the code.
    if (run.status == GS_ERROR_STICKY && run.info.native_code == injection.code && run.info.origin[0] != '\0') return;
    // After the driver has shut down, every call that needs it reports that.
    if (injection.mode == FAKE_CUDA_ENDED && (run.status == GS_OK || run.status == GS_ERROR_SHUTDOWN)) return;
    // A late error is reported by the call that encounters it, if any.
    if (injection.phase == FAKE_CUDA_LATE && (run.status == GS_OK || run.info.native_code == injection.code)) return;
    // A failure that was corrected need not be reported.
    if ((symbol == "cuCtxPopCurrent_v2" || symbol == "cuThreadExchangeStreamCaptureMode") && restored(baseline) &&
        run.hit_status != GS_ERROR_INTERNAL && run.status == GS_OK)
        return;
    // A context found to be lost during a destroy: the device reports it from now on.
    if (run.hit_step.find("_destroy(") != std::string::npos || run.hit_step.rfind("gs_trim", 0) == 0)
        if (gs_device_check(0) == GS_ERROR_CONTEXT_LOST) return;
    if (logged(name)) return;
    const bool pending = run.status == GS_NOT_READY || run.status == GS_ERROR_TIMEOUT;
    if (pending && injection.code == 600) return;
    if (excuse(symbol, injection.code, run.hit_step)) return;
    verdict.require(false, symbol + " failed with " + std::to_string(injection.code) +
                               " and it was not reported (step returned " + gs_status_name(run.hit_status) +
                               ", the record names '" + run.hit_info.native_function + "')");
}

// What the failed call was given is in its record.
void check_objects(const Scenario &scenario, const Run &run, Verdict &verdict) {
    if (scenario.cold || run.info.status == GS_OK) return; // GS_STREAM_CURRENT means nothing before the start
    const std::string wrong = wrong_objects(run.info);
    verdict.require(wrong.empty(), std::string("the record of ") + run.info.function + " names " + wrong);
}

// A failed start fails in the same way ever after.
void check_start(const Injection &injection, Verdict &verdict) {
    const gs_status_t first = gs_init();
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    (void)gs_last_error(&info);
    verdict.require(gs_init() == first, "gs_init is consistent");
    verdict.require(first == GS_OK || info.native_code == injection.code || info.reason != 0,
                    "a failed start keeps its cause");
}

// The driver has shut down: calls report that, or work without it.
void check_ended(Verdict &verdict) {
    gs_stream_t stream = nullptr;
    const gs_status_t checked = gs_device_check(0), created = gs_stream_create(0, 0, 0, &stream);
    for (const gs_status_t status : {checked, created, gs_device_check(0)})
        verdict.require(status == GS_OK || status == GS_ERROR_SHUTDOWN,
                        std::string("after the driver's end: ") + gs_status_name(status));
    if (created == GS_OK)
        verdict.require(gs_stream_destroy(stream) == GS_OK, "gs_stream_destroy after the driver's end");
    verdict.require(gs_trim() == GS_OK, "gs_trim after the driver's end");
}

// The devices work, or one is broken consistently and with a reason.
void check_aftermath(const Scenario &scenario, const Injection &injection, Verdict &verdict, bool *out_healthy) {
    *out_healthy = false;
    if (injection.mode == FAKE_CUDA_ENDED) return check_ended(verdict);
    const int32_t broken = gs_device_check(0) != GS_OK ? 0 : 1;
    const gs_status_t health = gs_device_check(broken);
    if (health == GS_OK) {
        Run again;
        scenario.run(again);
        verdict.require(again.status == GS_OK,
                        "the library does not work afterwards: " + again.failed_step + ": " + again.info.message);
        for (const std::string &complaint : again.complaints) verdict.require(false, "afterwards: " + complaint);
        *out_healthy = true;
        return;
    }
    verdict.require(gs_device_check(broken) == health, "gs_device_check is consistent");
    gs_stream_t stream = nullptr;
    verdict.require(gs_stream_create(broken, 0, 0, &stream) == health,
                    "gs_stream_create is consistent with gs_device_check");
    const bool lost =
        health == GS_ERROR_CONTEXT_LOST && (injection.code == 201 || injection.code == 400 || injection.code == 709);
    verdict.require(lost || (health == GS_ERROR_STICKY && sticky(injection.code)),
                    std::string("gs_device_check says ") + gs_status_name(health));
    verdict.require(gs_stream_create(1 - broken, 0, 0, &stream) == GS_OK && gs_stream_destroy(stream) == GS_OK,
                    "the other device works");
}

// Only idle streams are released, so all work must have ended.
void trim_all(Verdict &verdict) {
    verdict.require(gs_device_synchronize(0) == GS_OK && gs_device_synchronize(1) == GS_OK && gs_trim() == GS_OK,
                    "gs_trim works");
}

void check_leaks(const Baseline &baseline, size_t given_up, bool lost_graph, Verdict &verdict) {
    static const char *const kKinds[] = {"streams",      "events", "modules",        "memory",
                                         "host memory",  "graphs", "contexts",       "executable graphs",
                                         "user objects", "pools",  "green contexts", "semaphores"};
    trim_all(verdict);
    // A graph or an executable that the driver lost, or failed to destroy, still has its user objects, and what
    // they keep: events and modules.
    const auto more = [&](int kind) { return fake().live(kind) > baseline.live[kind]; };
    const auto leaks = [&](int kind) {
        const bool kept = lost_graph || given_up > 0 || more(FAKE_CUDA_GRAPH) || more(FAKE_CUDA_GRAPH_EXEC);
        if (kept && (kind == FAKE_CUDA_USER_OBJECT || kind == FAKE_CUDA_EVENT || kind == FAKE_CUDA_MODULE))
            return fake().live(kind) > baseline.live[kind] + given_up + 4; // what the graphs of a scenario refer to
        return fake().live(kind) > baseline.live[kind] + given_up;
    };
    // What graphs referred to is released by threads of the driver and of the library.
    for (int kind = 0, patience = 2000; kind < FAKE_CUDA_KINDS && patience > 0; ++kind)
        for (; leaks(kind) && patience > 0; --patience) {
            usleep(1000);
            trim_all(verdict);
        }
    for (int kind = 0; kind < FAKE_CUDA_KINDS; ++kind)
        verdict.require(!leaks(kind), std::to_string(fake().live(kind)) + " live " + kKinds[kind] +
                                          " after trim, a clean run leaves " + std::to_string(baseline.live[kind]));
}

} // namespace

bool measure(const Scenario &scenario) {
    prepare(scenario);
    fake().start_trace();
    Run run;
    scenario.run(run);
    const std::vector<std::string> calls = fake().trace_lines();
    Verdict verdict(run);
    verdict.require(run.status == GS_OK, "the clean run failed");
    for (const std::string &complaint : run.complaints) verdict.require(false, complaint);
    Run again;
    scenario.run(again);
    verdict.require(again.status == GS_OK && again.complaints.empty(),
                    "the second clean run failed: " + again.failed_step);
    trim_all(verdict);
    verdict.require(fake().violation_text().empty(), fake().violation_text());
    verdict.require(fake().context_depth() <= 1 && fake().capture_mode() == 0,
                    "the thread's capture mode is as before");
    std::printf("DEPTH %d\n", fake().context_depth());
    for (int kind = 0; kind < FAKE_CUDA_KINDS; ++kind) std::printf("LIVE %zu\n", fake().live(kind));
    for (const std::string &call : calls) std::printf("CALL %s\n", call.c_str());
    for (const std::string &function : run.functions) std::printf("FUNCTION %s\n", function.c_str());
    return verdict.good();
}

bool parse_baseline(const std::string &output, Baseline *out) {
    std::istringstream lines(output);
    int kind = 0;
    for (std::string word, value; lines >> word >> value;) {
        if (word == "LIVE" && kind < FAKE_CUDA_KINDS) out->live[kind++] = std::stoul(value);
        if (word == "DEPTH") out->depth = std::stoi(value);
        if (word == "CALL") out->calls.push_back(value);
    }
    return kind == FAKE_CUDA_KINDS;
}

bool run_injected(const Scenario &scenario, const Injection &injection, const Baseline &baseline) {
    prepare(scenario);
    fake_cuda_fault_t fault{};
    fault.nth = injection.nth;
    fault.thread = fake().thread_id();
    fault.code = injection.code;
    fault.phase = injection.phase;
    fault.mode = injection.mode;
    fault.device = -1;
    fake().inject(&fault);
    Run run;
    scenario.run(run);
    const uint64_t injected = fake().injected(nullptr, 0);
    const std::string symbol = fake().injected_name();
    fake().clear_fault();

    Verdict verdict(run);
    for (const std::string &complaint : run.complaints) verdict.require(false, complaint);
    const std::string violations = fake().violation_text();
    verdict.require(violations.empty(), violations);
    if (injected == 0) {
        verdict.require(run.status == GS_OK, "it failed without a fault");
        std::printf("CLEAN\n");
        return verdict.good();
    }
    check_report(run, symbol, injection, baseline, verdict);
    check_objects(scenario, run, verdict);
    // A call has logged what it could not restore because the driver kept refusing; the end of a scope, whose purpose it is
    // to restore the context, has returned it.
    const bool end_of_scope = run.failed_step.find("gs_pop_") == 0 || run.failed_step.find("gs_unwind_") == 0;
    const bool said = logged("could not be restored") || (end_of_scope && symbol == "cuCtxSetCurrent");
    verdict.require(restored(baseline) || injection.mode == FAKE_CUDA_ENDED ||
                        (injection.mode == FAKE_CUDA_PERSISTENT && said),
                    "the thread's context and capture mode are as before");
    bool healthy = false;
    if (scenario.cold)
        check_start(injection, verdict);
    else
        check_aftermath(scenario, injection, verdict, &healthy);
    // A driver that keeps refusing makes the library give up one object with each refusal, at most.
    const bool gives = injection.mode == FAKE_CUDA_PERSISTENT || gives_up(symbol, run.hit_step);
    const bool lost_graph = symbol == "cuGraphClone" || symbol == "cuStreamEndCapture";
    if (healthy && injection.mode != FAKE_CUDA_ENDED) check_leaks(baseline, gives ? injected : 0, lost_graph, verdict);
    const std::string later = fake().violation_text();
    verdict.require(later.empty(), later);
    return verdict.good();
}

} // namespace gs::test
