// SPDX-License-Identifier: Apache-2.0
// The extension of the guide, which test_guide_interop.py puts where it says so, beside a stand-in for PyTorch.
// SNIPPETS

namespace {
int released = 0;
uintptr_t theirs = 0;
} // namespace

extern "C" int32_t aoti_torch_get_current_cuda_stream(int32_t, void **ret_stream) {
    *ret_stream = reinterpret_cast<void *>(theirs);
    return 0;
}

extern "C" int guide_extension() {
    gs_stream_t torch = nullptr;
    Side side;
    uintptr_t used = 0;
    if (gs_stream_create(0, 0, 0, &torch) != GS_OK || gs_stream_native(torch, &theirs) != GS_OK || !side.open(0))
        return 1;
    const auto launch = [&](uintptr_t raw) { return (used = raw) != 0; };
    const auto release = [](void *, gs_status_t) { __atomic_fetch_add(&released, 1, __ATOMIC_SEQ_CST); };
    if (!side.beside_torch(0, launch, release, nullptr)) return 2;
    if (gs_stream_synchronize(torch) != GS_OK || gs_stream_synchronize(side.stream) != GS_OK) return 3;
    if (!side.beside_torch(0, launch, nullptr, nullptr) || gs_stream_synchronize(torch) != GS_OK) return 4;
    uintptr_t own = 0;
    if (gs_stream_native(side.stream, &own) != GS_OK || own != used) return 5;
    side.close();
    gs_stream_destroy(torch);
    while (__atomic_load_n(&released, __ATOMIC_SEQ_CST) == 0) {}
    return 0;
}
