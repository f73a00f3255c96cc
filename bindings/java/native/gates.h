/* SPDX-License-Identifier: Apache-2.0 */
/* The way from the library back into Java, the same for both layers: JNI calls these functions from bridge.c, FFM finds
   them by name. Three rules:
   - A thread that is not Java's enters Java for one thing only, a function of gs_call_on_init(), as the library waits
     for its result. Everything else becomes a note, and one thread of Java takes notes.
   - No thread enters Java that has too little stack left for it.
   - Once the virtual machine has begun to end nobody enters, and nothing waits for it. */
#ifndef GPUSTREAM_JAVA_GATES_H
#define GPUSTREAM_JAVA_GATES_H

#include <gpustream.h>
#include <stdint.h>


#define GS_JAVA_API __attribute__((visibility("default")))

/* One for each set of classes that was loaded. Never freed: the library may keep its address. */
typedef struct gs_java_side gs_java_side;

/* What gs_java_take() says a note is. internal/Callbacks.java has the same numbers. */
enum { GS_JAVA_CLOSED = 0, GS_JAVA_DONE = 1, GS_JAVA_RELEASED = 2, GS_JAVA_LOGGED = 3 };

typedef struct gs_java_taken {
    uint64_t number; /* which Java object is meant */
    int32_t kind;
    int32_t code;    /* a gs_status_t or, of a message, GS_LOG_* */
    char text[1008]; /* of a message */
} gs_java_taken;

/* What is called for Java, on threads that may enter it. They throw nothing. */
typedef void (*gs_java_logged)(int32_t level, const char *text);
typedef void (*gs_java_released)(uint64_t number);
typedef gs_status_t (*gs_java_initialised)(uint64_t number);

/* NULL: no memory. */
GS_JAVA_API gs_java_side *gs_java_open(gs_java_logged logged, gs_java_released released,
                                       gs_java_initialised initialised);

/* From now on nobody enters. Waits a little for those inside; not for ever, as one of them may be who ends the virtual
   machine, and then waits for this. */
GS_JAVA_API void gs_java_close(gs_java_side *side);

/* Sends the library's messages to Java; once closed they go where they go by default. */
GS_JAVA_API gs_status_t gs_java_receive_log(gs_java_side *side);

/* As the functions they are named after; Java hears of the number instead of a function being called. Also
   GS_ERROR_SHUTDOWN, once closed. */
GS_JAVA_API gs_status_t gs_java_notify(gs_java_side *side, gs_stream_t stream, uint64_t number);
GS_JAVA_API gs_status_t gs_java_call_on_init(gs_java_side *side, uint64_t number);
GS_JAVA_API gs_status_t gs_java_stream_from_native_owned(gs_java_side *side, gs_device_t device, uint64_t native,
                                                         uint64_t number, gs_stream_t *out_stream);

/* Waits for a note and returns its kind. One thread of Java alone calls it. */
GS_JAVA_API int32_t gs_java_take(gs_java_side *side, gs_java_taken *out);

#endif
