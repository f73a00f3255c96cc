// SPDX-License-Identifier: Apache-2.0
#include "fake_cuda/kernels.hpp"

#include <cstring>

namespace fake {
namespace {

std::map<std::string, KernelImplementation> &registry() {
    static auto *const kernels = new std::map<std::string, KernelImplementation>{{"gs_sleep", {{8}, nullptr}}};
    return *kernels;
}

// The arguments are copied when the kernel is launched, as the driver does.
struct Launch {
    KernelBody body;
    fake_cuda_launch_t configuration;
    std::vector<std::vector<unsigned char>> values;
};

void run(void *opaque) {
    auto &launch = *static_cast<Launch *>(opaque);
    std::vector<void *> arguments;
    for (auto &value : launch.values) arguments.push_back(value.data());
    launch.body(&launch.configuration, arguments.data());
}

void drop(void *opaque) { delete static_cast<Launch *>(opaque); }

} // namespace

void register_kernel(const char *name, const size_t *bytes, size_t count, KernelBody body) {
    registry()[name] = {std::vector<size_t>(bytes, bytes + count), body};
}

const KernelImplementation *find_kernel(const std::string &name) {
    const auto found = registry().find(name);
    return found == registry().end() ? nullptr : &found->second;
}

engine::Result launch_kernel(engine::Stream &stream, const KernelImplementation &kernel,
                             const fake_cuda_launch_t &launch, void **arguments) {
    engine::Engine &engine = *world().engine;
    if (!kernel.body) {
        uint64_t cycles = 0;
        std::memcpy(&cycles, arguments[0], sizeof cycles);
        return engine.sleep(stream, cycles);
    }
    auto copy = std::make_unique<Launch>();
    copy->body = kernel.body;
    copy->configuration = launch;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        const auto *bytes = static_cast<const unsigned char *>(arguments[i]);
        copy->values.emplace_back(bytes, bytes + kernel.parameters[i]);
    }
    const engine::Result result = engine.launch(stream, {run, drop, copy.get()});
    if (result == engine::Result::Ok) (void)copy.release();
    return result;
}

} // namespace fake
