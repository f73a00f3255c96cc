/* SPDX-License-Identifier: Apache-2.0 */
/* Upcalls from the library into Java, for both layers: JNI calls these functions from bridge.c, FFM finds them by name.
   Three rules:
   - A thread that is not attached enters Java only for a function of gs_call_on_init(), since the library waits for its
     result. Everything else becomes a note, and one thread of Java takes notes.
   - A thread with too little stack left does not enter Java.
   - Once the virtual machine has begun to end no thread enters, and nothing waits for it. */
#ifndef GPUSTREAM_JAVA_GATES_H
#define GPUSTREAM_JAVA_GATES_H

#include <gpustream.h>
#include <stdint.h>

#define GS_JAVA_API __attribute__((visibility("default")))

/* One for each time the classes were loaded. Never freed: the library may keep its address. */
typedef struct gs_java_side gs_java_side;

/* Kinds of notes. internal/Notes.java has the same numbers. The thread of a RUN, which comes from a function in a stream or
   graph, waits for gs_java_ran(). */
enum {
    GS_JAVA_CLOSED = 0,
    GS_JAVA_DONE = 1,
    GS_JAVA_RELEASED = 2,
    GS_JAVA_LOGGED = 3,
    GS_JAVA_RUN = 4,
    GS_JAVA_REPORTED = 5
};

typedef struct gs_java_taken {
    uint64_t number; /* which Java object is meant */
    int32_t kind;
    int32_t code;    /* a gs_status_t or, of a message, GS_LOG_* */
    uint64_t ticket; /* of GS_JAVA_RUN; of GS_JAVA_REPORTED the address of its two texts */
    char text[1000]; /* of a message */
} gs_java_taken;

/* What a function of a bridge is to do, and what its result means. internal/Upcalls.java has the same numbers. */
enum { GS_JAVA_GET = 0, GS_JAVA_SET = 1, GS_JAVA_SET_DEVICE = 2 };
#define GS_JAVA_THREW INT64_MIN /* no raw handle has this value */

/* The entries of a layer, called on threads that may enter Java. They throw nothing. */
typedef void (*gs_java_logged)(int32_t level, const char *text);
typedef void (*gs_java_released)(uint64_t number);
typedef gs_status_t (*gs_java_initialised)(uint64_t number);
typedef int64_t (*gs_java_bridged)(uint64_t number, int32_t what, int32_t ordinal, int64_t native);

/* NULL: no memory. */
GS_JAVA_API gs_java_side *gs_java_open(gs_java_logged logged, gs_java_released released,
                                       gs_java_initialised initialised, gs_java_bridged bridged);

/* From now on no thread enters. Waits for those inside, with a limit: one of them may be ending the virtual machine, and
   waits for this. */
GS_JAVA_API void gs_java_close(gs_java_side *side);

/* gs_stream_notify() with a number for Java instead of a function. */
GS_JAVA_API gs_status_t gs_java_notify(gs_java_side *side, gs_stream_t stream, uint64_t number);

/* gs_bridge_register() with a number for Java instead of the functions; parts: 1 there is a setter, 2 one for the device.
   A thread that cannot enter Java does not: for the bridge it has current streams that are kept here and begin as the
   default stream. */
GS_JAVA_API gs_status_t gs_java_bridge_register(gs_java_side *side, const char *name, int32_t backend, uint64_t number,
                                                int32_t parts, int32_t *out_bridge);

/* Calls Java for a bridge. On a thread that cannot enter Java, *out_entered is 0 and the call is left out. */
int64_t gs_java_call_bridge(gs_java_side *side, uint64_t number, int32_t what, int32_t ordinal, int64_t native,
                            int *out_entered);

/* Functions for the library that stand for one of Java. internal/Callbacks.java has the same numbers. */
enum {
    GS_JAVA_ON_INIT = 0,    /* for gs_call_on_init() */
    GS_JAVA_ON_RELEASE = 1, /* for a wrapped stream or event */
    GS_JAVA_ON_END = 2,     /* for gs_graph_keep() and gs_stream_defer(): leaves a note of kind GS_JAVA_RELEASED */
    GS_JAVA_ON_RUN = 3,     /* for host nodes and gs_stream_launch_host(): gs_java_run_and_wait() */
    GS_JAVA_ON_REPORT = 4,  /* for gs_set_check_callback(): gs_java_on_report() */
    GS_JAVA_ON_TEXT = 5,    /* for gs_graph_write_dot() and gs_trace_write(): gs_java_on_text() */
    GS_JAVA_ON_MESSAGE = 6  /* for gs_set_log_callback(); once closed, messages go to the default log */
};

/* The address of one of them. */
GS_JAVA_API uint64_t gs_java_function(int32_t which);

/* A number of Java as the argument of such a function, and back. */
GS_JAVA_API uint64_t gs_java_argument(gs_java_side *side, uint64_t number);
gs_java_side *gs_java_side_of(uint64_t argument, uint64_t *out_number);

/* Leaves a note; 0: there is none, as the virtual machine has ended or memory is out. */
int gs_java_post(gs_java_side *side, int32_t kind, uint64_t number, uint64_t ticket);

/* Waits for a note and returns its kind. Called by one thread of Java only. */
GS_JAVA_API int32_t gs_java_take(gs_java_side *side, gs_java_taken *out);

/* Functions of Java in graphs and streams: graphs.c. */

/* On a thread of the backend, which waits until Java has run the function, so the work behind it does, too. */
void gs_java_run_and_wait(void *argument);

/* Java has run the function of a note with this ticket. */
GS_JAVA_API void gs_java_ran(uint64_t ticket);

/* The virtual machine ends: no thread waits for its functions any more. */
void gs_java_release_all(const gs_java_side *side);

/* Texts for Java: texts.c. */

/* A text as it grows; all 0 at first. gs_java_free() ends its bytes. */
typedef struct gs_java_text {
    char *bytes;
    size_t size, room;
} gs_java_text;

/* Adds a piece to a gs_java_text. Also GS_ERROR_OUT_OF_MEMORY. */
gs_status_t gs_java_on_text(void *argument, const char *piece, size_t bytes);
GS_JAVA_API void gs_java_free(void *text);

/* Leaves a note of kind GS_JAVA_REPORTED with the address of the text and behind it the JSON, each with its NUL, which
   gs_java_free() ends. What Java does not get is written to stderr. */
void gs_java_on_report(void *argument, const char *text, const char *json);

#endif
