# SPDX-License-Identifier: Apache-2.0
# Dependencies of the benchmarks only.

function(gpustream_bench_settings target)
  set_target_properties(
    ${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF C_STANDARD 11 C_EXTENSIONS ON
                         RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
  )
  target_compile_options(${target} PRIVATE -O2 -g)
  gpustream_warnings(${target})
endfunction()

# benchmark::benchmark, from the system, from benchmark_DIR, or from a folder with include/ and lib/ that was carried
# to a machine without packages.
function(gpustream_find_benchmark)
  set(carried ${PROJECT_SOURCE_DIR}/.deps/benchmark)
  if(NOT benchmark_DIR AND EXISTS ${carried}/include/benchmark/benchmark.h)
    file(GLOB library ${carried}/lib/libbenchmark.a ${carried}/lib/libbenchmark.so*)
    if(NOT library)
      message(FATAL_ERROR "${carried} has headers but neither lib/libbenchmark.a nor lib/libbenchmark.so*")
    endif()
    list(GET library 0 library)
    find_package(Threads REQUIRED)
    set(kind SHARED) # so that the executables record where it is
    if(library MATCHES "\\.a$")
      set(kind STATIC)
    endif()
    add_library(benchmark::benchmark ${kind} IMPORTED GLOBAL)
    set_target_properties(
      benchmark::benchmark
      PROPERTIES IMPORTED_LOCATION ${library} INTERFACE_INCLUDE_DIRECTORIES ${carried}/include
                 INTERFACE_LINK_LIBRARIES Threads::Threads
    )
    message(STATUS "gpustream: Google Benchmark carried in ${library}")
    return()
  endif()
  find_package(benchmark QUIET GLOBAL)
endfunction()

# Sets ${out} to a target for LibTorch with CUDA if this machine's python3 has one that can be compiled against.
function(gpustream_find_torch out)
  set(${out} gpustream_libtorch PARENT_SCOPE)
  execute_process(
    COMMAND python3 -c "import os, torch, torch.utils.cpp_extension as e
assert torch.version.cuda
print(';'.join([os.path.dirname(torch.__file__), str(int(torch._C._GLIBCXX_USE_CXX11_ABI))] + e.include_paths()))"
    OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE
  )
  if(failed)
    message(STATUS "gpustream: no PyTorch with CUDA here, its C++ classes are not measured")
    return()
  endif()
  list(POP_FRONT answer root abi)
  find_path(
    GPUSTREAM_CUDART_INCLUDE_DIR cuda_runtime_api.h
    HINTS /usr/local/cuda/include $ENV{CUDA_HOME}/include ${root}/../nvidia/cu13/include ${root}/../nvidia/cuda_runtime/include
  )
  if(NOT GPUSTREAM_CUDART_INCLUDE_DIR)
    message(STATUS "gpustream: PyTorch's C++ classes are not measured, the headers of the CUDA runtime are missing")
    return()
  endif()
  file(GLOB cudart ${root}/../nvidia/cu13/lib/libcudart.so.* ${root}/../nvidia/cuda_runtime/lib/libcudart.so.*
       ${GPUSTREAM_CUDART_INCLUDE_DIR}/../lib64/libcudart.so)
  if(NOT cudart)
    message(STATUS "gpustream: PyTorch's C++ classes are not measured, the CUDA runtime's library is missing")
    return()
  endif()
  list(GET cudart 0 cudart)
  add_library(gpustream_libtorch INTERFACE)
  target_include_directories(gpustream_libtorch SYSTEM INTERFACE ${answer} ${GPUSTREAM_CUDART_INCLUDE_DIR})
  target_compile_definitions(gpustream_libtorch INTERFACE _GLIBCXX_USE_CXX11_ABI=${abi})
  target_link_libraries(
    gpustream_libtorch INTERFACE ${root}/lib/libc10_cuda.so ${root}/lib/libc10.so ${root}/lib/libtorch_cpu.so
                                 ${root}/lib/libtorch_cuda.so ${cudart}
  )
  target_link_options(gpustream_libtorch INTERFACE -Wl,--no-as-needed)
  message(STATUS "gpustream: PyTorch's C++ classes in ${root}")
endfunction()
