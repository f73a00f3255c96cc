// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef OPEN_MPI
#include <mpi-ext.h> // its error class for a process that is gone
#endif

enum { kMostOperations = 4096, kEntriesAtOnce = 32 };
static const int64_t kPollNs = 20000; // MPI has nothing to sleep on: how often its requests are tested

typedef struct operation {
    void *memory;
    int bytes, rank, tag;
    bool receives;
    struct operation *next;
} operation_t;

struct engine {
    MPI_Comm communicator;
    gs_queue_t queue;
    pthread_t thread;
    atomic_bool stopping;
    pthread_mutex_t mutex; // of what follows, of the channels' operations, and of calls of MPI
    channel_t *channels;
    uint64_t opened; // number of the newest channel
    int active;      // channels with a request
};

struct channel {
    engine_t *engine;
    uint64_t number; // token of its entries: an entry of a closed channel finds none
    gs_stream_t stream;
    gs_timeline_t timeline; // counts the operations that have ended
    uint64_t submitted, ended;
    operation_t *first, **last; // that have not ended; MPI has the first if `active`
    bool active;
    MPI_Request request;
    channel_t *next;
};

// A failure of MPI. Few implementations notice that a process is gone, and only if they were asked to.
static gs_status_t status_of(int result) {
#ifdef MPIX_ERR_PROC_FAILED
    int kind = MPI_SUCCESS;
    if (MPI_Error_class(result, &kind) == MPI_SUCCESS && kind == MPIX_ERR_PROC_FAILED) return GS_ERROR_PEER_LOST;
#endif
    return result == MPI_SUCCESS ? GS_OK : GS_ERROR_ABORTED;
}

static void end_first(channel_t *channel, gs_status_t status) {
    operation_t *operation = channel->first;
    channel->first = operation->next;
    if (!channel->first) channel->last = &channel->first;
    free(operation);
    if (channel->active) --channel->engine->active;
    channel->active = false;
    if (status == GS_OK) status = gs_timeline_signal(channel->timeline, ++channel->ended);
    if (status != GS_OK) gs_timeline_abort(channel->timeline, status);
}

// The stream's work before the channel's first operation is done. The operation after it begins when the stream, which
// waits for this one, has gone on: a channel has one request at a time.
static void begin_first(channel_t *channel, gs_status_t status) {
    const operation_t *operation = channel->first;
    const MPI_Comm communicator = channel->engine->communicator;
    if (status == GS_OK && operation->receives)
        status = status_of(MPI_Irecv(operation->memory, operation->bytes, MPI_BYTE, operation->rank, operation->tag,
                                     communicator, &channel->request));
    else if (status == GS_OK)
        status = status_of(MPI_Isend(operation->memory, operation->bytes, MPI_BYTE, operation->rank, operation->tag,
                                     communicator, &channel->request));
    else
        status = GS_ERROR_ABORTED;
    if (status != GS_OK) {
        end_first(channel, status);
        return;
    }
    channel->active = true;
    ++channel->engine->active;
}

static void test_requests(engine_t *engine) {
    for (channel_t *channel = engine->channels; channel; channel = channel->next) {
        int done = 0;
        if (!channel->active) continue;
        const gs_status_t status = status_of(MPI_Test(&channel->request, &done, MPI_STATUS_IGNORE));
        if (status != GS_OK || done) end_first(channel, status);
    }
}

static void abort_operations(channel_t *channel) {
    if (channel->active) {
        if (channel->first->receives) MPI_Cancel(&channel->request);
        MPI_Request_free(&channel->request);
    }
    while (channel->first) end_first(channel, GS_ERROR_ABORTED);
}

static channel_t *find_channel(const engine_t *engine, uint64_t number) {
    channel_t *channel = engine->channels;
    while (channel && channel->number != number) channel = channel->next;
    return channel;
}

static void *run(void *argument) {
    engine_t *engine = argument;
    gs_completion_t entries[kEntriesAtOnce];
    int64_t timeout_ns = -1;
    while (!atomic_load(&engine->stopping)) {
        size_t count = 0;
        const gs_status_t status = gs_queue_wait(engine->queue, entries, kEntriesAtOnce, timeout_ns, &count);
        if (status != GS_OK && status != GS_ERROR_TIMEOUT) break; // the process ends
        pthread_mutex_lock(&engine->mutex);
        for (size_t i = 0; i < count; ++i) {
            channel_t *channel = find_channel(engine, entries[i].token);
            if (channel && channel->first) begin_first(channel, entries[i].status);
        }
        test_requests(engine);
        timeout_ns = engine->active > 0 ? kPollNs : -1;
        pthread_mutex_unlock(&engine->mutex);
    }
    pthread_mutex_lock(&engine->mutex);
    for (channel_t *channel = engine->channels; channel; channel = channel->next) abort_operations(channel);
    pthread_mutex_unlock(&engine->mutex);
    return NULL;
}

