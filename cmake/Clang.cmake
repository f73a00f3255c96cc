# SPDX-License-Identifier: Apache-2.0
# Toolchain file: the newest clang, as distributions name it. The preset fuzz uses it.
set(names "")
foreach(version RANGE 25 16 -1)
  list(APPEND names clang-${version})
endforeach()
find_program(GPUSTREAM_CLANG NAMES ${names} clang REQUIRED DOC "Clang 16 or newer")
string(REGEX REPLACE "clang(-[0-9]+)?$" "clang++\\1" clangxx ${GPUSTREAM_CLANG})
set(CMAKE_C_COMPILER ${GPUSTREAM_CLANG})
set(CMAKE_CXX_COMPILER ${clangxx})
