/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Controls of the fake CUDA driver: a libcuda.so.1 whose streams, events and kernels run on the host engine. Tests find
 * these functions by dlsym in the library that GPUSTREAM_LIBCUDA names. They may be called from any thread and count as
 * no driver call.
 *
 * Read from the environment when the library is loaded:
 *   FAKE_CUDA_DEVICES         number of devices (2); 0: cuInit returns 100
 *   FAKE_CUDA_DRIVER_VERSION  in the driver's form (13000): later functions do not exist
 *   FAKE_CUDA_MISSING         functions to hide, by exported symbol (cuName_v2), separated by commas
 *   FAKE_CUDA_STUB            1: every function returns 34, as the toolkit's stub library does
 *   FAKE_CUDA_INIT            the result of cuInit
 *   FAKE_CUDA_MEMORY          bytes of memory of each device (1 GiB)
 *   FAKE_CUDA_CAPABILITY      compute capability of the devices (9.0)
 *   FAKE_CUDA_NAME            prefix of their names, before the number (gpustream fake GPU)
 *   FAKE_CUDA_NO_POOLS        1: the devices have no stream-ordered allocation
 *   FAKE_CUDA_NARROW_VALUES   1: the devices have no stream memory operations of 64 bits
 *   FAKE_CUDA_NO_SEMAPHORES   1: the devices cannot import timeline semaphores
 *   FAKE_CUDA_QUEUES          hardware queues (0: one for each stream): where a stream waits for a word, those that share
 *                             its queue by then do, too
 *   FAKE_CUDA_LAUNCHES_WAIT   1: the launch of a graph returns when the work ahead of it in its stream is done, as a driver's
 *                             does when its queue is full
 *   FAKE_CUDA_MULTIPROCESSORS of each device (132), in units of 8 or 2
 *   FAKE_CUDA_FAIL            a fault from the start: function,nth,code[,phase[,mode]]; * is any function
 */
#ifndef GPUSTREAM_FAKE_CUDA_H
#define GPUSTREAM_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FAKE_CUDA_STREAM = 0,
    FAKE_CUDA_EVENT = 1,
    FAKE_CUDA_MODULE = 2,
    FAKE_CUDA_MEMORY = 3,      /* device memory; the handle is the address */
    FAKE_CUDA_HOST_MEMORY = 4, /* pinned */
    FAKE_CUDA_GRAPH = 5,
    FAKE_CUDA_CONTEXT = 6, /* active primary contexts and others */
    FAKE_CUDA_GRAPH_EXEC = 7,
    FAKE_CUDA_USER_OBJECT = 8, /* that a graph or its creator refers to */
    FAKE_CUDA_POOL = 9,        /* of cuMemPoolCreate */
    FAKE_CUDA_GREEN_CONTEXT = 10,
    FAKE_CUDA_SEMAPHORE = 11, /* imported */
    FAKE_CUDA_KINDS = 12
};

enum {
    FAKE_CUDA_BEFORE = 0, /* the call has no effect */
    FAKE_CUDA_AFTER = 1,  /* the effect happened, then an error of earlier work is returned */
    FAKE_CUDA_LATE = 2    /* the call succeeds, the next query or synchronisation returns the code */
};

enum {
    FAKE_CUDA_TRANSIENT = 0,  /* once */
    FAKE_CUDA_PERSISTENT = 1, /* this call and all later ones of its function, until cleared */
    FAKE_CUDA_ENDED = 3,      /* once, and the driver is deinitialised from then on */
    FAKE_CUDA_STICKY = 2      /* once, and the primary context of `device` is broken with that code from then on */
};

typedef struct fake_cuda_fault {
    const char *function; /* the exported symbol, "cuStreamDestroy_v2"; NULL: any function but the symbol lookups */
    uint64_t nth;         /* counted from 1 among the matching calls from now on */
    uint64_t thread;      /* only calls of this thread count (fake_cuda_thread_id); 0: of any */
    int32_t code;
    int32_t phase;
    int32_t mode;
    int32_t device; /* -1: that of the current context, 0 if there is none */
} fake_cuda_fault_t;

