// SPDX-License-Identifier: Apache-2.0
// One wrapper for each line of driver_calls.inc, made by one template from the type of the function.
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>

#include "front/call.hpp"

// Forms that old headers, or new ones, no longer have a type for; to say a type twice is allowed.
typedef CUresult(CUDAAPI *PFN_cuStreamDestroy_v2000)(CUstream);
typedef CUresult(CUDAAPI *PFN_cuEventDestroy_v2000)(CUevent);
typedef CUresult(CUDAAPI *PFN_cuStreamBeginCapture_v10000)(CUstream);
typedef CUresult(CUDAAPI *PFN_cuCtxSynchronize_v13000)(CUcontext);
typedef CUresult(CUDAAPI *PFN_cuMemcpyBatchAsync_v13000)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t,
                                                         CUmemcpyAttributes *, size_t *, size_t, CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemcpy3DBatchAsync_v13000)(size_t, CUDA_MEMCPY3D_BATCH_OP *, unsigned long long,
                                                           CUstream);

namespace gs::front {
namespace {

constexpr int NO = -1;
constexpr int OF_2 = 0x100, OF_4 = 0x200;

template <typename Argument>
uint64_t word(Argument argument) noexcept {
    if constexpr (std::is_same_v<Argument, const CUlaunchConfig *>)
        return argument ? reinterpret_cast<uintptr_t>(argument->hStream) : 0; // the driver refuses a null pointer
    else if constexpr (std::is_pointer_v<Argument>)
        return reinterpret_cast<uintptr_t>(argument);
    else
        return static_cast<uint64_t>(argument);
}

template <int Place, typename Arguments>
uint64_t word_at(const Arguments &arguments) noexcept {
    if constexpr (Place == NO)
        return 0;
    else
        return word(std::get<static_cast<size_t>(Place & 0xFF)>(arguments)) << (Place >> 8);
}

// By the type of the function, so that no line of the table can say another form.
template <typename Function>
inline constexpr CopyForm kForm = CopyForm::Flat;
template <typename Value, typename... Rest>
inline constexpr CopyForm kForm<CUresult (*)(CUdeviceptr, size_t, Value, size_t, size_t, Rest...)> =
    CopyForm::FilledRows;
template <typename... Rest>
inline constexpr CopyForm kForm<CUresult (*)(const CUDA_MEMCPY2D *, Rest...)> = CopyForm::Rows;
template <typename... Rest>
inline constexpr CopyForm kForm<CUresult (*)(const CUDA_MEMCPY3D *, Rest...)> = CopyForm::Layers;
template <typename... Rest>
inline constexpr CopyForm kForm<CUresult (*)(const CUDA_MEMCPY3D_PEER *, Rest...)> = CopyForm::OfPeers;
template <typename... Rest>
inline constexpr CopyForm kForm<CUresult (*)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, Rest...)> =
    CopyForm::Batch;
template <typename... Rest>
inline constexpr CopyForm kForm<CUresult (*)(size_t, CUDA_MEMCPY3D_BATCH_OP *, Rest...)> = CopyForm::BatchOfLayers;

template <size_t Row, int Stream, int Object, int Other, int Bytes, typename Function>
struct Wrapper;
template <size_t Row, int Stream, int Object, int Other, int Bytes, typename... Arguments>
struct Wrapper<Row, Stream, Object, Other, Bytes, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) noexcept {
        const std::tuple<Arguments...> all{arguments...};
        Call call{&kCallRows[Row], __builtin_return_address(0)};
        call.stream = word_at<Stream>(all);
        call.object = word_at<Object>(all);
        call.other = word_at<Other>(all);
        call.bytes = word_at<Bytes>(all);
        constexpr CopyForm form = kForm<CUresult (*)(Arguments...)>;
        if constexpr (form == CopyForm::Flat) {
            return finish(call, arguments...);
        } else {
            const uint64_t words[] = {word(arguments)...};
            call.arguments = words;
            if constexpr (form == CopyForm::FilledRows) call.bytes *= words[4];
            return finish(call, arguments...);
        }
    }

private:
    static CUresult finish(Call &call, Arguments... arguments) noexcept {
        before_call(call);
        call.result = reinterpret_cast<CUresult (*)(Arguments...)>(g_real_calls[Row])(arguments...);
        after_call(call);
        return call.result;
    }
};

enum RowNumber : size_t {
#define ONE(name, suffix, version, kind, stream, object, other, bytes) kRow_##name##suffix##_##version,
#define BOTH(name, suffix, version, twin, kind, stream, object, other, bytes)                                          \
    kRow_##name##suffix##_##version, kRow_##name##suffix##_##version##_##twin,
#include "front/driver_calls.inc"
#undef ONE
#undef BOTH
    kRowCount
};

} // namespace

// Names are pasted and quoted at once, not passed on: cuda.h has macros of the same names.
#define ROW(symbol, name, version, twin, kind, number, type, stream, object, other, bytes)                             \
    {symbol,           name,                                                                                           \
     version,          twin,                                                                                           \
     DriverCall::kind, stream != NO,                                                                                   \
     kForm<type>,      reinterpret_cast<void *>(&Wrapper<number, stream, object, other, bytes, type>::call)},
#define ONE(name, suffix, version, kind, stream, object, other, bytes)                                                 \
    ROW(#name #suffix, #name, version, false, kind, kRow_##name##suffix##_##version, PFN_##name##_v##version, stream,  \
        object, other, bytes)
// The first drivers with per-thread streams are those of CUDA 7.0.
#define BOTH(name, suffix, version, twin, kind, stream, object, other, bytes)                                          \
    ROW(#name #suffix, #name, version, false, kind, kRow_##name##suffix##_##version, PFN_##name##_v##version, stream,  \
        object, other, bytes)                                                                                          \
    ROW(#name #suffix "_" #twin, #name, (version < 7000 ? 7000 : version), true, kind,                                 \
        kRow_##name##suffix##_##version##_##twin, PFN_##name##_v##version, stream, object, other, bytes)
// clang-format off
const CallRow kCallRows[] = {
#include "front/driver_calls.inc"
};
// clang-format on
#undef ONE
#undef BOTH
const size_t kCallRowCount = std::size(kCallRows);
void *g_real_calls[kRowCount];

} // namespace gs::front
