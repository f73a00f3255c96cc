// SPDX-License-Identifier: Apache-2.0
// Programs on the host engine: works are host functions, gates hold streams inside the engine.
#pragma once

#include "oracle/ground.hpp"
#include "oracle/worker.hpp"

namespace gs::oracle {

class HostSite : public Site {
public:
    Engine &engine() override { return worker_; }
    std::unique_ptr<Ground> ground(const Program &program) override;
    uint64_t batch() const override { return 256; } // they share the waiting
    bool has_two_devices() const override { return true; }

private:
    Worker worker_;
};

} // namespace gs::oracle
