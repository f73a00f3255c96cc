/* SPDX-License-Identifier: Apache-2.0 */
/* What add_function.py puts at the end of the public header: a section with everything that a function can have. */

/* ---- made up ------------------------------------------------------------------------------ */

/** How gs_made_sum() counts a number. */
enum {
    /** Once. */
    GS_MADE_PLAIN = 0,
    /** Twice. */
    GS_MADE_DOUBLED = 1
};

/** What a number counts for. */
typedef struct gs_made_weight {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_MADE_PLAIN or GS_MADE_DOUBLED. */
    int32_t mode;
    /** Factor of each number. */
    double factor;
} gs_made_weight_t;

/** A sum and what it is made of. */
typedef struct gs_made_total {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** How many numbers were added. */
    uint32_t count;
    /** Their weighted sum. */
    double sum;
    /** The first eight of them. */
    int64_t first[8];
} gs_made_total_t;

/**
 * Adds numbers up and creates an event.
 *
 * The function sees each number before it is added, in the order of the array.
 *
 * \param[in]     weight     not NULL; struct_size set by the caller.
 * \param[in]     values     [count] the numbers; NULL only if count is 0.
 * \param[in]     count      how many.
 * \param[in]     fn         called with each number; NULL: no call. A status other than GS_OK ends the sum.
 * \param[in]     arg        passed to fn; any value, also NULL.
 * \param[in,out] out_total  not NULL; struct_size set by the caller.
 * \param[out]    out_event  not NULL; the new event.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL, a struct_size or the mode is out of range), or what
 *         fn returned; the start statuses; the call statuses.
 * \cost library
 * \ownership the caller owns one reference to the event: gs_event_destroy().
 * \since 0.2
 */
GS_API gs_status_t gs_made_sum(const gs_made_weight_t *weight, const int64_t *values, size_t count,
                               gs_status_t (*fn)(void *arg, int64_t value), void *arg, gs_made_total_t *out_total,
                               gs_event_t *out_event);

/**
 * Returns the flags of an event, twice.
 *
 * As gs_event_get_info().
 *
 * \param[in]  event        live event.
 * \param[out] out_doubled  not NULL; the flags times two.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_doubled is NULL), GS_ERROR_INVALID_HANDLE (event is not a live
 *         event); the getter statuses.
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \since 0.2
 */
GS_API gs_status_t gs_made_doubled_flags(gs_event_t event, uint32_t *out_doubled);

/**
 * Lists the squares of 0, 1, 2 and so on below a number.
 *
 * Without an array it only counts them.
 *
 * \param[in]  below       squares are less than this.
 * \param[out] out_values  [capacity] the first squares; NULL only if capacity is 0.
 * \param[in]  capacity    how many fit.
 * \param[out] out_count   not NULL; how many squares there are.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, or out_values while capacity is not 0); the common
 *         statuses.
 * \cost library
 * \since 0.2
 */
GS_API gs_status_t gs_made_squares(int64_t below, int64_t *out_values, size_t capacity, size_t *out_count);
