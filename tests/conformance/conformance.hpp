// SPDX-License-Identifier: Apache-2.0
// The one conformance suite: what every backend must do alike. Names CaseNN_ are the numbered cases of the reference on
// driver semantics, bracketed ids in traces the rows of the feature list.
#pragma once

#include "support/backend_param.hpp"
#include "support/gate.hpp"
#include "support/stats_delta.hpp"

// The rows of the feature list that a piece of test shows.
#define ROWS(ids) SCOPED_TRACE("[" ids "]")

namespace gs::test {

class Conformance : public BackendTest {};

// Tests that need a fresh process or break theirs; each runs itself in a child.
class ConformanceProcess : public BackendTest {};

// What only the host backend can show in this version: its hooks begin captures and break devices. For CUDA
// CudaConformanceProcess and the tests of faults on the fake driver do the same with the driver's own means.
class HostConformance : public BackendTest {};
class HostConformanceProcess : public BackendTest {};

// What needs the driver's own functions: captures begun and contexts made by other code.
class CudaConformanceProcess : public BackendTest {};

} // namespace gs::test
