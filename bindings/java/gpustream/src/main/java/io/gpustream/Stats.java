// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.internal.Layouts.STATS;

import io.gpustream.internal.Scratch;

/**
 * Counts since start or {@link Library#resetStats()}, summed over all threads and languages of the process.
 *
 * @param driverCalls calls of the driver; on the host backend, operations of its engine
 * @param records event records
 * @param waits waits of a stream for a recorded event or a stream, elided ones included
 * @param queries queries of streams and events, elided ones included
 * @param synchronizes synchronizations of streams, events and devices, elided ones included
 * @param elidedWaits waits answered without the driver
 * @param elidedQueries queries answered without the driver
 * @param elidedSynchronizes synchronizations answered without the driver
 * @param eventsCreated events created
 * @param eventPoolHits driver events taken from the pool
 * @param eventPoolMisses driver events that had to be made
 * @param streamsCreated streams created
 * @param streamPoolHits driver streams taken from the pool
 * @param streamPoolMisses driver streams that had to be made
 * @param notifications functions accepted to run after work
 * @param reclaimRounds rounds in which destroyed objects were made reusable
 */
public record Stats(
        long driverCalls,
        long records,
        long waits,
        long queries,
        long synchronizes,
        long elidedWaits,
        long elidedQueries,
        long elidedSynchronizes,
        long eventsCreated,
        long eventPoolHits,
        long eventPoolMisses,
        long streamsCreated,
        long streamPoolHits,
        long streamPoolMisses,
        long notifications,
        long reclaimRounds) {

    static Stats read(Scratch scratch) {
        return new Stats(
                STATS.getLong(scratch, "driver_calls"),
                STATS.getLong(scratch, "records"),
                STATS.getLong(scratch, "waits"),
                STATS.getLong(scratch, "queries"),
                STATS.getLong(scratch, "synchronizes"),
                STATS.getLong(scratch, "elided_waits"),
                STATS.getLong(scratch, "elided_queries"),
                STATS.getLong(scratch, "elided_synchronizes"),
                STATS.getLong(scratch, "events_created"),
                STATS.getLong(scratch, "event_pool_hits"),
                STATS.getLong(scratch, "event_pool_misses"),
                STATS.getLong(scratch, "streams_created"),
                STATS.getLong(scratch, "stream_pool_hits"),
                STATS.getLong(scratch, "stream_pool_misses"),
                STATS.getLong(scratch, "notifications"),
                STATS.getLong(scratch, "reclaim_rounds"));
    }
}
