// SPDX-License-Identifier: Apache-2.0
// A driver as a model. It has no threads, and each of its calls is a point of the scheduler. It notices when a call
// reaches an object of another owner. It stands in place of the host engine under the library's core.
//
// Work has no content. A stream counts what was put into it and what is done; a record is a position in a stream.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpustream.h"

namespace gs::schedule {

// What the model's launch_host does. A function that was accepted runs when the scenario calls run_host_functions().
enum class Launch { Accepts, Fails, FailsButAccepts };

// While it lives, the calling thread's driver calls are made for this owner: a number that grows with each object that
// the scenario creates. A driver object passes from one owner to a later one, and never back.
class As {
public:
    explicit As(uint64_t owner);
    ~As();
    As(const As &) = delete;
    As &operator=(const As &) = delete;

private:
    const uint64_t previous_;
};

struct RecordMade {
    uint64_t when; // number of the driver call
    uint64_t event;
    uintptr_t stream;
    uint64_t position;
};
struct WaitMade {
    uint64_t when;
    uintptr_t stream;
    RecordMade record;
};

namespace model {

// Called before the first use of the library in the process.
void install();
// Forgets the records and waits of the last run, not the objects.
void begin_run();
// Everything that was put into streams is done, or only what this stream has.
void finish_all();
void finish(uintptr_t stream);
// New work: it is not done before finish().
void submit(uintptr_t stream);
uint64_t submitted(uintptr_t stream); // how much was put into it
bool is_done(const RecordMade &record);
bool allocated_in_capture();     // the last memory: it is a graph's
const RecordMade &last_record(); // of any thread
uint64_t last_position();        // of this thread's last record in its stream
const std::vector<WaitMade> &waits();
// Runs the accepted functions on the calling thread, which stands for one of the driver.
void run_host_functions();
void set_launch(Launch launch);
uint64_t calls();
// Driver objects made since begin_run() that live.
int64_t new_events();
int64_t new_streams();

} // namespace model
} // namespace gs::schedule