gs_status_t engine_start(MPI_Comm communicator, engine_t **out_engine) {
    *out_engine = NULL;
    int provided = 0;
    if (MPI_Query_thread(&provided) != MPI_SUCCESS || provided < MPI_THREAD_SERIALIZED) return GS_ERROR_NOT_SUPPORTED;
    engine_t *engine = calloc(1, sizeof *engine);
    if (!engine) return GS_ERROR_OUT_OF_MEMORY;
    engine->communicator = communicator;
    pthread_mutex_init(&engine->mutex, NULL);
    gs_status_t status = gs_queue_create(kMostOperations, 0, &engine->queue);
    if (status == GS_OK && pthread_create(&engine->thread, NULL, run, engine) != 0) {
        gs_queue_destroy(engine->queue);
        status = GS_ERROR_SYSTEM;
    }
    if (status != GS_OK) {
        free(engine);
        return status;
    }
    *out_engine = engine;
    return GS_OK;
}

void engine_stop(engine_t *engine) {
    atomic_store(&engine->stopping, true);
    gs_queue_wake(engine->queue);
    pthread_join(engine->thread, NULL);
    gs_queue_destroy(engine->queue);
    pthread_mutex_destroy(&engine->mutex);
    free(engine);
}

gs_status_t channel_open(engine_t *engine, gs_stream_t stream, channel_t **out_channel) {
    gs_device_t device = 0;
    *out_channel = NULL;
    gs_status_t status = gs_stream_device(stream, &device);
    if (status != GS_OK) return status;
    channel_t *channel = calloc(1, sizeof *channel);
    if (!channel) return GS_ERROR_OUT_OF_MEMORY;
    channel->engine = engine;
    channel->stream = stream;
    channel->last = &channel->first;
    status = gs_timeline_create(device, 0, 0, &channel->timeline);
    if (status != GS_OK) {
        free(channel);
        return status;
    }
    pthread_mutex_lock(&engine->mutex);
    channel->number = ++engine->opened;
    channel->next = engine->channels;
    engine->channels = channel;
    pthread_mutex_unlock(&engine->mutex);
    *out_channel = channel;
    return GS_OK;
}

void channel_close(channel_t *channel) {
    engine_t *engine = channel->engine;
    pthread_mutex_lock(&engine->mutex);
    channel_t **place = &engine->channels;
    while (*place != channel) place = &(*place)->next;
    *place = channel->next;
    abort_operations(channel);
    pthread_mutex_unlock(&engine->mutex);
    size_t cancelled = 0;
    gs_queue_cancel(engine->queue, channel->number, &cancelled);
    gs_timeline_destroy(channel->timeline);
    free(channel);
}

static gs_status_t submit(channel_t *channel, operation_t wanted) {
    engine_t *engine = channel->engine;
    operation_t *operation = malloc(sizeof *operation);
    if (!operation) return GS_ERROR_OUT_OF_MEMORY;
    *operation = wanted;
    pthread_mutex_lock(&engine->mutex);
    // The entry before the wait: it comes when the stream's earlier work is done.
    const gs_status_t status = gs_queue_add_stream(engine->queue, channel->stream, channel->number);
    if (status == GS_OK) {
        *channel->last = operation;
        channel->last = &operation->next;
        ++channel->submitted;
    }
    pthread_mutex_unlock(&engine->mutex);
    if (status == GS_OK) return gs_stream_wait_timeline(channel->stream, channel->timeline, channel->submitted);
    free(operation);
    return status;
}

gs_status_t channel_send(channel_t *channel, const void *memory, int bytes, int rank, int tag) {
    const operation_t operation = {.memory = (void *)(uintptr_t)memory, .bytes = bytes, .rank = rank, .tag = tag};
    return submit(channel, operation);
}

gs_status_t channel_receive(channel_t *channel, void *memory, int bytes, int rank, int tag) {
    const operation_t operation = {.memory = memory, .bytes = bytes, .rank = rank, .tag = tag, .receives = true};
    return submit(channel, operation);
}

gs_status_t channel_wait(channel_t *channel, int64_t timeout_ns) {
    return gs_timeline_synchronize(channel->timeline, channel->submitted, timeout_ns);
}
