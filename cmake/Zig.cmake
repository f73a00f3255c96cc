# SPDX-License-Identifier: Apache-2.0
# Toolchain file: zig compiles for GPUSTREAM_ZIG_TARGET (x86_64-linux-gnu.2.17, x86_64-linux-musl), with headers and start files
# of exactly that C library. Packages are built with it: what they contain depends on neither the machine nor its distribution.
set(GPUSTREAM_ZIG_TARGET "" CACHE STRING "zig's name of the system to compile for, with the version of its C library")
set(GPUSTREAM_ZIG "" CACHE FILEPATH "zig; default: the wheel that scripts/bootstrap package installs")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPUSTREAM_ZIG_TARGET GPUSTREAM_ZIG)
if(NOT GPUSTREAM_ZIG_TARGET MATCHES "^(x86_64|aarch64)-linux-(gnu|musl)")
  message(FATAL_ERROR "GPUSTREAM_ZIG_TARGET=${GPUSTREAM_ZIG_TARGET}: must start with (x86_64|aarch64)-linux-(gnu|musl)")
endif()
if(NOT CMAKE_MATCH_1 STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux) # this makes it a cross compilation
  set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
endif()

if(NOT GPUSTREAM_ZIG)
  file(GLOB wheel ${CMAKE_CURRENT_LIST_DIR}/../.venv/lib/python3*/site-packages/ziglang/zig)
  if(NOT wheel)
    message(FATAL_ERROR "zig is not in .venv: run scripts/bootstrap package, or set GPUSTREAM_ZIG")
  endif()
  list(GET wheel 0 GPUSTREAM_ZIG)
endif()
cmake_path(NORMAL_PATH GPUSTREAM_ZIG)

# CMake wants one command for each tool. Compiler caches know a compiler by its file, so its name contains the version.
execute_process(
  COMMAND ${GPUSTREAM_ZIG} version OUTPUT_VARIABLE zig_version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
)
set(zig_tools ${CMAKE_CURRENT_LIST_DIR}/../build/zig/${zig_version}-${GPUSTREAM_ZIG_TARGET})
cmake_path(NORMAL_PATH zig_tools)
foreach(tool IN ITEMS cc c++ ar ranlib)
  set(arguments "")
  if(tool MATCHES "^c")
    set(arguments " -target ${GPUSTREAM_ZIG_TARGET}")
  endif()
  set(text "#!/bin/sh\nexec '${GPUSTREAM_ZIG}' ${tool}${arguments} \"$@\"\n")
  set(known "")
  if(EXISTS ${zig_tools}/${tool})
    file(READ ${zig_tools}/${tool} known)
  endif()
  if(NOT known STREQUAL text)
    file(WRITE ${zig_tools}/${tool} "${text}")
    file(CHMOD ${zig_tools}/${tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
set(CMAKE_C_COMPILER ${zig_tools}/cc)
set(CMAKE_CXX_COMPILER ${zig_tools}/c++)
set(CMAKE_AR ${zig_tools}/ar CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB ${zig_tools}/ranlib CACHE FILEPATH "" FORCE)
# Its compilers compile for the oldest processor of the kind unless told otherwise, and check nothing at run time.
# What they write about where it was built must not differ between two machines.
cmake_path(GET GPUSTREAM_ZIG PARENT_PATH zig_folder)
set(zig_flags "-fno-sanitize=all -ffile-compilation-dir=.")
# The last one that fits counts, and some of these folders are in others.
foreach(place IN ITEMS "${CMAKE_SOURCE_DIR}=." "${CMAKE_BINARY_DIR}=build" "${zig_folder}=zig" "${GPUSTREAM_CUDA_INCLUDE_DIR}=cuda")
  if(NOT place MATCHES "^=")
    string(APPEND zig_flags " -ffile-prefix-map=${place}")
  endif()
endforeach()
set(CMAKE_C_FLAGS_INIT "${zig_flags}")
set(CMAKE_CXX_FLAGS_INIT "${zig_flags}")
# For musl, its programs are static unless told otherwise, and a static program opens no library.
# It links with a stub of musl, in which all data of one size has one address. A program that copies one variable (stderr)
# from the library would copy all of them, so its code must reach them through the table of addresses.
if(GPUSTREAM_ZIG_TARGET MATCHES "musl")
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-dynamic")
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
