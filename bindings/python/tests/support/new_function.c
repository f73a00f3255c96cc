/* SPDX-License-Identifier: Apache-2.0 */
/* The body of new_function.h. */
#include <gpustream.h>
#include <string.h>

gs_status_t gs_widget_create(const gs_stream_t *streams, size_t count, const gs_widget_options_t *options,
                             void (*fn)(void *arg), void *arg, gs_widget_info_t *out_info, gs_widget_t *out_widget,
                             gs_stream_t *out_stream, int32_t *out_named, uint64_t *out_sizes, size_t capacity,
                             size_t *out_count) {
    if (count == 0 || options->struct_size != sizeof *options || out_info->struct_size != sizeof *out_info)
        return GS_ERROR_INVALID_ARGUMENT;
    const gs_status_t status = gs_stream_retain(streams[0]);
    if (status != GS_OK) return status;
    fn(arg);
    out_info->level = options->level + (int32_t)(options->scale * (double)count);
    strcpy(out_info->label, options->name ? options->name : "");
    memcpy(out_info->key, "\1\2\3\4", sizeof out_info->key);
    memcpy(out_info->sizes, options->sizes, sizeof out_info->sizes);
    *out_widget = (gs_widget_t)(uintptr_t)0x123456789abcdef;
    *out_stream = streams[0];
    *out_named = options->name != NULL;
    for (size_t i = 0; i < 3 && i < capacity; ++i) out_sizes[i] = 2 * options->sizes[i];
    *out_count = 3;
    return GS_OK;
}
