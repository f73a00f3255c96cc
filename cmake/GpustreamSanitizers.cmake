# SPDX-License-Identifier: Apache-2.0
# GPUSTREAM_SANITIZE, GPUSTREAM_FUZZ and GPUSTREAM_COVERAGE apply to the whole tree, because a process has one sanitizer runtime.

if(GPUSTREAM_SANITIZE)
  if(GPUSTREAM_SANITIZE MATCHES "thread" AND GPUSTREAM_SANITIZE MATCHES "address|leak|memory")
    message(FATAL_ERROR "GPUSTREAM_SANITIZE=${GPUSTREAM_SANITIZE}: thread cannot be combined with address, leak or memory")
  endif()
  add_compile_options(-fsanitize=${GPUSTREAM_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GPUSTREAM_SANITIZE})
  if(GPUSTREAM_SANITIZE MATCHES "undefined")
    # Without this, undefined behaviour is only a line on stderr and the test passes.
    # Newer drivers use numbers that the enums of the headers lack.
    add_compile_options(-fno-sanitize-recover=all -fno-sanitize=enum)
    add_link_options(-fno-sanitize-recover=all)
  endif()
  if(GPUSTREAM_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC cannot instrument std::atomic_thread_fence and warns in every file that has one.
    add_compile_options(-Wno-tsan)
  endif()
endif()

if(GPUSTREAM_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "GPUSTREAM_FUZZ=ON needs clang: cmake --preset fuzz")
  endif()
  # Counters for libFuzzer. The library that is linked by programs without it needs no more than these symbols.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(GPUSTREAM_COVERAGE)
  # Threads count at the same time, and what gcov derives from lost counts would be wrong.
  add_compile_options(--coverage -fprofile-update=atomic -O0 -g)
  add_link_options(--coverage)
endif()
