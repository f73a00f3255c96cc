// SPDX-License-Identifier: Apache-2.0
// The bridges "torch", "tvm_ffi" and "executorch" with stand-ins for their libraries, loaded as Python loads extensions: RTLD_LOCAL.
#include <dlfcn.h>

#include <optional>
#include <string>
#include <thread>

#include "conformance/conformance.hpp"
#include "support/foreign_stream.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

class Loaded {
public:
    explicit Loaded(const char *path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        EXPECT_NE(library_, nullptr) << dlerror();
    }
    template <typename Function>
    Function symbol(const char *name) const {
        return reinterpret_cast<Function>(dlsym(library_, name));
    }

private:
    void *library_;
};

struct FakeTorch : Loaded {
    explicit FakeTorch(const char *path = GS_TEST_FAKE_TORCH) : Loaded(path) {}
    void (*fail)(int32_t) = symbol<void (*)(int32_t)>("fake_torch_fail");
    void (*use)(int32_t, void *) = symbol<void (*)(int32_t, void *)>("fake_torch_use");
    void *(*stream)(int32_t) = symbol<void *(*)(int32_t)>("fake_torch_stream");
};

void *raw(gs_stream_t stream) { return reinterpret_cast<void *>(native_of(stream)); }

int32_t find(const char *name) {
    int32_t id = 0;
    EXPECT_OK(gs_bridge_find(name, &id));
    return id;
}

void expect_unavailable(const char *name, int32_t reason, const char *text) {
    int32_t id = 7;
    EXPECT_FAILS(GS_ERROR_UNAVAILABLE, gs_bridge_find, text, name, &id);
    EXPECT_EQ(last_error().reason, reason);
    EXPECT_EQ(id, 0);
}

} // namespace

TEST_P(CudaConformanceProcess, Bridges_TorchIsFoundOnceItIsLoaded) {
    OWN_PROCESS();
    expect_unavailable("torch", GS_REASON_NO_LIBRARY, "not loaded");
    EXPECT_EQ(dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD), nullptr) << "loaded by the search";
    const Loaded cpu(GS_TEST_FAKE_TORCH_FOR_CPU);
    expect_unavailable("torch", GS_REASON_NO_LIBRARY, "without CUDA");
    const FakeTorch torch;
    const int32_t id = find("torch");
    EXPECT_EQ(find("torch"), id);
    EXPECT_OK(gs_bridge_unregister(id));
    EXPECT_GT(find("torch"), id);
}

TEST_P(CudaConformanceProcess, Bridges_TorchIsLedAndFollowed) {
    OWN_PROCESS();
    const FakeTorch torch;
    Stream a = make_stream(0), b = make_stream(0);
    ForeignStream theirs(GS_BACKEND_CUDA, 0);
    ASSERT_OK(gs_bridge_lead(find("torch"), 1));
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(torch.stream(0), raw(a));
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(b, &scope));
    EXPECT_EQ(torch.stream(0), raw(b));
    std::thread([&] {
        EXPECT_EQ(torch.stream(0), nullptr);
        EXPECT_OK(gs_set_current_stream(a));
        EXPECT_EQ(torch.stream(0), raw(a));
    }).join();
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(torch.stream(0), raw(a));
    torch.fail(3);
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_set_current_stream, "'torch'", b);
    EXPECT_EQ(last_error().native_code, 3);
    EXPECT_EQ(current_stream(0), a.get());
    torch.fail(0);
    ASSERT_OK(gs_bridge_lead(find("torch"), 0));
    ASSERT_OK(gs_bridge_follow(find("torch")));
    torch.use(0, reinterpret_cast<void *>(theirs.native()));
    EXPECT_EQ(native_of(current_stream(0)), theirs.native());
    void *work = nullptr;
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &work), 0);
    EXPECT_EQ(work, reinterpret_cast<void *>(theirs.native()));
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    EXPECT_EQ(torch.stream(0), nullptr);
}

