/* SPDX-License-Identifier: Apache-2.0 */
/* Bridges whose functions are Java's: gs_java_bridge_register(). */
#include <stdlib.h>

#include "gates.h"

enum { MOST_PLACES = 32 };

/* The `arg` of a bridge. Never freed: another language may end the registration. */
typedef struct java_bridge {
    gs_java_side *side;
    uint64_t number;
} java_bridge;

/* What is current for a bridge on a thread that cannot enter Java; number 0: free. */
static __thread struct {
    uint64_t number;
    int32_t ordinal;
    uintptr_t native;
} places[MOST_PLACES];

static int32_t kept_get(const java_bridge *bridge, int32_t ordinal, uintptr_t *out_native) {
    *out_native = 0;
    for (int i = 0; i < MOST_PLACES && places[i].number; ++i)
        if (places[i].number == bridge->number && places[i].ordinal == ordinal) *out_native = places[i].native;
    return 0;
}

static int32_t kept_set(const java_bridge *bridge, int32_t ordinal, uintptr_t native) {
    for (int i = 0; i < MOST_PLACES; ++i) {
        if (places[i].number && (places[i].number != bridge->number || places[i].ordinal != ordinal)) continue;
        places[i].number = bridge->number;
        places[i].ordinal = ordinal;
        places[i].native = native;
        return 0;
    }
    return GS_ERROR_OUT_OF_MEMORY;
}

static int32_t on_get(void *arg, int32_t ordinal, uintptr_t *out_native) {
    const java_bridge *bridge = arg;
    int entered = 0;
    const int64_t result = gs_java_call_bridge(bridge->side, bridge->number, GS_JAVA_GET, ordinal, 0, &entered);
    if (!entered) return kept_get(bridge, ordinal, out_native);
    if (result == GS_JAVA_THREW) return GS_ERROR_SYSTEM;
    *out_native = (uintptr_t)result;
    return 0;
}

static int32_t on_set(void *arg, int32_t ordinal, uintptr_t native) {
    const java_bridge *bridge = arg;
    int entered = 0;
    const int64_t result =
        gs_java_call_bridge(bridge->side, bridge->number, GS_JAVA_SET, ordinal, (int64_t)native, &entered);
    if (!entered) return kept_set(bridge, ordinal, native);
    return result == GS_JAVA_THREW ? GS_ERROR_SYSTEM : 0;
}

static int32_t on_set_device(void *arg, int32_t ordinal) {
    const java_bridge *bridge = arg;
    int entered = 0;
    const int64_t result = gs_java_call_bridge(bridge->side, bridge->number, GS_JAVA_SET_DEVICE, ordinal, 0, &entered);
    return entered && result == GS_JAVA_THREW ? GS_ERROR_SYSTEM : 0;
}

gs_status_t gs_java_bridge_register(gs_java_side *side, const char *name, int32_t backend, uint64_t number,
                                    int32_t parts, int32_t *out_bridge) {
    java_bridge *bridge = malloc(sizeof *bridge);
    if (!bridge) return GS_ERROR_OUT_OF_MEMORY;
    bridge->side = side;
    bridge->number = number;
    gs_bridge_t description = {.struct_size = sizeof description, .name = name, .backend = backend, .get = on_get};
    if (parts & 1) description.set = on_set;
    if (parts & 2) description.set_device = on_set_device;
    description.arg = bridge;
    const gs_status_t status = gs_bridge_register(&description, out_bridge);
    if (status != GS_OK) free(bridge);
    return status;
}
