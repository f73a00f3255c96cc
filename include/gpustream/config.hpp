// SPDX-License-Identifier: Apache-2.0
// What the C++ layer is compiled for, and the namespace that follows from it.
#pragma once

#include "../gpustream.h"

#if __cplusplus < 201703L
#error "gpustream.hpp needs C++17"
#endif

// Whether functions return gpustream::result instead of throwing gpustream::error. Define it to 1 or 0 before the first
// include; the default is what the compiler allows.
#ifndef GPUSTREAM_NOEXCEPT
#ifdef __cpp_exceptions
#define GPUSTREAM_NOEXCEPT 0
#else
#define GPUSTREAM_NOEXCEPT 1
#endif
#endif
#if !GPUSTREAM_NOEXCEPT && !defined(__cpp_exceptions)
#error "GPUSTREAM_NOEXCEPT=0 needs exceptions"
#endif

// All forms may be linked into one program: each has an inline namespace of its own, so that no function of one is taken
// for the function of another. What is compiled without exceptions is one by itself: its functions catch none.
#ifndef __cpp_exceptions
#define GPUSTREAM_BEGIN_NAMESPACE                                                                                      \
    namespace gpustream {                                                                                              \
    inline namespace exceptions_off {
#elif GPUSTREAM_NOEXCEPT
#define GPUSTREAM_BEGIN_NAMESPACE                                                                                      \
    namespace gpustream {                                                                                              \
    inline namespace without_exceptions {
#else
#define GPUSTREAM_BEGIN_NAMESPACE                                                                                      \
    namespace gpustream {                                                                                              \
    inline namespace with_exceptions {
#endif
#define GPUSTREAM_END_NAMESPACE                                                                                        \
    }                                                                                                                  \
    }

#if defined(__GNUC__)
#define GPUSTREAM_COLD __attribute__((noinline, cold))
#define GPUSTREAM_HIDDEN __attribute__((visibility("hidden")))
#define GPUSTREAM_UNLIKELY(condition) __builtin_expect((condition), false)
#else
#define GPUSTREAM_COLD
#define GPUSTREAM_HIDDEN
#define GPUSTREAM_UNLIKELY(condition) (condition)
#endif

// Of the constructors of guards: one without a name ends at once. Older compilers know the attribute on functions only.
#if __has_cpp_attribute(nodiscard) >= 201907L
#define GPUSTREAM_NAMED [[nodiscard]]
#else
#define GPUSTREAM_NAMED
#endif

// The stream handles of CUDA: cudaStream_t and CUstream are pointers to this type.
struct CUstream_st;
struct CUevent_st;
