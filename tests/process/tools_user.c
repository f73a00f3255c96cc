/* SPDX-License-Identifier: Apache-2.0 */
/* A program that opens libraries by path and asks each for its tools.  tools_user WAY LIBRARY [SECOND COPY]
 *
 * Prints the outcome of each call that needs them. WAY: ask; away, which goes to another folder first; copies, which asks
 * a second copy too; idle, which only works and declares. The stream is kept until the exit. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpustream.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            exit(90);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Only functions declared by the header, against which the program is checked. */
#define EACH(X)                                                                                                        \
    X(gs_last_error)                                                                                                   \
    X(gs_stream_create)                                                                                                \
    X(gs_stream_synchronize)                                                                                           \
    X(gs_stream_set_name)                                                                                              \
    X(gs_check_start)                                                                                                  \
    X(gs_check_stop) X(gs_check_read) X(gs_check_write) X(gs_check_handover) X(gs_set_check_callback) X(gs_dump)       \
        X(gs_dump_log) X(gs_explain_wait) X(gs_trace_begin) X(gs_trace_end) X(gs_trace_write) X(gs_set_trace_callback) \
            X(gs_range_push) X(gs_range_pop) X(gs_range_start) X(gs_range_end) X(gs_mark)

struct api {
#define X(name) __typeof__(&name) name;
    EACH(X)
#undef X
};

static void load(const char *path, struct api *api) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror());
    REQUIRE(library != NULL);
#define X(name)                                                                                                        \
    {                                                                                                                  \
        void *symbol = dlsym(library, #name);                                                                          \
        REQUIRE(symbol != NULL);                                                                                       \
        memcpy(&api->name, &symbol, sizeof symbol);                                                                    \
    }
    EACH(X)
#undef X
}

static gs_status_t swallow(void *arg, const char *text, size_t bytes) {
    (void)text;
    *(size_t *)arg += bytes;
    return GS_OK;
}
static void reported(void *arg, const char *text, const char *json) {
    (void)text;
    (void)json;
    ++*(int *)arg;
}
static void heard(void *arg, int32_t kind, uint64_t stream, uint64_t object, uint64_t value, const char *text) {
    (void)kind, (void)stream, (void)object, (void)value, (void)text;
    ++*(int *)arg;
}

static void say(const struct api *api, const char *call, gs_status_t status) {
    gs_error_info_t error = {.struct_size = sizeof error};
    api->gs_last_error(&error);
    printf("%s: %d %s\n", call, status, status == GS_OK ? "" : error.message);
    fflush(stdout);
}

/* What is declared and what is switched off needs no tools. */
static gs_stream_t declare(const struct api *api) {
    gs_stream_t stream = NULL;
    uint64_t number = 0, clock = 0;
    char memory[16];
    REQUIRE(api->gs_stream_create(0, 0, 0, &stream) == GS_OK);
    REQUIRE(api->gs_stream_set_name(stream, "lane") == GS_OK);
    REQUIRE(api->gs_range_push("step") == GS_OK && api->gs_range_start("long", &number) == GS_OK);
    REQUIRE(api->gs_mark("here") == GS_OK);
    REQUIRE(api->gs_check_read(stream, memory, 8, "a") == GS_OK &&
            api->gs_check_write(stream, memory, 8, "b") == GS_OK);
    REQUIRE(api->gs_check_handover(&clock) == GS_OK && api->gs_check_stop() == GS_OK);
    REQUIRE(api->gs_set_check_callback(NULL, NULL) == GS_OK && api->gs_set_trace_callback(NULL, NULL) == GS_OK);
    REQUIRE(api->gs_stream_synchronize(stream) == GS_OK);
    REQUIRE(api->gs_range_end(number) == GS_OK && api->gs_range_pop() == GS_OK);
    REQUIRE(api->gs_range_pop() == GS_ERROR_SCOPE && api->gs_range_end(number) == GS_ERROR_SCOPE);
    return stream;
}

static void ask(const struct api *api, gs_stream_t stream) {
    static int reports, calls;
    char text[4096];
    size_t bytes = 0, written = 0;
    uint64_t trace = 0;
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    say(api, "gs_check_start", api->gs_check_start(0));
    say(api, "gs_set_check_callback", api->gs_set_check_callback(reported, &reports));
    say(api, "gs_trace_begin", api->gs_trace_begin(NULL, &trace));
    say(api, "gs_set_trace_callback", api->gs_set_trace_callback(heard, &calls));
    REQUIRE(api->gs_range_push("traced") == GS_OK && api->gs_range_pop() == GS_OK);
    say(api, "gs_trace_end", api->gs_trace_end(trace));
    say(api, "gs_trace_write", api->gs_trace_write(trace, swallow, &written));
    say(api, "gs_explain_wait", api->gs_explain_wait(stream, text, sizeof text, &bytes));
    printf("gs_dump: %d\n", api->gs_dump(null));
    say(api, "gs_dump_log", api->gs_dump_log("/nonexistent/log", null));
    printf("calls %d, trace %s\n", calls, written != 0 ? "written" : "empty");
    REQUIRE(api->gs_set_trace_callback(NULL, NULL) == GS_OK && api->gs_set_check_callback(NULL, NULL) == GS_OK);
    REQUIRE(api->gs_check_stop() == GS_OK);
    close(null);
}

int main(int argc, char **argv) {
    REQUIRE(argc >= 3);
    struct api first, second;
    load(argv[2], &first);
    if (strcmp(argv[1], "away") == 0) REQUIRE(chdir("/") == 0);
    gs_stream_t stream = declare(&first);
    if (strcmp(argv[1], "idle") != 0) ask(&first, stream);
    if (strcmp(argv[1], "copies") == 0) {
        load(argv[3], &second);
        ask(&second, declare(&second));
    }
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[5000];
    int mapped = 0;
    while (fgets(line, sizeof line, maps)) mapped |= strstr(line, "libgpustream_tools") != NULL;
    fclose(maps);
    puts(mapped ? "tools loaded" : "tools not loaded");
    return 0;
}
