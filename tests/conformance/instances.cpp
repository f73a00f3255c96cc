// SPDX-License-Identifier: Apache-2.0
#include "conformance/conformance.hpp"

namespace gs::test {

GS_INSTANTIATE_BACKENDS(Conformance);
GS_INSTANTIATE_BACKENDS(ConformanceProcess);

} // namespace gs::test
