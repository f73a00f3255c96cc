// SPDX-License-Identifier: Apache-2.0
// Timeline semaphores of another API: a file with a word, which that API's calls and streams raise. As with the driver, the file
// descriptor is the driver's once it is imported.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "simulated/driver_call.hpp"

namespace gs::simulated {

SharedWord *map_semaphore(int fd) {
    struct stat found{};
    if (fstat(fd, &found) != 0 || found.st_size != static_cast<off_t>(sizeof(SharedWord))) return nullptr;
    void *memory = mmap(nullptr, sizeof(SharedWord), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto *word = static_cast<SharedWord *>(memory);
    return word->magic == SharedWord::kMagic ? word : nullptr;
}

} // namespace gs::simulated

using namespace gs::simulated;

namespace {

Semaphore *find_semaphore(CUexternalSemaphore handle) {
    World &w = world();
    const auto word = reinterpret_cast<uintptr_t>(handle);
    const auto found = w.semaphore_of.find(word);
    if (found != w.semaphore_of.end()) {
        touch(found->second.context->device);
        return &found->second;
    }
    if (word > 0x80000 && word <= w.next_semaphore && w.excused.count(word) == 0)
        violation("a destroyed semaphore, %p, was passed to the driver", static_cast<void *>(handle));
    return nullptr;
}

bool is_done(engine::Event *event) { return world().engine->event_query(*event) == engine::Result::Ok; }

void forget_done(Semaphore &semaphore) {
    std::erase_if(semaphore.users, [](engine::Event *event) {
        if (!is_done(event)) return false;
        world().engine->event_destroy(*event);
        return true;
    });
}

// Marks the stream's end, so that a destruction that comes too early is seen.
CUresult note_use(Semaphore &semaphore, engine::Stream &stream) {
    forget_done(semaphore);
    engine::Event *event = nullptr;
    engine::Result made = world().engine->event_create(*semaphore.context->native, {}, &event);
    if (made == engine::Result::Ok) made = world().engine->event_record(*event, stream, false);
    if (made == engine::Result::Ok) semaphore.users.push_back(event);
    return to_result(made, *semaphore.context);
}

// submit(engine stream, semaphore, parameters) for each.
template <typename Parameters, typename Submit>
CUresult operate(const CUexternalSemaphore *handles, const Parameters *parameters, unsigned count, CUstream handle,
                 Submit &&submit) {
    Stream *stream = nullptr;
    if (const CUresult result = find_stream(handle, &stream); result != CUDA_SUCCESS) return result;
    for (unsigned i = 0; i < count; ++i) {
        Semaphore *semaphore = find_semaphore(handles[i]);
        if (!semaphore) return CUDA_ERROR_INVALID_HANDLE;
        if (semaphore->context != stream->context || parameters[i].flags != 0) return CUDA_ERROR_INVALID_VALUE;
        CUresult result = to_result(submit(*stream->native, *semaphore, parameters[i]), *stream->context);
        if (result == CUDA_SUCCESS) result = note_use(*semaphore, *stream->native);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

} // namespace

CUresult api_ImportExternalSemaphore(CUexternalSemaphore *out, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *description) {
    return call(
        Fn::ImportExternalSemaphore,
        [&](Lock &) {
            Context *context = nullptr;
            if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
            if (const CUresult result = check_unsafe(); result != CUDA_SUCCESS) return result;
            if (!out || !description || description->flags != 0 ||
                description->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD)
                return CUDA_ERROR_INVALID_VALUE;
            if (!world().semaphores) return CUDA_ERROR_NOT_SUPPORTED;
            SharedWord *word = map_semaphore(description->handle.fd);
            if (!word) return CUDA_ERROR_UNKNOWN; // as driver 580
            close(description->handle.fd);
            const uintptr_t handle = world().next_semaphore += 16;
            world().semaphore_of[handle] = {context, &word->value, false, {}};
            thread().made_block = handle;
            *out = reinterpret_cast<CUexternalSemaphore>(handle);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_DestroyExternalSemaphore(CUexternalSemaphore handle) {
    return call(Fn::DestroyExternalSemaphore, [&](Lock &) {
        Context *context = nullptr;
        if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
        if (const CUresult result = check_unsafe(); result != CUDA_SUCCESS) return result;
        Semaphore *semaphore = find_semaphore(handle);
        if (!semaphore) return CUDA_ERROR_INVALID_HANDLE;
        forget_done(*semaphore);
        if (!semaphore->users.empty())
            violation("semaphore %p was destroyed while a stream uses it", static_cast<void *>(handle));
        world().semaphore_of.erase(reinterpret_cast<uintptr_t>(handle));
        thread().destroyed = reinterpret_cast<uintptr_t>(handle);
        return CUDA_SUCCESS;
    });
}

CUresult api_SignalExternalSemaphoresAsync(const CUexternalSemaphore *handles,
                                           const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *parameters, unsigned count,
                                           CUstream stream) {
    return call(Fn::SignalExternalSemaphoresAsync, [&](Lock &) {
        return operate(handles, parameters, count, stream,
                       [](engine::Stream &native, const Semaphore &semaphore, const auto &one) {
                           return world().engine->write_value(native, {semaphore.word, one.params.fence.value, 8});
                       });
    });
}

CUresult api_WaitExternalSemaphoresAsync(const CUexternalSemaphore *handles,
                                         const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *parameters, unsigned count,
                                         CUstream stream) {
    return call(Fn::WaitExternalSemaphoresAsync, [&](Lock &) {
        return operate(handles, parameters, count, stream,
                       [](engine::Stream &native, const Semaphore &semaphore, const auto &one) {
                           return world().engine->wait_value(
                               native, {semaphore.word, one.params.fence.value, engine::WordTest::Geq, 8});
                       });
    });
}
