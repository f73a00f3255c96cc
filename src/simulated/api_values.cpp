// SPDX-License-Identifier: Apache-2.0
// Stream memory operations, and host memory that is registered for them. In a capture a real driver makes a node of them;
// this driver has no such node and refuses them.
#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

constexpr unsigned kConditions = CU_STREAM_WAIT_VALUE_NOR; // a number up to this one

template <typename Table>
bool holds(const Table &table, uintptr_t address, size_t bytes) {
    auto block = table.upper_bound(address);
    if (block == table.begin()) return false;
    --block;
    if constexpr (std::is_same_v<typename Table::mapped_type, Block>)
        return address + bytes <= block->first + block->second.bytes;
    else
        return address + bytes <= block->first + block->second;
}

// Memory that some context knows; all are of one address space.
bool is_known(uintptr_t address, size_t bytes) {
    const World &w = world();
    for (const auto *list : {&w.primary, &w.others})
        for (const Context *context : *list)
            if (holds(context->memory, address, bytes) || holds(context->host_memory, address, bytes) ||
                holds(context->registered, address, bytes))
                return true;
    return false;
}

// submit(stream) once the arguments are found right.
template <typename Submit>
CUresult operate(CUstream handle, CUdeviceptr address, uint8_t bytes, bool flags_known, Submit &&submit) {
    Stream *stream = nullptr;
    if (const CUresult result = find_stream(handle, &stream); result != CUDA_SUCCESS) return result;
    if (bytes == 8 && !world().wide_values) return CUDA_ERROR_NOT_SUPPORTED;
    if (!flags_known || address % bytes != 0 || !is_known(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return to_result(submit(*stream), *stream->context);
}

// The second version of these calls, which this is, refuses CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER.
CUresult write(CUstream handle, CUdeviceptr address, uint64_t value, uint8_t bytes, unsigned flags) {
    return operate(handle, address, bytes, flags == CU_STREAM_WRITE_VALUE_DEFAULT, [&](const Stream &stream) {
        return world().engine->write_value(*stream.native, {reinterpret_cast<void *>(address), value, bytes});
    });
}

// As on a device: what is at the head of a queue holds up all of its streams. The caller has checked the stream.
std::vector<engine::Stream *> sharing_queue(const Stream &stream) {
    std::vector<engine::Stream *> found;
    const uint64_t queues = world().queues;
    if (queues == 0) return found;
    for (const Stream *other : stream.context->streams)
        if (other != &stream && other->id % queues == stream.id % queues) found.push_back(other->native);
    return found;
}

// CU_STREAM_WAIT_VALUE_FLUSH needs an attribute that simulated devices do not have.
CUresult wait(CUstream handle, CUdeviceptr address, uint64_t value, uint8_t bytes, unsigned flags) {
    return operate(handle, address, bytes, flags <= kConditions, [&](const Stream &stream) {
        const auto test = static_cast<engine::WordTest>(flags);
        const engine::WordWait wait{reinterpret_cast<const void *>(address), value, test, bytes};
        const engine::Result result = world().engine->wait_value(*stream.native, wait);
        if (result == engine::Result::Ok)
            for (engine::Stream *other : sharing_queue(stream)) (void)world().engine->wait_value(*other, wait);
        return result;
    });
}

CUresult operate(CUstream handle, const CUstreamBatchMemOpParams &op) {
    switch (op.operation) {
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return write(handle, op.writeValue.address, op.writeValue.value, 4, op.writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return write(handle, op.writeValue.address, op.writeValue.value64, 8, op.writeValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return wait(handle, op.waitValue.address, op.waitValue.value, 4, op.waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return wait(handle, op.waitValue.address, op.waitValue.value64, 8, op.waitValue.flags);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

} // namespace

static_assert(static_cast<unsigned>(engine::WordTest::Nor) == CU_STREAM_WAIT_VALUE_NOR &&
              static_cast<unsigned>(engine::WordTest::And) == CU_STREAM_WAIT_VALUE_AND &&
              static_cast<unsigned>(engine::WordTest::Eq) == CU_STREAM_WAIT_VALUE_EQ &&
              static_cast<unsigned>(engine::WordTest::Geq) == CU_STREAM_WAIT_VALUE_GEQ);

CUresult api_StreamWriteValue32(CUstream handle, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    return call(Fn::StreamWriteValue32, [&](Lock &) { return write(handle, address, value, 4, flags); });
}

CUresult api_StreamWriteValue64(CUstream handle, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    return call(Fn::StreamWriteValue64, [&](Lock &) { return write(handle, address, value, 8, flags); });
}

CUresult api_StreamWaitValue32(CUstream handle, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    return call(Fn::StreamWaitValue32, [&](Lock &) { return wait(handle, address, value, 4, flags); });
}

CUresult api_StreamWaitValue64(CUstream handle, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    return call(Fn::StreamWaitValue64, [&](Lock &) { return wait(handle, address, value, 8, flags); });
}

CUresult api_StreamBatchMemOp(CUstream handle, unsigned count, CUstreamBatchMemOpParams *ops, unsigned flags) {
    return call(Fn::StreamBatchMemOp, [&](Lock &) {
        if (!ops || count == 0 || count > 255 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
        CUresult result = CUDA_SUCCESS;
        for (unsigned i = 0; i < count && result == CUDA_SUCCESS; ++i) result = operate(handle, ops[i]);
        return result;
    });
}

CUresult api_MemHostRegister(void *pointer, size_t bytes, unsigned) {
    return call(Fn::MemHostRegister, [&](Lock &) {
        Context *context = nullptr;
        if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
        if (const CUresult result = check_unsafe(); result != CUDA_SUCCESS) return result;
        if (!pointer || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
        const auto address = reinterpret_cast<uintptr_t>(pointer);
        if (context->registered.count(address) != 0) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
        context->registered[address] = bytes;
        return CUDA_SUCCESS;
    });
}

CUresult api_MemHostUnregister(void *pointer) {
    return call(Fn::MemHostUnregister, [&](Lock &) {
        Context *context = nullptr;
        if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
        if (context->registered.erase(reinterpret_cast<uintptr_t>(pointer)) == 0)
            return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
        return CUDA_SUCCESS;
    });
}
