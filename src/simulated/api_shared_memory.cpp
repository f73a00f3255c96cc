// SPDX-License-Identifier: Apache-2.0
// Memory of a device that several processes use: cuIpcGetMemHandle() and its counterparts.
//
// A handle names a file descriptor of the process that allocated the memory. So nothing is left of a process that is killed,
// and who has opened its memory keeps that.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

// The driver cuts smaller allocations out of larger blocks, and a handle is then for the whole block. Its manual advises to
// share multiples of this size only.
constexpr size_t kBlock = size_t{2} << 20;

struct Handle {
    static constexpr uint64_t kMagic = 0x6d656d2d656b6166;
    uint64_t magic = kMagic;
    int64_t process = 0;
    uint64_t inode = 0; // descriptors' numbers are used again
    uint64_t bytes = 0;
    int32_t file = -1;
    int32_t device = 0;
};
static_assert(sizeof(Handle) <= sizeof(CUipcMemHandle));

CUresult open_memory(const Handle &handle, SharedMemory *out) {
    const std::string path = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return CUDA_ERROR_MAP_FAILED;
    struct stat found{};
    void *memory = MAP_FAILED;
    if (fstat(file, &found) == 0 && found.st_ino == handle.inode)
        memory = mmap(nullptr, handle.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return CUDA_ERROR_MAP_FAILED;
    out->address = memory;
    out->block = {handle.bytes};
    return CUDA_SUCCESS;
}

} // namespace

namespace gs::simulated {

void *allocate_shared(size_t bytes) {
    if (bytes == 0 || bytes % kBlock != 0) return nullptr;
    constexpr unsigned kCloseOnExec = 1; // glibc has the name and the function from 2.27 on
    const auto file = static_cast<int>(syscall(SYS_memfd_create, "gpustream-simulated", kCloseOnExec));
    if (file < 0) return nullptr;
    void *memory = MAP_FAILED;
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        close(file);
        return nullptr;
    }
    world().shared[reinterpret_cast<uintptr_t>(memory)] = {memory, {bytes}, file, 0, nullptr};
    return memory;
}

bool forget_shared(uintptr_t address, SharedMemory *out) {
    const auto found = world().shared.find(address);
    if (found == world().shared.end()) return false;
    *out = found->second;
    world().shared.erase(found);
    return true;
}

void free_shared(const SharedMemory &memory) {
    munmap(memory.address, memory.block.bytes);
    if (memory.file >= 0) close(memory.file);
}

} // namespace gs::simulated

CUresult api_IpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr address) {
    return call(
        Fn::IpcGetMemHandle,
        [&](Lock &) {
            Context *context = nullptr;
            CUresult result = current_context(&context);
            if (result == CUDA_SUCCESS) result = check_unsafe();
            if (result != CUDA_SUCCESS) return result;
            const auto found = world().shared.find(address);
            struct stat file{};
            if (found == world().shared.end() || fstat(found->second.file, &file) != 0) return CUDA_ERROR_INVALID_VALUE;
            Handle handle;
            handle.process = getpid();
            handle.inode = file.st_ino;
            handle.bytes = found->second.block.bytes;
            handle.file = found->second.file;
            handle.device = context->device;
            *out = {};
            std::memcpy(out->reserved, &handle, sizeof handle);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_IpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle given, unsigned flags) {
    return call(
        Fn::IpcOpenMemHandle,
        [&](Lock &) {
            Context *context = nullptr;
            CUresult result = current_context(&context);
            if (result == CUDA_SUCCESS) result = check_unsafe();
            if (result != CUDA_SUCCESS) return result;
            Handle handle;
            std::memcpy(&handle, given.reserved, sizeof handle);
            if (handle.magic != Handle::kMagic || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
                return CUDA_ERROR_INVALID_VALUE;
            if (handle.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
            SharedMemory &memory = world().opened[std::string(given.reserved, sizeof given.reserved)];
            if (memory.opened == 0) result = open_memory(handle, &memory);
            if (result != CUDA_SUCCESS) {
                world().opened.erase(std::string(given.reserved, sizeof given.reserved));
                return result;
            }
            if (memory.opened != 0 && memory.context != context) return CUDA_ERROR_ALREADY_MAPPED;
            memory.context = context;
            ++memory.opened;
            *out = reinterpret_cast<CUdeviceptr>(memory.address);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_IpcCloseMemHandle(CUdeviceptr address) {
    return call(Fn::IpcCloseMemHandle, [&](Lock &) {
        Context *context = nullptr;
        if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
        auto &opened = world().opened;
        for (auto each = opened.begin(); each != opened.end(); ++each) {
            if (reinterpret_cast<uintptr_t>(each->second.address) != address) continue;
            if (--each->second.opened == 0) {
                free_shared(each->second);
                opened.erase(each);
            }
            return CUDA_SUCCESS;
        }
        return CUDA_ERROR_INVALID_VALUE;
    });
}
