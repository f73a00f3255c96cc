// SPDX-License-Identifier: Apache-2.0
// Stream memory operations on words of the program's own.
#include <iterator>
#include <thread>
#include <vector>

#include "conformance/captures.hpp"
#include "conformance/conformance.hpp"

namespace gs::test {
namespace {

// Words that every backend's streams can use.
class HostWords {
public:
    HostWords() {
        void *memory = nullptr;
        EXPECT_OK(gs_malloc_host(64, &memory));
        words_ = static_cast<uint64_t *>(memory);
        for (int i = 0; i < 8; ++i) set(i, 0);
    }
    ~HostWords() { EXPECT_OK(gs_free_host(words_)); }
    HostWords(const HostWords &) = delete;
    HostWords &operator=(const HostWords &) = delete;

    uint64_t *at(int i) { return words_ + i; }
    void set(int i, uint64_t value) { __atomic_store_n(words_ + i, value, __ATOMIC_RELEASE); }
    uint64_t get(int i) { return __atomic_load_n(words_ + i, __ATOMIC_ACQUIRE); }

private:
    uint64_t *words_ = nullptr;
};

} // namespace

TEST_P(Conformance, Values_AreWrittenInStreamOrder) {
    ROWS("P26");
    Stream stream = make_stream(0);
    HostWords words;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_write_value(stream, words.at(0), UINT64_MAX, 0));
    words.set(1, UINT64_MAX);
    ASSERT_OK(gs_stream_write_value(stream, words.at(1), 5, GS_VALUE_32 | GS_VALUE_NO_BARRIER));
    EXPECT_EQ(words.get(0), 0u);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(words.get(0), UINT64_MAX);
    EXPECT_EQ(words.get(1), 0xFFFFFFFF00000005u);
}

TEST_P(Conformance, Values_EachConditionInEachWidth) {
    ROWS("P26");
    struct Case {
        uint32_t flags;
        uint64_t value, not_met, met;
    };
    const uint64_t wide = uint64_t{1} << 40;
    const Case cases[] = {
        {GS_VALUE_GEQ, wide, wide - 1, wide},
        {GS_VALUE_GEQ, 1, UINT64_MAX, 2}, // cyclically
        {GS_VALUE_EQ, wide, wide + 1, wide},
        {GS_VALUE_AND, wide, ~wide, wide + 1},
        {GS_VALUE_NOR, ~wide, wide, 0},
        {GS_VALUE_GEQ | GS_VALUE_32, 7, 6, 8},
        {GS_VALUE_GEQ | GS_VALUE_32, 1, UINT32_MAX, 1},
        {GS_VALUE_EQ | GS_VALUE_32, 7, 8, 7},
        {GS_VALUE_AND | GS_VALUE_32, 6, 1, 4},
        {GS_VALUE_NOR | GS_VALUE_32, ~1u, 1, 0},
    };
    HostWords words;
    Stream writes = make_stream(0);
    for (const Case &one : cases) {
        SCOPED_TRACE(std::to_string(one.flags) + ", " + std::to_string(one.value));
        Stream waits = make_stream(0);
        words.set(0, one.not_met);
        ASSERT_OK(gs_stream_wait_value(waits, words.at(0), one.value, one.flags));
        EXPECT_FALSE(done(waits.get()));
        ASSERT_OK(gs_stream_write_value(writes, words.at(0), one.met, one.flags & GS_VALUE_32));
        EXPECT_OK(gs_stream_synchronize(waits));
    }
}

