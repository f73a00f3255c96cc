// SPDX-License-Identifier: Apache-2.0
// gpustream_bench_paired [--pairs N] [--scale X] [--rows timelines|queues] >FILE.json
// Measures gpustream beside the driver that it uses, on device 0. How many devices are visible is up to the environment.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "objects.hpp"
#include "pairs.hpp"

namespace {

using namespace paired;

void print_times(const char *name, const std::vector<double> &times) {
    std::printf(", \"%s\": [", name);
    for (size_t i = 0; i < times.size(); ++i) std::printf("%s%.2f", i == 0 ? "" : ", ", times[i]);
    std::printf("]");
}

void print_rows(const std::vector<Row> &rows, int32_t devices) {
    std::printf("{\"devices\": %d, \"elide\": \"%s\", \"rows\": [\n", devices,
                std::getenv("GPUSTREAM_ELIDE") ? std::getenv("GPUSTREAM_ELIDE") : "1");
    for (size_t i = 0; i < rows.size(); ++i) {
        const Row &row = rows[i];
        std::printf(" {\"call\": \"%s\", \"thread\": \"%s\", \"batch\": %d, \"driver_calls\": %.3f, \"error\": \"%s\"",
                    row.call.c_str(), name_of(row.thread), row.batch, row.driver_calls, row.error.c_str());
        print_times("theirs", row.theirs);
        print_times("ours", row.ours);
        std::printf("}%s\n", i + 1 < rows.size() ? "," : "");
    }
    std::printf("]}\n");
}

// Each on a thread of its own: what a thread has set stays with it.
void run_thread(const Settings &settings, Thread thread, std::vector<Row> &rows) {
    std::thread([&] {
        if (thread == Thread::OtherLibrary) StreamPair::current_context = g_driver.context;
        if (thread == Thread::Set && gs_set_current_device(0) == GS_OK) StreamPair::current_context = g_driver.context;
        StreamPair::restore();
        Pairs pairs(settings, thread, rows);
        if (settings.only)
            return std::strcmp(settings.only, "queues") == 0 ? add_queue_rows(pairs) : add_timeline_rows(pairs);
        add_event_rows(pairs);
        add_stream_rows(pairs);
        add_thread_rows(pairs);
        add_memory_rows(pairs);
        add_work_rows(pairs);
        add_graph_rows(pairs);
        add_timeline_rows(pairs);
        add_queue_rows(pairs);
        add_partition_rows(pairs);
    }).join();
}

} // namespace

int main(int argc, char **argv) {
    Settings settings;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--pairs") == 0) settings.pairs = std::atoi(argv[i + 1]);
        if (std::strcmp(argv[i], "--scale") == 0) settings.scale = std::atof(argv[i + 1]);
        if (std::strcmp(argv[i], "--rows") == 0) settings.only = argv[i + 1];
    }
    if (const char *reason = open_driver()) {
        std::fprintf(stderr, "paired: %s\n", reason);
        return 1;
    }
    int32_t devices = 0;
    if (gs_init() != GS_OK || gs_device_count(GS_BACKEND_DEFAULT, &devices) != GS_OK) {
        gs_error_info_t error{};
        error.struct_size = sizeof error;
        (void)gs_last_error(&error);
        std::fprintf(stderr, "paired: %s\n", error.message);
        return 1;
    }
    std::vector<Row> rows;
    for (const Thread thread : kThreads) run_thread(settings, thread, rows);
    print_rows(rows, devices);
    for (const Row &row : rows)
        if (!row.error.empty()) std::fprintf(stderr, "paired: %s: %s\n", row.call.c_str(), row.error.c_str());
    return 0;
}
