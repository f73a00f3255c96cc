// SPDX-License-Identifier: Apache-2.0
/// \file gpustream.hpp
/// The C++ layer over gpustream.h: C++17, header-only.
///
/// Owners (stream, event, timed_event, buffer, pool, module, graph, queue, timeline, ...) hold one reference and are moved, not
/// copied; the classes named ..._ref, and kernel and device, are numbers that own nothing. Owners convert to references,
/// which is what functions take. Every function says the C function that it calls or has its name; errors, blocking and thread
/// rule are those of that function in gpustream.h.
///
/// Failures are thrown as gpustream::error. With GPUSTREAM_NOEXCEPT=1 (the default where the compiler has exceptions off)
/// nothing is thrown and functions return gpustream::result instead.
///
/// A library of another ABI version is gpustream::abi_error, or status wrong_abi: gpustream/abi.hpp says where.
///
/// <gpustream/fmt.hpp> has printers for the library fmt.
#pragma once

#include "gpustream/abi.hpp"
#include "gpustream/capture.hpp"
#include "gpustream/check.hpp"
#include "gpustream/coroutine.hpp"
#include "gpustream/current.hpp"
#include "gpustream/device.hpp"
#include "gpustream/error.hpp"
#include "gpustream/event.hpp"
#include "gpustream/graph.hpp"
#include "gpustream/library.hpp"
#include "gpustream/memory.hpp"
#include "gpustream/module.hpp"
#include "gpustream/partition.hpp"
#include "gpustream/pool.hpp"
#include "gpustream/print.hpp"
#include "gpustream/queue.hpp"
#include "gpustream/range.hpp"
#include "gpustream/rng.hpp"
#include "gpustream/stream.hpp"
#include "gpustream/stream_pool.hpp"
#include "gpustream/timeline.hpp"
#include "gpustream/token.hpp"
