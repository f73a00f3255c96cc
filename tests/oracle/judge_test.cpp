// SPDX-License-Identifier: Apache-2.0
// The oracle itself: what it must reject, and what it must accept.
#include <gtest/gtest.h>

#include "oracle/oracle.hpp"

namespace gs::oracle {
namespace {

// Operations are sequential unless stated otherwise, works are numbered in the order given.
class JudgeTest : public ::testing::Test {
protected:
    void add(Kind kind, int stream, int other = 0) {
        Op op;
        op.kind = kind;
        op.stream = static_cast<uint8_t>(stream);
        op.other = static_cast<uint8_t>(other);
        if (kind == Kind::Work) program_.works = other + 1;
        program_.ops.push_back(op);
        Trace trace;
        trace.executed = true;
        trace.begin = ++clock_;
        trace.end = ++clock_;
        execution_.traces.push_back(trace);
    }
    void add_done(Kind kind, int stream, int other, uint64_t ran) {
        add(kind, stream, other);
        execution_.traces.back().done = true;
        execution_.traces.back().ran = ran;
    }
    std::string verdict(const std::vector<uint32_t> &numbers) {
        program_.streams = 3;
        program_.events = 2;
        execution_.program = &program_;
        execution_.seen = seen_by_number(numbers);
        execution_.ran = 0;
        for (size_t work = 0; work < numbers.size(); ++work)
            if (numbers[work] != 0) execution_.ran |= uint64_t{1} << work;
        return judge(execution_);
    }

