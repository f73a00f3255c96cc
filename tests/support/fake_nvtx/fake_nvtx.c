/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool of NVTX 3, for NVTX_INJECTION64_PATH: it appends a line to the file FAKE_NVTX_LOG for each call that it hears.
 * FAKE_NVTX=refuse: it does not start. FAKE_NVTX=deaf: it starts, and listens to nothing. It is written against the
 * protocol as NVIDIA's headers have it, not against the library.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*function)(void);
typedef struct {
    size_t struct_size;
    int (*get_module_function_table)(int module, function ***out_table, unsigned *out_size);
} callbacks;
typedef struct {
    size_t struct_size;
    uint32_t version, reserved0;
    void (*set_injection_nvtx_version)(uint32_t version);
} version_info;

static int log_file = -1;

static void say(const char *what, uint64_t number, const char *text) {
    char line[4096];
    const int length = snprintf(line, sizeof line, "%s %llu %.3900s\n", what, (unsigned long long)number, text);
    if (length > 0 && write(log_file, line, (size_t)length) != length) abort();
}

static void mark(const char *text) { say("mark", 0, text); }
static int depth; /* of all threads: the tests that look at it have one */
static int push(const char *name) {
    say("push", (uint64_t)depth, name);
    return depth++;
}
static int pop(void) {
    say("pop", 0, "");
    return --depth;
}
static uint64_t last_range = 7000;
static uint64_t start(const char *name) {
    say("start", ++last_range, name);
    return last_range;
}
static void end(uint64_t range) { say("end", range, ""); }
static void name_stream(void *stream, const char *name) { say("stream", (uint64_t)(uintptr_t)stream, name); }
static void name_event(void *event, const char *name) { say("event", (uint64_t)(uintptr_t)event, name); }

static void put(const callbacks *given, int module, unsigned at, unsigned places, function what) {
    function **table = NULL;
    unsigned size = 0;
    if (given->get_module_function_table(module, &table, &size) == 0 || size != places || !table[at]) abort();
    *table[at] = what;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t));
int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t)) {
    const char *const how = getenv("FAKE_NVTX");
    const char *const path = getenv("FAKE_NVTX_LOG");
    const callbacks *const given = get_export_table(1);
    const version_info *const version = get_export_table(3);
    function **table = NULL;
    unsigned size = 0;
    if (path) log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (how && strcmp(how, "refuse") == 0) return 0;
    if (how && strcmp(how, "deaf") == 0) return 1;
    if (log_file < 0 || !given || given->struct_size < sizeof *given) abort();
    if (!version || version->struct_size < sizeof *version || version->version != 3) abort();
    version->set_injection_nvtx_version(3);
    if (get_export_table(0) || get_export_table(99)) abort();
    if (given->get_module_function_table(0, &table, &size) || given->get_module_function_table(99, &table, &size))
        abort();
    /* Tools fill in all that there is. */
    static const unsigned places[] = {0, 16, 9, 15, 7, 16, 7};
    for (int module = 1; module < 7; ++module) {
        if (given->get_module_function_table(module, &table, &size) != 1 || size != places[module]) abort();
        if (table[0]) abort();
        for (unsigned i = 1; i < size; ++i)
            if (!table[i]) abort();
    }
    put(given, 1, 2, 16, (function)mark);
    put(given, 1, 5, 16, (function)start);
    put(given, 1, 7, 16, (function)end);
    put(given, 1, 9, 16, (function)push);
    put(given, 1, 11, 16, (function)pop);
    put(given, 2, 5, 9, (function)name_stream);
    put(given, 2, 7, 9, (function)name_event);
    say("started", 0, "");
    return 1;
}
