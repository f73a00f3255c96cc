// SPDX-License-Identifier: Apache-2.0
// Bugs that a test puts into the library: seeded_bugs.txt has their code.
#pragma once

#include <atomic>

namespace gs::testing {
enum class SeededBug {
    None,
    ReuseWithoutGrace,
    GraceWithoutBarrier,
    PublishBeforeCall,
    SkipWaitAcrossStreams,
    NewerRecordEndsWaits,
    LostRecorderPublishes,
    NewestRecordIsComplete,
    ForgetReference,
    KeepRepeatedDevice,
    AcceptTrailingText,
    TrustImageSegments,
    HoldWithoutConfirmation,
    LateLookAtTheTurn,
    HostCallEndsTwice,
    BlockReleasedEarly,
    ForkWithoutLocks,
    LateLookForCalls,
    TrustSharedLane,
    KeepTheirStream,
    FollowOnce,
    TellAsFound,
    AskAboutTheEvent,
    WaitOutsideTheCapture,
    // of the host engine's graphs
    LaunchesOverlap,
    ForgetFork,
    ForgetEdgeBetweenLanes,
    LaunchEndsEarly,
    ForgetPredecessor,
    UpdateForgetsANode,
    // of completion, timelines and tokens
    EarlyLookAtLanes,
    SleepWithoutALook,
    SignalsOvertake,
    WaitForAnySignal,
    ReusePending,
    ReuseInCall,
    ForgetGeneration,
};
inline std::atomic<SeededBug> seeded_bug{SeededBug::None};
inline bool bug(SeededBug which) noexcept { return seeded_bug.load(std::memory_order_relaxed) == which; }
} // namespace gs::testing

#define GS_BUG(which) ::gs::testing::bug(::gs::testing::SeededBug::which)
