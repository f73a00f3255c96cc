// SPDX-License-Identifier: Apache-2.0
#include <gpustream.h>
#include <sys/wait.h>
#include <unistd.h>

// In C, because no Go may run in a forked child: another thread of Go's runtime may have held one of its locks at the fork.
static int in_child(gs_stream_t stream, gs_event_t event) {
    gs_stream_t created = 0;
    int32_t how = 0, done = 0;
    const gs_status_t refused[] = {
        gs_stream_create(0, 0, 0, &created), gs_event_query(event, &done),  gs_event_record(event, stream),
        gs_stream_synchronize(stream),       gs_set_current_stream(stream), gs_init(),
    };
    for (int i = 0; i < (int)(sizeof(refused) / sizeof(refused[0])); ++i) {
        if (refused[i] != GS_ERROR_BAD_FORK) return 10 + i;
    }
    if (gs_fork_status(&how) != GS_OK || how != GS_FORK_CHILD_OF_INITIALIZED) return 8;
    if (gs_event_destroy(event) != GS_OK || gs_stream_destroy(stream) != GS_OK) return 9;
    return 0;
}

// The exit status of a forked child that made calls, or -1.
int forked_child(gs_stream_t stream, gs_event_t event) {
    const pid_t pid = fork();
    if (pid == 0) _exit(in_child(stream, event));
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}
