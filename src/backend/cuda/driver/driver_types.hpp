// SPDX-License-Identifier: Apache-2.0
// The types of the driver's functions.
#pragma once

#include <cudaTypedefs.h>

// As in cudaProfilerTypedefs.h. That header cannot be included with the wheels of headers, which lack cudaProfiler.h.
typedef CUresult(CUDAAPI *PFN_cuProfilerStart_v4000)(void);
typedef CUresult(CUDAAPI *PFN_cuProfilerStop_v4000)(void);
