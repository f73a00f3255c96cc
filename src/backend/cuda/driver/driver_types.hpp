// SPDX-License-Identifier: Apache-2.0
// The types of the driver's functions.
#pragma once

#include <cudaTypedefs.h>

// As in cudaProfilerTypedefs.h. That header cannot be included with the wheels of headers, which lack cudaProfiler.h.
typedef CUresult(CUDAAPI *PFN_cuProfilerStart_v4000)(void);
typedef CUresult(CUDAAPI *PFN_cuProfilerStop_v4000)(void);

// The headers of 12.8 lack these; the names and the layout are those of 13.1.
#if CUDA_VERSION < 13010
typedef struct {
    unsigned int smCount, coscheduledSmCount, preferredCoscheduledSmCount, flags, reserved[12];
} CU_DEV_SM_RESOURCE_GROUP_PARAMS;
typedef CUresult(CUDAAPI *PFN_cuDevSmResourceSplit_v13010)(CUdevResource *, unsigned int, const CUdevResource *,
                                                           CUdevResource *, unsigned int,
                                                           CU_DEV_SM_RESOURCE_GROUP_PARAMS *);
#endif