TEST_P(CudaConformanceProcess, Bridges_AnOldTorchCanBeFollowedOnly) {
    OWN_PROCESS();
    const FakeTorch torch(GS_TEST_FAKE_TORCH_BEFORE_2_10);
    Stream a = make_stream(0);
    const int32_t id = find("torch");
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_bridge_lead, "'torch'", id, 1);
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(torch.stream(0), nullptr) << "a refused lead changes nothing";
    ASSERT_OK(gs_bridge_follow(id));
    EXPECT_EQ(current_stream(0), default_stream(0));
    torch.use(0, raw(a));
    EXPECT_EQ(current_stream(0), a.get());
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_set_current_stream, "'torch'", default_stream(0));
    ASSERT_OK(gs_bridge_follow(0));
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
}

TEST_P(CudaConformanceProcess, Bridges_TooOldLibraries) {
    OWN_PROCESS();
    const Loaded torch(GS_TEST_FAKE_TORCH_ANCIENT), tvm(GS_TEST_FAKE_TVM_FFI_OLD),
        executorch(GS_TEST_FAKE_EXECUTORCH_OLD);
    expect_unavailable("torch", GS_REASON_TOO_OLD, "aoti_torch_get_current_cuda_stream");
    expect_unavailable("tvm_ffi", GS_REASON_TOO_OLD, "TVMFFIEnvGetStream");
    expect_unavailable("executorch", GS_REASON_TOO_OLD, "CallerStreamGuard");
}

TEST_P(ConformanceProcess, Bridges_TvmFfiIsLedAndFollowed) {
    OWN_PROCESS();
    expect_unavailable("tvm_ffi", GS_REASON_NO_LIBRARY, "libtvm_ffi.so");
    const Loaded tvm(GS_TEST_FAKE_TVM_FFI);
    const auto get = tvm.symbol<void *(*)(int32_t, int32_t)>("TVMFFIEnvGetStream");
    const auto set = tvm.symbol<int (*)(int32_t, int32_t, void *, void **)>("TVMFFIEnvSetStream");
    const int32_t type = on_cuda() ? 2 : 1;
    Stream a = make_stream(0), b = make_stream(0);
    const int32_t id = find("tvm_ffi");
    ASSERT_OK(gs_bridge_lead(id, 1));
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(a, &scope));
    EXPECT_EQ(get(type, 0), raw(a));
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(get(type, 0), nullptr);
    ASSERT_OK(gs_bridge_follow(id));
    EXPECT_EQ(set(type, 0, raw(b), nullptr), 0);
    EXPECT_EQ(current_stream(0), b.get());
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    EXPECT_EQ(get(type, 0), nullptr);
}

TEST_P(CudaConformanceProcess, Bridges_ExecuTorchIsLedAndFollowed) {
    OWN_PROCESS();
    expect_unavailable("executorch", GS_REASON_NO_LIBRARY, "libexecutorch_extension_cuda.so");
    const Loaded executorch(GS_TEST_FAKE_EXECUTORCH);
    const auto chosen =
        executorch.symbol<std::optional<void *> (*)()>("_ZN10executorch9extension4cuda15getCallerStreamEv");
    const auto choose = executorch.symbol<void (*)(void *)>("fake_executorch_choose");
    Stream a = make_stream(0), b = make_stream(0);
    const int32_t id = find("executorch");
    ASSERT_OK(gs_bridge_lead(id, 1));
    EXPECT_EQ(chosen(), std::nullopt);
    uint64_t outer = 0, inner = 0;
    ASSERT_OK(gs_push_current_stream(a, &outer));
    EXPECT_EQ(chosen(), raw(a));
    ASSERT_OK(gs_push_current_stream(b, &inner));
    EXPECT_EQ(chosen(), raw(b));
    std::thread([&] { EXPECT_EQ(chosen(), std::nullopt); }).join();
    EXPECT_OK(gs_pop_current_stream(inner));
    EXPECT_EQ(chosen(), raw(a));
    EXPECT_OK(gs_pop_current_stream(outer));
    EXPECT_EQ(chosen(), std::nullopt) << "as before the scope, not the default stream";
    ASSERT_OK(gs_bridge_lead(id, 0));
    ASSERT_OK(gs_bridge_follow(id));
    EXPECT_EQ(native_of(current_stream(0)), 2u) << "the thread's own default stream";
    choose(raw(b));
    EXPECT_EQ(current_stream(0), b.get());
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    EXPECT_EQ(chosen(), std::optional<void *>(nullptr));
}

} // namespace gs::test
