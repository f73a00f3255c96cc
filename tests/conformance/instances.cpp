// SPDX-License-Identifier: Apache-2.0
#include "conformance/conformance.hpp"

namespace gs::test {

GS_INSTANTIATE_BACKENDS(Conformance);
GS_INSTANTIATE_BACKENDS(ConformanceProcess);
INSTANTIATE_TEST_SUITE_P(, HostConformance, ::testing::Values(GS_BACKEND_HOST), backend_param_name);
INSTANTIATE_TEST_SUITE_P(, HostConformanceProcess, ::testing::Values(GS_BACKEND_HOST), backend_param_name);

} // namespace gs::test
