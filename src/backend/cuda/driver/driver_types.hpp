// SPDX-License-Identifier: Apache-2.0
// The types of the driver's functions.
#pragma once

#include <cudaTypedefs.h>

// As cudaProfilerTypedefs.h has them, which the wheels of headers cannot include: cudaProfiler.h is not in them.
typedef CUresult(CUDAAPI *PFN_cuProfilerStart_v4000)(void);
typedef CUresult(CUDAAPI *PFN_cuProfilerStop_v4000)(void);
