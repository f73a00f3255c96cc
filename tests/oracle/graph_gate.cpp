// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "core/slots.hpp"
#include "oracle/graph_session.hpp"
#include "support/gate.hpp"
#include "support/host_hooks.hpp"

namespace gs::oracle {
namespace {

class HostGate final : public GraphGate {
public:
    gs_status_t hold(gs_stream_t stream) override {
        StreamSlot *slot = stream_slots().find(handle_bits(stream));
        slot->use.store(StreamUse::Some); // the gate bypasses the library, which would consider the stream never used
        return gate_.hold(0, slot->native) ? GS_OK : GS_ERROR_INTERNAL;
    }
    void open() override { gate_.open(); }

private:
    host::testing::Gate gate_{0};
};

class BlockingGate final : public GraphGate {
public:
    gs_status_t hold(gs_stream_t stream) override { return gate_.hold(stream); }
    void open() override { gate_.open(); }

private:
    test::Gate gate_;
};

} // namespace

std::unique_ptr<GraphGate> make_graph_gate() {
    if (const char *gates = std::getenv("GPUSTREAM_ORACLE_GATES"); gates && *gates == '0') return nullptr;
    gs_backend_t backend = GS_BACKEND_HOST;
    (void)gs_default_backend(&backend);
    if (backend == GS_BACKEND_HOST) return std::make_unique<HostGate>();
    return std::make_unique<BlockingGate>();
}

} // namespace gs::oracle
