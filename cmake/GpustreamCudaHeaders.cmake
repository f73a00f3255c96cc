# SPDX-License-Identifier: Apache-2.0
# Decides GPUSTREAM_WITH_CUDA and GPUSTREAM_CUDA_HEADERS. Only the headers are needed: the driver is opened at run time.
# GPUSTREAM_OTHER_CUDA_HEADERS: further folders found, for the test that the backend compiles against them as well.

set(GPUSTREAM_WITH_CUDA OFF)
set(GPUSTREAM_CUDA_HEADERS "")

# The header wheel that pip takes for the Python package (bindings/python/pyproject.toml). It is a zip archive of a megabyte, so
# this needs neither pip nor the toolkit, and its headers are the same for all processors.
set(GPUSTREAM_CUDA_HEADERS_URL
    https://files.pythonhosted.org/packages/0d/9b/a997b638fcd068ad6e4d53b8551a7d30fe8b404d6f1804abf1df69838932/nvidia_cuda_runtime_cu12-12.8.90-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl\#sha256=adade8dcbd0edf427b7204d480d6066d33902cab2a4707dcfc48a2d0fd44ab90
    CACHE STRING "Archive with CUDA's headers, fetched where there are none; its checksum stands behind #sha256="
)
mark_as_advanced(GPUSTREAM_CUDA_HEADERS_URL)
set(gpustream_cuda_advice
    "Install the CUDA Toolkit, set GPUSTREAM_CUDA_INCLUDE_DIR to a folder with both, or build for the host backend alone by -DGPUSTREAM_CUDA=OFF."
)

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

# Once for each build folder.
function(gpustream_fetch_cuda_headers out)
  set(place ${PROJECT_BINARY_DIR}/cuda-headers)
  set(headers ${place}/nvidia/cuda_runtime/include)
  if(NOT EXISTS ${headers}/cudaTypedefs.h)
    string(REGEX REPLACE "#sha256=.*" "" url "${GPUSTREAM_CUDA_HEADERS_URL}")
    string(REGEX REPLACE ".*#sha256=" "" wanted "${GPUSTREAM_CUDA_HEADERS_URL}")
    message(STATUS "gpustream: fetching CUDA's headers, ${url}")
    file(DOWNLOAD ${url} ${place}/headers.zip STATUS status INACTIVITY_TIMEOUT 30)
    list(POP_FRONT status failed reason)
    if(NOT failed)
      file(SHA256 ${place}/headers.zip sum)
      if(NOT sum STREQUAL wanted)
        set(failed 1)
        set(reason "its SHA-256 is ${sum}")
      endif()
    endif()
    if(failed)
      message(FATAL_ERROR "No folder with both cuda.h and cudaTypedefs.h was found, and ${url} was not fetched: ${reason}. ${gpustream_cuda_advice}")
    endif()
    file(ARCHIVE_EXTRACT INPUT ${place}/headers.zip DESTINATION ${place} PATTERNS "nvidia/cuda_runtime/include/*")
  endif()
  set(${out} ${headers} PARENT_SCOPE)
endfunction()

if(NOT GPUSTREAM_CUDA MATCHES "^(ON|OFF)$")
  message(FATAL_ERROR "GPUSTREAM_CUDA=${GPUSTREAM_CUDA}: must be ON or OFF")
endif()
if(GPUSTREAM_CUDA)
  gpustream_find_cuda_headers(GPUSTREAM_OTHER_CUDA_HEADERS)
  list(POP_FRONT GPUSTREAM_OTHER_CUDA_HEADERS GPUSTREAM_CUDA_HEADERS)
  if(NOT GPUSTREAM_CUDA_HEADERS AND GPUSTREAM_CUDA_INCLUDE_DIR)
    message(FATAL_ERROR "GPUSTREAM_CUDA_INCLUDE_DIR=${GPUSTREAM_CUDA_INCLUDE_DIR} does not have both cuda.h and cudaTypedefs.h. ${gpustream_cuda_advice}")
  elseif(NOT GPUSTREAM_CUDA_HEADERS)
    gpustream_fetch_cuda_headers(GPUSTREAM_CUDA_HEADERS)
  endif()
  set(GPUSTREAM_WITH_CUDA ON)
  file(STRINGS ${GPUSTREAM_CUDA_HEADERS}/cuda.h cuda_version REGEX "^#define CUDA_VERSION +[0-9]+")
  string(REGEX REPLACE "[^0-9]" "" cuda_version "${cuda_version}")
  message(STATUS "gpustream: CUDA backend on, headers ${cuda_version} in ${GPUSTREAM_CUDA_HEADERS}")
endif()
