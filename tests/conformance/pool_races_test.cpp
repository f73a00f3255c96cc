// SPDX-License-Identifier: Apache-2.0
// Two threads that use the memory of a device at the same time, one of them stopped in a driver call.
#include "conformance/parked.hpp"
#include "conformance/pools.hpp"

namespace gs::test {

// The call of the other thread has found memory in the ended pool, and goes on once the last of it is freed.
TEST_P(Conformance, PoolRaces_TheLastFreeDuringALookAtThePool) {
    if (!on_cuda()) return; // the host has no pools of its own
    Stream stream = make_stream();
    Pool ended = make_pool(), other = make_pool();
    for (int i = 0; i < 2; ++i) ASSERT_OK(gs_pool_retain(other));
    void *memory = allocate(ended, 100, stream);
    ended.reset();
    with_parked_call([&] { EXPECT_OK(gs_pool_destroy(other)); }, [&] { EXPECT_OK(gs_free_async(memory, stream)); });
    StatsDelta delta;
    ASSERT_OK(gs_pool_destroy(other));
    EXPECT_EQ(delta.driver_calls(), 0u) << "nothing is left to end";
}

} // namespace gs::test