    Program program_;
    Execution execution_;
    uint32_t clock_ = 0;
};

TEST_F(JudgeTest, AStreamRunsInOrder) {
    add(Kind::Work, 0, 0);
    add(Kind::Work, 0, 1);
    EXPECT_EQ(verdict({1, 2}), "");
    EXPECT_NE(verdict({2, 1}), "");
    EXPECT_NE(verdict({1, 0}), "");
}

TEST_F(JudgeTest, StreamsHaveNoOrderWithoutWaits) {
    add(Kind::Work, 0, 0);
    add(Kind::Record, 0, 0);
    add(Kind::Work, 1, 1);
    EXPECT_EQ(verdict({1, 2}), "");
    EXPECT_EQ(verdict({2, 1}), "");
}

TEST_F(JudgeTest, AWaitOrdersWhatComesAfterIt) {
    add(Kind::Work, 0, 0);
    add(Kind::Record, 0, 0);
    add(Kind::WaitEvent, 1, 0);
    add(Kind::Work, 1, 1);
    EXPECT_EQ(verdict({1, 2}), "");
    EXPECT_NE(verdict({2, 1}), "");
}

TEST_F(JudgeTest, AWaitBindsToTheRecordOfItsMoment) {
    add(Kind::Record, 0, 0);
    add(Kind::WaitEvent, 1, 0);
    add(Kind::Work, 0, 0);
    add(Kind::Record, 0, 0);
    add(Kind::Work, 1, 1);
    EXPECT_EQ(verdict({2, 1}), "");
}

TEST_F(JudgeTest, OrderPassesThroughStreamsWithoutWork) {
    add(Kind::Work, 0, 0);
    add(Kind::WaitStream, 1, 0);
    add(Kind::Record, 1, 0);
    add(Kind::WaitEvent, 2, 0);
    add(Kind::Work, 2, 1);
    EXPECT_EQ(verdict({1, 2}), "");
    EXPECT_NE(verdict({2, 1}), "");
}

TEST_F(JudgeTest, DoneMeansDone) {
    add(Kind::Work, 0, 0);
    add(Kind::Record, 0, 0);
    add_done(Kind::QueryEvent, 0, 0, 1);
    EXPECT_EQ(verdict({1}), "");
    execution_.traces.back().ran = 0;
    EXPECT_NE(verdict({1}), "");
}

TEST_F(JudgeTest, ASynchronisedStreamIsEmpty) {
    add(Kind::Work, 0, 0);
    add_done(Kind::SyncStream, 0, 0, 0);
    EXPECT_NE(verdict({1}), "");
}

TEST_F(JudgeTest, OverlappingCallsHaveNoOrder) {
    add(Kind::Work, 0, 0);
    add(Kind::Record, 0, 0);
    add(Kind::WaitEvent, 1, 0);
    execution_.traces[1].end = execution_.traces[2].end; // the record was still in progress
    execution_.traces[2].end = execution_.traces[1].end + 1;
    clock_ += 2;
    add(Kind::Work, 1, 1);
    EXPECT_EQ(verdict({2, 1}), "");
}

TEST_F(JudgeTest, OfTwoRecordsThatRacedEitherCounts) {
    add(Kind::Work, 0, 0);
    add(Kind::Work, 1, 1);
    add(Kind::Record, 0, 0);
    add(Kind::Record, 1, 0);
    std::swap(execution_.traces[2].end, execution_.traces[3].begin);
    add(Kind::WaitEvent, 2, 0);
    add(Kind::Work, 2, 2);
    EXPECT_EQ(verdict({3, 1, 2}), "");
    EXPECT_EQ(verdict({1, 3, 2}), "");
    EXPECT_NE(verdict({2, 3, 1}), "");
    execution_.traces[2].end = 6; // one after the other: the second counts
    execution_.traces[3].begin = 7;
    EXPECT_EQ(verdict({3, 1, 2}), "");
    EXPECT_NE(verdict({1, 3, 2}), "");
}

TEST_F(JudgeTest, TwoRecordsThatRacedAreTheSameForAll) {
    add(Kind::Work, 0, 0);
    add(Kind::Work, 1, 1);
    add(Kind::Record, 0, 0);
    add(Kind::Record, 1, 0);
    std::swap(execution_.traces[2].end, execution_.traces[3].begin);
    add_done(Kind::QueryEvent, 0, 0, 1); // only work 0 had run, so the record is stream 0's
    add(Kind::WaitEvent, 2, 0);
    add(Kind::Work, 2, 2);
    EXPECT_EQ(verdict({1, 3, 2}), "");
    EXPECT_NE(verdict({3, 1, 2}), "");
}

TEST_F(JudgeTest, ARenewedEventHasNoRecord) {
    add(Kind::Work, 0, 0);
    add(Kind::Record, 0, 0);
    add(Kind::RenewEvent, 0, 0);
    add(Kind::WaitEvent, 1, 0);
    add(Kind::Work, 1, 1);
    EXPECT_EQ(verdict({2, 1}), "");
}

TEST_F(JudgeTest, EveryOperationMustHaveHappened) {
    add(Kind::Work, 0, 0);
    execution_.traces.back().executed = false;
    EXPECT_NE(verdict({1}), "");
}

TEST(Programs, AreTheSameForTheSameSeed) {
    EXPECT_EQ(describe(generate(7, true)), describe(generate(7, true)));
    EXPECT_NE(describe(generate(7, true)), describe(generate(8, true)));
}

class EntriesTest : public JudgeTest {
protected:
    void add_told(Kind kind, int of, int point, uint32_t told, uint64_t ran) {
        add(kind, of, point);
        execution_.traces.back().told = told;
        execution_.traces.back().ran = ran;
        program_.points = point + 1;
    }
};

TEST_F(EntriesTest, AnEntryComesAfterItsWork) {
    add(Kind::Work, 0, 0);
    add_told(Kind::AddStream, 0, 0, 1, 1);
    EXPECT_EQ(verdict({1}), "");
    execution_.traces.back().ran = 0;
    EXPECT_NE(verdict({1}), "");
    execution_.traces.back().told = 0;
    EXPECT_NE(verdict({1}), "") << "every add has an entry";
}

TEST_F(EntriesTest, EntriesOfStreamsThatWaitComeLater) {
    add(Kind::Work, 0, 0);
    add_told(Kind::AddStream, 0, 0, 1, 1);
    add(Kind::Record, 0, 0);
    add(Kind::WaitEvent, 1, 0);
    add_told(Kind::AddStream, 1, 1, 2, 1);
    EXPECT_EQ(verdict({1}), "");
    execution_.traces[1].told = 2;
    execution_.traces[4].told = 1;
    EXPECT_NE(verdict({1}), "");
}

TEST_F(EntriesTest, EntriesOfEventsComeLater) {
    add_told(Kind::AddStream, 0, 0, 1, 0);
    add(Kind::Record, 0, 1);
    add_told(Kind::AddEvent, 1, 1, 2, 0);
    EXPECT_EQ(verdict({}), "");
    execution_.traces[0].told = 2;
    execution_.traces[2].told = 1;
    EXPECT_NE(verdict({}), "");
}

TEST_F(EntriesTest, WithoutAWaitThereIsNoOrder) {
    add_told(Kind::AddStream, 0, 0, 2, 0);
    add_told(Kind::AddStream, 1, 1, 1, 0);
    EXPECT_EQ(verdict({}), "");
}

} // namespace
} // namespace gs::oracle
