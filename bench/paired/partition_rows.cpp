// SPDX-License-Identifier: Apache-2.0
// Streams of a partition, which "stream create + destroy" and "stream create, record, destroy" of the whole device are
// compared with. Last, because the device is divided from here on.
#include "objects.hpp"
#include "pairs.hpp"

namespace paired {

void add_partition_rows(Pairs &pairs) {
    EventPair event;
    const uint32_t multiprocessors = 1;
    gs_partition_t partition = nullptr;
    const int refused = gs_partition_create(0, &multiprocessors, 1, 0, &partition);
    gs_stream_t stream = nullptr;
    pairs.add_alone("partition stream create + destroy", 20, [&](int) {
        int failed = refused | gs_stream_create_in(partition, 0, 0, &stream);
        failed |= gs_stream_destroy(stream);
        return failed;
    });
    pairs.add_alone("partition stream create, record, destroy", 20, [&](int) {
        int failed = refused | gs_stream_create_in(partition, 0, 0, &stream);
        failed |= gs_event_record(event.ours, stream);
        failed |= gs_stream_destroy(stream);
        return failed;
    });
    (void)gs_partition_destroy(partition);
}

} // namespace paired
