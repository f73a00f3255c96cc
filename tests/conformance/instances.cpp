// SPDX-License-Identifier: Apache-2.0
#include "conformance/conformance.hpp"

namespace gs::test {

GS_INSTANTIATE_BACKENDS(Conformance);
GS_INSTANTIATE_BACKENDS(ConformanceProcess);
INSTANTIATE_TEST_SUITE_P(, HostConformance, ::testing::Values(GS_BACKEND_HOST), backend_param_name);
INSTANTIATE_TEST_SUITE_P(, HostConformanceProcess, ::testing::Values(GS_BACKEND_HOST), backend_param_name);
#if GPUSTREAM_WITH_CUDA
INSTANTIATE_TEST_SUITE_P(, CudaConformanceProcess, ::testing::Values(GS_BACKEND_CUDA), backend_param_name);
#endif

} // namespace gs::test
