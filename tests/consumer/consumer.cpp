// SPDX-License-Identifier: Apache-2.0
// A user of the installed C++ layer, whose other file is compiled without exceptions: each makes a stream, passes it to the
// other, and sees what the other did.
#include <gpustream.hpp>
#include <iostream>

// Of consumer_results.cpp: fills memory in a stream; the status of the first failure.
int32_t fill_without_exceptions(gs_stream_t stream, void *memory, int32_t value, size_t bytes);

int main() try {
    const gpustream::stream work = gpustream::stream::create(gpustream::device::of(gpustream::backend::host));
    const gpustream::host_buffer memory = gpustream::host_buffer::create(16);
    const gpustream::event filled = gpustream::event::create();
    if (fill_without_exceptions(work.get(), memory.data(), 7, memory.size()) != GS_OK) return 1;
    work.record(filled);
    filled.synchronize();
    for (size_t i = 0; i < memory.size(); ++i)
        if (memory.as<char>()[i] != 7) return 1;
    if (fill_without_exceptions(nullptr, memory.data(), 7, 1) != GS_ERROR_INVALID_HANDLE) return 1;
    std::cout << "consumer of gpustream " << gpustream::version_string() << '\n';
} catch (const gpustream::error &failure) {
    std::cerr << failure << '\n';
    return 1;
}
