/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_nvml/world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_nvml/fake_nvml.h"

static _Atomic uint64_t g_calls, g_inject_at;
static _Atomic int32_t g_inject_code, g_waiting;
static const char *_Atomic g_injected = "";
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_let_go = PTHREAD_COND_INITIALIZER;
static int32_t g_hold;

static struct fake_device g_devices[MOST_GPUS][MOST_INSTANCES + 1];

/* The nth number of a list such as "1,0"; fallback if the list is shorter or the variable is not set. */
static int nth_number(const char *variable, int nth, int fallback) {
    const char *text = getenv(variable);
    for (; text && nth > 0; --nth) {
        text = strchr(text, ',');
        if (text) ++text;
    }
    return text && *text ? atoi(text) : fallback;
}

int world_gpus(void) {
    const int gpus = nth_number("FAKE_NVML_GPUS", 0, 2);
    return gpus < MOST_GPUS ? gpus : MOST_GPUS;
}

int world_gpu_at(int index) { return nth_number("FAKE_NVML_ORDER", index, index); }

int world_instances(int gpu) {
    const int instances = nth_number("FAKE_NVML_MIG", gpu, 0);
    return instances < MOST_INSTANCES ? instances : MOST_INSTANCES;
}

void world_name(int gpu, char *out, size_t size) {
    const char *text = getenv("FAKE_NVML_NAMES");
    if (!text) text = "Fake GPU";
    for (const char *next; gpu > 0 && (next = strchr(text, ',')); --gpu) text = next + 1;
    snprintf(out, size, "%.*s", (int)strcspn(text, ","), text);
}

int world_listed(const char *variable, int gpu) {
    for (int i = 0; i < MOST_GPUS; ++i)
        if (nth_number(variable, i, -1) == gpu) return 1;
    return 0;
}

/* Set when the constructor below has run. The loader's lock orders that before every use, but sanitizers of threads do not
   know that lock. */
static atomic_int g_numbered;

/* Runs before any thread can query: afterwards they are only read. */
__attribute__((constructor)) static void number_devices(void) {
    for (int gpu = 0; gpu < MOST_GPUS; ++gpu) {
        for (int instance = -1; instance < MOST_INSTANCES; ++instance) {
            g_devices[gpu][instance + 1].gpu = gpu;
            g_devices[gpu][instance + 1].instance = instance;
        }
    }
    atomic_store_explicit(&g_numbered, 1, memory_order_release);
}

struct fake_device *world_device(int gpu, int instance) {
    if (!atomic_load_explicit(&g_numbered, memory_order_acquire)) abort();
    return &g_devices[gpu][instance + 1];
}

/* The code that FAKE_NVML_FAIL has for the function. */
static int chosen_failure(const char *function) {
    const char *text = getenv("FAKE_NVML_FAIL");
    const size_t length = strlen(function);
    for (; text; text = strchr(text, ',')) {
        if (*text == ',') ++text;
        if (strncmp(text, function, length) == 0 && text[length] == '=') return atoi(text + length + 1);
    }
    return 0;
}

static void wait_while_held(void) {
    pthread_mutex_lock(&g_mutex);
    ++g_waiting;
    while (g_hold) pthread_cond_wait(&g_let_go, &g_mutex);
    --g_waiting;
    pthread_mutex_unlock(&g_mutex);
}

int world_enter(const char *function) {
    const uint64_t number = ++g_calls;
    wait_while_held();
    if (number == g_inject_at) {
        g_injected = function;
        return g_inject_code;
    }
    return chosen_failure(function);
}

uint64_t fake_nvml_calls(void) { return g_calls; }

void fake_nvml_inject(uint64_t nth, int32_t code) {
    g_injected = "";
    g_inject_code = code;
    g_inject_at = nth;
    g_calls = 0;
}

const char *fake_nvml_injected(void) { return g_injected; }

void fake_nvml_hold(int32_t hold) {
    pthread_mutex_lock(&g_mutex);
    g_hold = hold;
    pthread_cond_broadcast(&g_let_go);
    pthread_mutex_unlock(&g_mutex);
}

int32_t fake_nvml_waiting(void) { return g_waiting; }
