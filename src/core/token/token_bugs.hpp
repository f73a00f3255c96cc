// SPDX-License-Identifier: Apache-2.0
// Seeded bugs of tokens, which the random programs must find. Only in the build that the tests link, as those of
// base/testing.hpp.
#pragma once

#if defined(GPUSTREAM_TESTING)
#include <atomic>
namespace gs::testing {
enum class TokenBug { None, ReusePending, ReuseInCall, ForgetGeneration };
inline std::atomic<TokenBug> token_bug{TokenBug::None};
} // namespace gs::testing
#define GS_TOKEN_BUG(which) (::gs::testing::token_bug.load(std::memory_order_relaxed) == ::gs::testing::TokenBug::which)
#else
#define GS_TOKEN_BUG(which) false
#endif