TEST_P(Conformance, Values_AStoreOfTheHostIsSeen) {
    Stream stream = make_stream(0);
    HostWords words;
    ASSERT_OK(gs_stream_wait_value(stream, words.at(3), 1, GS_VALUE_EQ));
    EXPECT_FALSE(done(stream.get()));
    words.set(3, 1);
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(Conformance, Values_BadArguments) {
    Stream stream = make_stream(0);
    HostWords words;
    char *odd = reinterpret_cast<char *>(words.at(0)) + 4;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_write_value(stream, nullptr, 0, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_value(stream, nullptr, 0, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_write_value(stream, odd, 0, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_value(stream, odd + 2, 0, GS_VALUE_32));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_write_value(stream, odd, uint64_t{1} << 32, GS_VALUE_32));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_write_value(stream, words.at(0), 0, GS_VALUE_EQ));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_value(stream, words.at(0), 0, GS_VALUE_NO_BARRIER));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_value(stream, words.at(0), 0, 1u << 31));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_wait_value(nullptr, words.at(0), 0, 0));
    EXPECT_OK(gs_stream_write_value(stream, odd, 1, GS_VALUE_32));
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(Conformance, Values_ABatchKeepsItsOrder) {
    ROWS("P26");
    Stream stream = make_stream(0);
    HostWords words;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    const gs_value_op_t ops[] = {{words.at(0), 1, GS_VALUE_WRITE, 0},
                                 {words.at(1), 5, GS_VALUE_GEQ, 0},
                                 {words.at(2), 7, GS_VALUE_WRITE | GS_VALUE_32 | GS_VALUE_NO_BARRIER, 0},
                                 {words.at(2), 7, GS_VALUE_EQ | GS_VALUE_32, 0},
                                 {words.at(3), UINT64_MAX, GS_VALUE_WRITE, 0}};
    words.set(2, UINT64_MAX << 32);
    ASSERT_OK(gs_stream_batch_values(stream, ops, std::size(ops)));
    EXPECT_EQ(words.get(0), 0u);
    gate.open();
    while (words.get(0) != 1) std::this_thread::yield();
    EXPECT_FALSE(done(stream.get()));
    EXPECT_EQ(words.get(3), 0u);
    words.set(1, 6);
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(words.get(2), (UINT64_MAX << 32) + 7);
    EXPECT_EQ(words.get(3), UINT64_MAX);
}

TEST_P(Conformance, Values_TheLargestBatch) {
    Stream stream = make_stream(0);
    HostWords words;
    std::vector<gs_value_op_t> ops;
    for (uint64_t i = 0; i < 255; ++i) ops.push_back({words.at(0), i, i % 2 == 0 ? uint32_t{GS_VALUE_WRITE} : 0, 0});
    for (size_t i = 1; i < ops.size(); i += 2) ops[i].value = i - 1; // what was written before it
    ASSERT_OK(gs_stream_batch_values(stream, ops.data(), ops.size()));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(words.get(0), 254u);
    ops.push_back(ops[0]);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_batch_values(stream, ops.data(), ops.size()));
    EXPECT_OK(gs_stream_batch_values(stream, nullptr, 0));
}

// One wrong operation, and none is submitted.
TEST_P(Conformance, Values_BadBatches) {
    Stream stream = make_stream(0);
    HostWords words;
    char *odd = reinterpret_cast<char *>(words.at(0)) + 4;
    const gs_value_op_t good{words.at(1), 1, GS_VALUE_WRITE, 0};
    const gs_value_op_t wrong[] = {{nullptr, 1, GS_VALUE_WRITE, 0},
                                   {odd, 1, GS_VALUE_WRITE, 0},
                                   {odd, uint64_t{1} << 32, GS_VALUE_32, 0},
                                   {words.at(0), 1, GS_VALUE_WRITE | GS_VALUE_EQ, 0},
                                   {words.at(0), 1, GS_VALUE_WRITE | GS_VALUE_FLUSH, 0},
                                   {words.at(0), 1, GS_VALUE_NO_BARRIER, 0},
                                   {words.at(0), 1, 1u << 31, 0},
                                   {words.at(0), 1, 0, 1}};
    for (const gs_value_op_t &one : wrong) {
        const gs_value_op_t ops[] = {good, one};
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_batch_values, "(ops[1])", stream, ops, 2) << &one - wrong;
    }
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_batch_values(stream, nullptr, 1));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_batch_values(nullptr, &good, 1));
    // GS_VALUE_WRITE belongs to batches.
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_write_value(stream, words.at(0), 1, GS_VALUE_WRITE));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_value(stream, words.at(0), 1, GS_VALUE_WRITE));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(words.get(1), 0u);
}

TEST_P(Conformance, Values_CapturesAreLeftIntact) {
    Stream stream = make_stream(0);
    HostWords words;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_write_value(stream, words.at(0), 1, 0));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_value(stream, words.at(0), 1, 0));
    const gs_value_op_t op{words.at(0), 1, GS_VALUE_WRITE, 0};
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_batch_values(stream, &op, 1));
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    end_capture(stream).reset();
    EXPECT_EQ(words.get(0), 0u);
}

} // namespace gs::test
