// SPDX-License-Identifier: Apache-2.0
// The extension of the guide, which test_guide_interop.py puts where it says so, and the calls of gpustream_torch_stable.h that
// it leaves out. It is not linked with gpustream; a stand-in for libtorch_cuda.so says which stream is current.
// SNIPPETS
#include <atomic>

// The text of what is thrown; empty if nothing is.
extern "C" const char *failure_of_current_stream(int32_t device) {
    static std::string text;
    try {
        text = gt::current_stream(device).raw() ? "" : "the default stream";
    } catch (const gt::error &error) {
        text = error.what();
    }
    return text.c_str();
}

// What did not hold; 0 if all did. theirs: the stream that the stand-in returns, which is of device 0.
extern "C" int guide_extension(void *theirs) {
    static std::atomic<int> released{0}, called{0};
    struct Count {
        ~Count() { ++released; }
    };
    const gt::stream torch = gt::current_stream(0);
    if (torch.raw() != theirs || gt::current_stream().get() != torch.get()) return 1;

    void *used = nullptr;
    gt::event go, done;
    beside_torch(0, [&](void *raw) { used = raw; }, std::make_shared<Count>());
    if (!used || used == theirs) return 2;
    done.record(torch);
    done.synchronize();
    while (released == 0) {}

    // Moved objects leave nothing behind, and are what was moved.
    gt::stream first(0, -1), second(std::move(first));
    gt::event moved(std::move(go));
    if (first.get() || go.get() || !second.get() || !moved.done()) return 3;
    first = std::move(second);
    moved.record(first);
    gt::wait(torch, moved);
    gt::when_done(torch, [](gs_status_t status) { called = status == GS_OK ? 1 : 2; });
    while (called == 0) {}
    if (called != 1 || !moved.done() || !torch.done() || !first.done()) return 4;

    // A call that fails throws, and what it was to keep is released.
    const int before = released;
    try {
        gt::free_after(second, [held = std::make_shared<Count>()] {});
        return 5;
    } catch (const gt::error &error) {
        if (error.status() != GS_ERROR_INVALID_HANDLE ||
            std::string(error.what()).find("GS_ERROR_INVALID_HANDLE: ") != 0 || released != before + 1)
            return 6;
    }
    return 0;
}
