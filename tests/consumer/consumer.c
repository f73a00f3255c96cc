/* SPDX-License-Identifier: Apache-2.0 */
/* A user of the installed library, in plain C99: one stream, one event, one fill that can be seen in memory. */
#include <gpustream.h>

#include <stdio.h>
#include <string.h>

static int failed(const char *call, gs_status_t status) {
    gs_error_info_t error;
    memset(&error, 0, sizeof error);
    error.struct_size = (uint32_t)sizeof error;
    if (gs_last_error(&error) != GS_OK) error.message[0] = '\0';
    fprintf(stderr, "%s: %s: %s\n", call, gs_status_name(status), error.message);
    return 1;
}

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        gs_status_t status_ = (call);                                                                                  \
        if (status_ != GS_OK) return failed(#call, status_);                                                           \
    } while (0)

int main(void) {
    enum { kBytes = 4096 };
    gs_stream_t stream = NULL;
    gs_event_t event = NULL;
    void *memory = NULL;
    char version[64];
    int32_t done = 0;
    int i;

    snprintf(version, sizeof version, "%d.%d.%d", GS_VERSION_MAJOR, GS_VERSION_MINOR, GS_VERSION_PATCH);
    if (strcmp(version, gs_version_string()) != 0) {
        fprintf(stderr, "the header is %s, the library %s\n", version, gs_version_string());
        return 1;
    }
    CHECK(gs_stream_create(GS_DEVICE(GS_BACKEND_HOST, 0), 0, 0, &stream));
    CHECK(gs_event_create(0, &event));
    CHECK(gs_malloc_host(kBytes, &memory));
    memset(memory, 0, kBytes);
    CHECK(gs_memset_async(memory, 0x5a, kBytes, stream));
    CHECK(gs_event_record(event, stream));
    CHECK(gs_event_synchronize(event));
    CHECK(gs_event_query(event, &done));
    if (!done) return failed("the event is not done after gs_event_synchronize", GS_NOT_READY);
    for (i = 0; i < kBytes; ++i) {
        if (((unsigned char *)memory)[i] != 0x5a) return failed("the fill left other bytes", GS_ERROR_INTERNAL);
    }
    CHECK(gs_free_host(memory));
    CHECK(gs_event_destroy(event));
    CHECK(gs_stream_destroy(stream));
    printf("consumer of gpustream %s\n", gs_version_string());
    return 0;
}
