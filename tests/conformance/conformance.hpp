// SPDX-License-Identifier: Apache-2.0
// The conformance suite: the behaviour that all backends must share. Names CaseNN_ number the cases of driver
// semantics; bracketed ids in traces are rows of the feature list.
#pragma once

#include "support/backend_param.hpp"
#include "support/gate.hpp"
#include "support/stats_delta.hpp"

// The rows of the feature list that a section of a test shows.
#define ROWS(ids) SCOPED_TRACE("[" ids "]")

namespace gs::test {

class Conformance : public BackendTest {};

// Tests that need a fresh process or break theirs; each runs itself in a child.
class ConformanceProcess : public BackendTest {};

// Cases that only the host backend can show: its hooks begin captures and break devices. For CUDA,
// CudaConformanceProcess and the fault tests on the fake driver do the same through the driver.
class HostConformance : public BackendTest {};
class HostConformanceProcess : public BackendTest {};

// Cases that need the driver's own functions: captures begun and contexts created by other code.
class CudaConformanceProcess : public BackendTest {};

} // namespace gs::test