/* One fault at a time; replaces the one before. */
void fake_cuda_inject(const fake_cuda_fault_t *fault);
void fake_cuda_clear_fault(void);
/* 1: calls of this thread neither fail nor count for a fault, until 0. */
void fake_cuda_pause_faults(int32_t pause);
/* How often a call was made to fail since fake_cuda_inject, and the function of the first of them. */
uint64_t fake_cuda_injected(char *function, size_t size);
uint64_t fake_cuda_thread_id(void);

/* Calls of an exported symbol; NULL: of all but the symbol lookups. */
uint64_t fake_cuda_calls(const char *function);
void fake_cuda_reset_calls(void);
/* The calling thread's calls, but for symbol lookups and for those before cuInit: one exported symbol per line. Returns
   the length of all. */
void fake_cuda_start_trace(void);
size_t fake_cuda_trace(char *text, size_t size);

/* From now on calls of all threads that concern this device are recorded: by its number, in its context or on an
   object of it. -1: no device. */
void fake_cuda_watch(int32_t device);
/* How many were, and their exported symbols, one per line. */
size_t fake_cuda_watched(char *text, size_t size);

/* Live objects, without those of a call that then failed (FAKE_CUDA_AFTER): no caller has their handle. */
size_t fake_cuda_live(int32_t kind);
size_t fake_cuda_live_handles(int32_t kind, uintptr_t *out, size_t size);
/* The object of that kind that the calling thread's last call used or made. */
uintptr_t fake_cuda_last(int32_t kind);

/* Rules for callers of a driver that were broken: dead handles, another owner's objects, objects destroyed
   during a call, a kernel that does not exist. The text has one line for each. */
size_t fake_cuda_violations(char *text, size_t size);
void fake_cuda_clear_violations(void);
/* The owner that the calling thread acts for, and the owner of an object; 0: none. */
void fake_cuda_act_as(uint64_t owner);
void fake_cuda_set_owner(int32_t kind, uintptr_t handle, uint64_t owner);
/* 0: the handle of a destroyed object is never reused; 1 (default): it is the next one. */
void fake_cuda_set_handle_reuse(int32_t reuse);

/* The driver's life. */
void fake_cuda_deinitialise(void);                         /* all calls return 4 from now on */
void fake_cuda_reset_device(int32_t device);               /* another library resets the primary context */
void fake_cuda_break_device(int32_t device, int32_t code); /* a kernel failed */

/* As cuCheckpointProcessLock and cuCheckpointProcessUnlock for the process: calls of the driver wait while it is locked.
   What was submitted before is still done. */
void fake_cuda_lock(int32_t locked);

/* Do two green contexts have a multiprocessor in common? -1: one of them does not exist. */
int32_t fake_cuda_share_multiprocessors(uintptr_t one, uintptr_t other);

/* A timeline semaphore of another API, as a file descriptor of the caller's that the driver can import any number of
   times (from duplicates). -1: the system has refused. */
int fake_cuda_make_semaphore(uint64_t initial);
/* What the other API's calls do, by any duplicate of the file descriptor. */
int fake_cuda_semaphore_value(int fd, uint64_t *out);
int fake_cuda_signal_semaphore(int fd, uint64_t value);

/* The calling thread. */
int32_t fake_cuda_context_depth(void);
int32_t fake_cuda_capture_mode(void);

/* A kernel that modules may contain: `run` is called once per launch with copies of the arguments. */
typedef struct fake_cuda_launch {
    uint32_t grid[3], block[3], shared_bytes;
} fake_cuda_launch_t;
int32_t fake_cuda_register_kernel(const char *name, const size_t *parameter_bytes, size_t parameters,
                                  void (*run)(const fake_cuda_launch_t *launch, void **arguments));

#ifdef __cplusplus
}
#endif
#endif
