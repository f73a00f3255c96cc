/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on streams with pending work, for hot_calls.c: queries, queues, deferred functions, notifications. */
#ifndef BUSY_PARTS_H
#define BUSY_PARTS_H

/* A queue keeps 256 entries for its next adds. */
static gs_queue_t queues[4];
static gs_stream_t closed; /* behind what `door` opens */
static gs_event_t on_closed;
static gs_completion_t entry;
static size_t count;
static void nothing(void *arg) { (void)arg; }
static void nothing_happened(void *arg, gs_status_t status) { (void)arg, (void)status; }
PART(queue_add_stream, failed |= gs_queue_add_stream(queues[i & 3], closed, 1))
PART(queue_add_event, failed |= gs_queue_add_event(queues[i & 3], on_closed, 1))
PART(queue_poll, failed |= gs_queue_poll(queues[i & 3], &entry, 1, &count))
PART(queue_poll_empty, failed |= gs_queue_poll(queues[0], &entry, 1, &count))
PART(stream_defer, failed |= gs_stream_defer(closed, nothing, NULL))
PART(stream_notify, failed |= gs_stream_notify(closed, nothing_happened, NULL))

/* Calls for a stream with pending work, which ends after each part. The scanner knows the stream. */
static gs_timeline_t door;
static uint64_t opened;
static gs_queue_t last;
static void close_door(void) {
    CHECK(gs_stream_wait_timeline(closed, door, opened + 1));
    CHECK(gs_event_record(on_closed, closed));
    CHECK(gs_queue_add_stream(last, closed, 1));
}
static void open_door(void) {
    gs_completion_t entries[2];
    CHECK(gs_timeline_signal(door, ++opened));
    CHECK(gs_queue_add_stream(last, closed, 1)); /* comes after all entries of the part */
    for (size_t got, left = 2; left > 0; left -= got) CHECK(gs_queue_wait(last, entries, left, -1, &got));
}

static void parts_of_completion(void) {
    close_door();
    part_queue_poll_empty();
    part_queue_add_stream();
    open_door();
    part_queue_poll();
    close_door();
    part_queue_add_event();
    open_door();
    part_queue_poll();
    close_door();
    part_stream_defer();
    open_door();
    close_door();
    part_stream_notify();
    open_door();
}

static void make_completion_objects(void) {
    CHECK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &closed));
    CHECK(gs_event_create(0, &on_closed));
    CHECK(gs_timeline_create(0, 0, 0, &door));
    for (int i = 0; i < 4; ++i) CHECK(gs_queue_create(GS_REPEAT, 0, &queues[i]));
    CHECK(gs_queue_create(2, 0, &last));
}

/* Calls that need a stream with pending work: a sleep longer than the whole run keeps it busy. */
static void parts_on_a_busy_stream(void) {
    const uint64_t cycles = UINT64_C(3600000000000);
    CHECK(gs_stream_create(GS_DEVICE_CURRENT, 0, GS_STREAM_DEDICATED, &held));
    CHECK(gs_event_create(0, &pending));
    CHECK(gs_stream_sleep(held, cycles));
    CHECK(gs_event_record(pending, held));
    part_query_pending();
    part_query_pending();
    part_stream_query_busy();
    part_stream_query_busy();
    CHECK(gs_stream_signal_timeline(held, expected, 1));
    part_timeline_wait_submitted();
    part_timeline_wait_submitted();
}

#endif
