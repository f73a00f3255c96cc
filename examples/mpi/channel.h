// SPDX-License-Identifier: Apache-2.0
// MPI messages as a part of a stream's work.
//
// A send leaves when the stream's earlier work is done; a receive is posted then. The stream's later work starts when MPI
// has completed the operation: the buffer may be written again, or has the message. No thread waits for a stream: a
// completion queue reports when an operation may start, and a timeline, for which the stream waits, that it has ended. So
// an event that is recorded after an operation completes after it.
//
// While an engine exists, the process leaves MPI to it, unless MPI was initialised with MPI_THREAD_MULTIPLE; the engine
// itself needs MPI_THREAD_SERIALIZED. Functions return GS_OK or what failed, and print nothing. A communicator whose error
// handler is MPI_ERRORS_RETURN makes MPI's failures those of the channel.
#pragma once

#include <mpi.h>
#include <stddef.h>

#include "gpustream.h"

#ifdef __cplusplus
extern "C" {
#endif

// The thread that calls MPI, and what it has to do.
typedef struct engine engine_t;
// A stream whose work includes messages. Used by one thread at a time, as the order of its calls is that of the messages.
typedef struct channel channel_t;

// Starts the engine for messages of a communicator. GS_ERROR_NOT_SUPPORTED: MPI was not initialised with
// MPI_THREAD_SERIALIZED. The communicator must outlive the engine.
gs_status_t engine_start(MPI_Comm communicator, engine_t **out_engine);
// Waits until the engine's thread has ended. Operations that have not ended are given up, and their channels aborted.
void engine_stop(engine_t *engine);

// The stream stays the caller's and must outlive the channel.
gs_status_t channel_open(engine_t *engine, gs_stream_t stream, channel_t **out_channel);
// Aborts what has not ended: wait before. Before engine_stop().
void channel_close(channel_t *channel);

// The memory must be readable, or writable, by MPI: host memory, or the device's if MPI takes that. It belongs to the
// operation until the stream's later work starts. Neither call blocks. GS_ERROR_FULL: 4096 operations of the engine have
// not ended.
gs_status_t channel_send(channel_t *channel, const void *memory, int bytes, int rank, int tag);
gs_status_t channel_receive(channel_t *channel, void *memory, int bytes, int rank, int tag);

// Blocks until all operations of the channel have ended, at most for the given time; negative: no limit. GS_ERROR_TIMEOUT:
// they go on. GS_ERROR_ABORTED: MPI, or work of the stream before an operation, has failed; the stream's later work runs
// nevertheless, without the message. GS_ERROR_PEER_LOST: likewise, since MPI has noticed that the other rank is gone.
gs_status_t channel_wait(channel_t *channel, int64_t timeout_ns);

#ifdef __cplusplus
}
#endif
