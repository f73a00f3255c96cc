/* SPDX-License-Identifier: Apache-2.0 */
/* What test_new_function.py adds to a copy of gpustream.h: every kind of parameter that the rules of python_rules.i know. */
/** A made-up handle. The value is a number, never an address. */
typedef struct gs_widget *gs_widget_t;

/** Made-up options. */
typedef struct gs_widget_options {
    uint32_t struct_size; /**< Size of the caller's struct, bytes; set before the call. */
    int32_t level;        /**< A level. */
    double scale;         /**< A factor. */
    const char *name;     /**< A name. */
    uint64_t sizes[3];    /**< Three sizes. */
} gs_widget_options_t;

/** Made-up results. */
typedef struct gs_widget_info {
    uint32_t struct_size; /**< Size of the caller's struct, bytes; set before the call. */
    int32_t level;        /**< A level. */
    char label[16];       /**< A label. */
    uint8_t key[4];       /**< A key. */
    uint64_t sizes[3];    /**< Three sizes. */
} gs_widget_info_t;

/**
 * Makes up a widget.
 *
 * \param[in]  streams     [count] not NULL; streams.
 * \param[in]  count       how many there are.
 * \param[in]  options     not NULL; options.
 * \param[in]  fn          not NULL; called once.
 * \param[in]  arg         passed to fn; any value, also NULL.
 * \param[in,out] out_info not NULL; struct_size set by the caller.
 * \param[out] out_widget  not NULL; the widget.
 * \param[out] out_stream  not NULL; the first stream, with a reference.
 * \param[out] out_named   not NULL; 1 or 0.
 * \param[out] out_sizes   [capacity] the sizes, doubled.
 * \param[in]  capacity    how many fit.
 * \param[out] out_count   not NULL; how many there are.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL); the common statuses.
 * \blocking until nothing happens
 * \cost wait
 * \ownership the caller's.
 */
GS_API gs_status_t gs_widget_create(const gs_stream_t *streams, size_t count, const gs_widget_options_t *options,
                                    void (*fn)(void *arg), void *arg, gs_widget_info_t *out_info,
                                    gs_widget_t *out_widget, gs_stream_t *out_stream, int32_t *out_named,
                                    uint64_t *out_sizes, size_t capacity, size_t *out_count);
