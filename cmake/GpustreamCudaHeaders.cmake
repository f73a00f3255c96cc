# SPDX-License-Identifier: Apache-2.0
# Decides GPUSTREAM_WITH_CUDA and GPUSTREAM_CUDA_HEADERS. Only the headers are needed: the driver is opened at run time.
# GPUSTREAM_OTHER_CUDA_HEADERS: further folders found, for the test that the backend compiles against them as well.

set(GPUSTREAM_WITH_CUDA OFF)
set(GPUSTREAM_CUDA_HEADERS "")

# All folders that have both files (some distributions of the headers carry cuda.h alone), the best first.
function(gpustream_find_cuda_headers out)
  set(candidates "")
  if(GPUSTREAM_CUDA_INCLUDE_DIR)
    list(APPEND candidates ${GPUSTREAM_CUDA_INCLUDE_DIR})
  else()
    find_package(CUDAToolkit QUIET)
    if(CUDAToolkit_FOUND)
      list(APPEND candidates ${CUDAToolkit_INCLUDE_DIRS})
    endif()
    # Where scripts/bootstrap puts the header wheels: nvidia/cuda_runtime (12.x) comes before nvidia/cu13.
    file(GLOB wheels ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/*/include)
    list(SORT wheels COMPARE NATURAL ORDER DESCENDING)
    list(APPEND candidates ${wheels})
  endif()
  set(folders "")
  foreach(folder IN LISTS candidates)
    if(EXISTS ${folder}/cuda.h AND EXISTS ${folder}/cudaTypedefs.h)
      list(APPEND folders ${folder})
    endif()
  endforeach()
  set(${out} ${folders} PARENT_SCOPE)
endfunction()

if(NOT GPUSTREAM_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "GPUSTREAM_CUDA=${GPUSTREAM_CUDA}: must be AUTO, ON or OFF")
endif()
file(GLOB cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/backend/cuda/*.cpp)
if(GPUSTREAM_CUDA STREQUAL "ON" AND NOT cuda_sources)
  message(FATAL_ERROR "GPUSTREAM_CUDA=ON, but this tree has no src/backend/cuda/*.cpp")
endif()
if(cuda_sources AND NOT GPUSTREAM_CUDA STREQUAL "OFF")
  gpustream_find_cuda_headers(GPUSTREAM_OTHER_CUDA_HEADERS)
  list(POP_FRONT GPUSTREAM_OTHER_CUDA_HEADERS GPUSTREAM_CUDA_HEADERS)
  set(advice "Run scripts/bootstrap, install the CUDA Toolkit or set GPUSTREAM_CUDA_INCLUDE_DIR.")
  if(GPUSTREAM_CUDA_HEADERS)
    set(GPUSTREAM_WITH_CUDA ON)
    file(STRINGS ${GPUSTREAM_CUDA_HEADERS}/cuda.h cuda_version REGEX "^#define CUDA_VERSION +[0-9]+")
    string(REGEX REPLACE "[^0-9]" "" cuda_version "${cuda_version}")
    message(STATUS "gpustream: CUDA backend on, headers ${cuda_version} in ${GPUSTREAM_CUDA_HEADERS}")
  elseif(GPUSTREAM_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GPUSTREAM_CUDA=ON, but no folder with both cuda.h and cudaTypedefs.h was found. ${advice}")
  else()
    message(
      WARNING
        "The CUDA backend is OFF: no folder with both cuda.h and cudaTypedefs.h was found. The library will only know "
        "the host backend. ${advice} GPUSTREAM_CUDA=OFF silences this warning."
    )
  endif()
endif()
