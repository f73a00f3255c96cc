// SPDX-License-Identifier: Apache-2.0
// A tool that listens to NVTX, such as Nsight Systems: the library that NVTX_INJECTION64_PATH names.
//
// NVTX is a protocol between a program and that library: the program calls its InitializeInjectionNvtx2 and hands it
// tables of pointers to functions, which the library fills in. Programs mostly have it from NVIDIA's headers; this is the
// part that we need, so that the library depends on nothing.
#pragma once

#include <cstdint>

#include "gpustream.h"

namespace gs::trace {

// Each acts only if a tool listens to it. Called with no lock held: this is foreign code.
void tell_mark(const char *text) noexcept;
void tell_push(const char *name) noexcept;
void tell_pop() noexcept;
bool tool_hears_ranges() noexcept;              // of threads
uint64_t tell_start(const char *name) noexcept; // the tool's number of the range
void tell_end(uint64_t number) noexcept;
void tell_stream_name(uintptr_t native, const char *name) noexcept; // those of the CUDA driver
bool tool_hears_event_names() noexcept;
void tell_event_name(uintptr_t native, const char *name) noexcept;

} // namespace gs::trace
