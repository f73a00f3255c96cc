// SPDX-License-Identifier: Apache-2.0
// The bridges "torch", "tvm_ffi" and "executorch" with stand-ins for their libraries, loaded as Python loads extensions: RTLD_LOCAL.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

namespace {

std::atomic<int> g_calls{0};

int32_t register_counted(gs_backend_t backend) {
    gs_bridge_t bridge{};
    bridge.struct_size = sizeof bridge;
    bridge.name = "counted";
    bridge.backend = backend;
    bridge.get = [](void *, int32_t, uintptr_t *out) {
        ++g_calls;
        *out = 0;
        return 0;
    };
    bridge.set = [](void *, int32_t, uintptr_t) {
        ++g_calls;
        return 0;
    };
    int32_t id = 0;
    EXPECT_OK(gs_bridge_register(&bridge, &id));
    EXPECT_OK(gs_bridge_lead(id, 1));
    EXPECT_OK(gs_bridge_follow(id));
    return id;
}

template <typename Body>
void in_forked_child(Body &&body) {
    const pid_t pid = fork();
    if (pid == 0) _exit(body() ? 0 : 1);
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace

// Such a child may use devices, but bridges do not pass to it.
TEST_P(ConformanceProcess, Init_BridgesDoNotPassToAForkedChild) {
    OWN_PROCESS();
    const int32_t id = register_counted(GetParam());
    in_forked_child([&] {
        int32_t found = 0;
        gs_stream_t stream = nullptr;
        return gs_bridge_lead(id, 1) == GS_ERROR_INVALID_ARGUMENT &&
               gs_bridge_find("counted", &found) == GS_ERROR_INVALID_ARGUMENT &&
               gs_default_stream(GS_DEVICE_CURRENT, &stream) == GS_OK && gs_set_current_stream(stream) == GS_OK &&
               gs_current_stream(GS_DEVICE_CURRENT, &stream) == GS_OK && g_calls == 0;
    });
    EXPECT_OK(gs_bridge_unregister(id)) << "the parent keeps its own";
}

TEST_P(ConformanceProcess, Bridges_AForkedChildCallsNothing) {
    OWN_PROCESS();
    const int32_t id = register_counted(GetParam());
    Stream a = make_stream(0);
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(a, &scope));
    const int before = g_calls;
    EXPECT_GT(before, 0);
    in_forked_child([&] {
        gs_stream_t stream = nullptr;
        void *work = nullptr;
        return gs_current_stream(0, &stream) == GS_ERROR_BAD_FORK && gs_set_current_stream(a) == GS_ERROR_BAD_FORK &&
               gs_pop_current_stream(scope) == GS_ERROR_BAD_FORK && gs_bridge_unregister(id) == GS_ERROR_BAD_FORK &&
               gs_dlpack_current_work_stream(2, 0, &work) == -1 && g_calls == before;
    });
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_GT(g_calls, before) << "the parent goes on";
}

// Leading and following are switched while threads use the current stream. Nothing is lost, and every thread ends.
TEST_P(ConformanceProcess, Bridges_SwitchedWhileInUse) {
    OWN_PROCESS();
    struct Theirs {
        std::atomic<int> entered{0};
        static uintptr_t &mine() {
            static thread_local uintptr_t stream = 0;
            return stream;
        }
    } theirs;
    gs_bridge_t bridge{};
    bridge.struct_size = sizeof bridge;
    bridge.name = "switched";
    bridge.backend = GetParam();
    bridge.get = [](void *arg, int32_t, uintptr_t *out) {
        ++static_cast<Theirs *>(arg)->entered;
        *out = Theirs::mine();
        return 0;
    };
    bridge.set = [](void *arg, int32_t, uintptr_t native) {
        ++static_cast<Theirs *>(arg)->entered;
        Theirs::mine() = native;
        return 0;
    };
    bridge.arg = &theirs;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            Stream a = make_stream(0), b = make_stream(0);
            Event event = make_event();
            while (!stop) {
                uint64_t outer = 0, inner = 0;
                ASSERT_OK(gs_push_current_stream(a, &outer));
                ASSERT_OK(gs_push_current_stream(b, &inner));
                ASSERT_EQ(current_stream(0), b.get());
                ASSERT_OK(gs_event_record(event, GS_STREAM_CURRENT));
                ASSERT_OK(gs_pop_current_stream(inner));
                ASSERT_OK(gs_pop_current_stream(outer));
                ASSERT_OK(gs_set_current_stream(default_stream(0)));
            }
        });
    for (int round = 0; round < 40; ++round) {
        int32_t id = 0;
        ASSERT_OK(gs_bridge_register(&bridge, &id));
        ASSERT_OK(gs_bridge_lead(id, 1));
        const int seen = theirs.entered;
        while (theirs.entered == seen) std::this_thread::yield();
        if (round % 2) ASSERT_OK(gs_bridge_lead(id, 0));
        ASSERT_OK(gs_bridge_unregister(id));
        const int after = theirs.entered;
        std::this_thread::yield();
        ASSERT_EQ(theirs.entered, after) << "a function ran after gs_bridge_unregister";
    }
    stop = true;
    for (std::thread &thread : threads) thread.join();
}

} // namespace gs::test
