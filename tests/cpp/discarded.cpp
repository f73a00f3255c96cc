// SPDX-License-Identifier: Apache-2.0
// Statements that throw away what they were for. The compiler warns of the one that CASE names.
#include <chrono>

#include "gpustream.hpp"
#if CASE == 8
#include "gpustream/coroutine.hpp"
#endif

using namespace gpustream;

void discard(stream_ref stream, device where) {
    static_cast<void>(stream);
    static_cast<void>(where);
#if CASE == 1
    stream_guard{stream};
#elif CASE == 2
    device_guard{where};
#elif CASE == 3
    capture{stream};
#elif CASE == 4
    range{"name"};
#elif CASE == 5
    forbid_sync{};
#elif CASE == 6
    token::create(stream);
#elif CASE == 7
    stream.synchronize_for(std::chrono::seconds(1));
#elif CASE == 8
    completion_loop loop;
    loop.done(stream);
#endif
}
