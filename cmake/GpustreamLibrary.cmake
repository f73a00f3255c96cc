# SPDX-License-Identifier: Apache-2.0
# The sources of the library, compiled once as it ships and once with the hooks the tests need.
#
#   gpustream_base      src/base
#   gpustream_engine    the host engine, on the base alone; the simulated driver links it too
#   gpustream_objects   everything else of the core; the shared library gpustream is these three
#   gpustream_tools     src/tools, a library of its own that the core loads when it is asked for
set(GPUSTREAM_BASE "/src/base/")
set(GPUSTREAM_ENGINE "/src/backend/host/(engine|ipc)/")
set(GPUSTREAM_TOOLS "/src/tools/")
# What the tools have copies of, for it keeps no state.
set(GPUSTREAM_TOOLS_TOO "/src/base/(lock|own_file|text)[.]cpp")

function(gpustream_sources out)
  set(patterns "")
  foreach(layer IN ITEMS base handle backend core tools inventory api)
    list(APPEND patterns ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  if(NOT GPUSTREAM_WITH_CUDA)
    list(FILTER sources EXCLUDE REGEX "/src/backend/cuda/")
  endif()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# The id of the build, which the core and the tools compare: an object that is made again when a header changes.
function(gpustream_build_id out)
  set(made ${PROJECT_BINARY_DIR}/gpustream_build_id.cpp)
  set(${out} $<TARGET_OBJECTS:gpustream_build_id> PARENT_SCOPE)
  if(TARGET gpustream_build_id)
    return()
  endif()
  set(headers "")
  foreach(layer IN ITEMS base handle inventory backend core)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.hpp ${PROJECT_SOURCE_DIR}/src/${layer}/*.inc)
    list(APPEND headers ${found})
  endforeach()
  set(script ${PROJECT_SOURCE_DIR}/cmake/build_id.cmake)
  string(CONCAT settings "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} for ${CMAKE_SYSTEM_PROCESSOR} ${GPUSTREAM_ZIG_TARGET}, "
                "CUDA ${GPUSTREAM_WITH_CUDA}, sanitizers ${GPUSTREAM_SANITIZE}")
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DOUT=${made} -DVERSION=${PROJECT_VERSION} -DSETTINGS=${settings}
            -DSOURCES=${PROJECT_SOURCE_DIR}/src -P ${script}
    DEPENDS ${script} ${headers}
    VERBATIM
  )
  add_library(gpustream_build_id OBJECT EXCLUDE_FROM_ALL ${made})
  set_target_properties(gpustream_build_id PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# TLS descriptors find the one thread-local pointer in about half the time of __tls_get_addr, and do not need static TLS as
# the initial-exec model does (docs/design/performance.md). They are the default on other processors. Sanitizers intercept
# __tls_get_addr to find thread-local memory.
function(gpustream_fast_tls target)
  if(GPUSTREAM_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    return()
  endif()
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-mtls-dialect=gnu2 GPUSTREAM_HAS_TLS_DESCRIPTORS)
  if(GPUSTREAM_HAS_TLS_DESCRIPTORS)
    target_compile_options(${target} PRIVATE -mtls-dialect=gnu2)
  endif()
endfunction()

# How every source of the library is compiled; the tests reach internals through the same folders.
function(gpustream_compile_settings target)
  find_package(Threads REQUIRED)
  set_target_properties(
    ${target}
    PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
               CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  )
  target_compile_options(
    ${target} PRIVATE -fno-semantic-interposition -fno-plt -ffunction-sections -fdata-sections
                      -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  )
  gpustream_fast_tls(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE Threads::Threads)
  if(GPUSTREAM_WITH_CUDA)
    target_compile_definitions(${target} PRIVATE GPUSTREAM_WITH_CUDA=1)
    target_include_directories(${target} SYSTEM PRIVATE ${GPUSTREAM_CUDA_HEADERS})
  endif()
  gpustream_warnings(${target})
endfunction()

# gpustream_add_part(<target> <type> INCLUDE|EXCLUDE <pattern of source paths>)
function(gpustream_add_part target type mode pattern)
  gpustream_sources(sources)
  list(FILTER sources ${mode} REGEX ${pattern})
  add_library(${target} ${type} ${sources})
  gpustream_compile_settings(${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  # The simulated driver links single members of the base.
  if(NOT target STREQUAL "gpustream_base")
    gpustream_batch_sources(${target})
  endif()
endfunction()

# Compiles the files of a folder as one, unless GPUSTREAM_BATCHES is off: half the time from nothing, more after one change.
# Names in unnamed namespaces must differ within a folder; batches by number would let a new file anywhere bring equal names of
# two folders together.
function(gpustream_batch_sources target)
  if(NOT GPUSTREAM_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "TARGET_OBJECTS") # compiled already
  foreach(source IN LISTS sources)
    string(REPLACE ${PROJECT_BINARY_DIR}/seeded ${PROJECT_SOURCE_DIR} folder ${source}) # with a bug: tests/support/seeded_bugs.py
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR}) # the name reaches debug information
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# The library as scripts/package has built it, for packages of bindings: all contain the same file.
function(gpustream_import_library file)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "GPUSTREAM_PREBUILT=${file}: there is no such file")
  endif()
  cmake_path(REPLACE_FILENAME file libgpustream_tools.so.0 OUTPUT_VARIABLE tools)
  if(NOT EXISTS ${tools})
    message(FATAL_ERROR "GPUSTREAM_PREBUILT=${file}: there is no libgpustream_tools.so.0 beside it")
  endif()
  foreach(part IN ITEMS front simulated) # the command's, as these packages have it
    cmake_path(REPLACE_FILENAME file gpustream-${part}.so OUTPUT_VARIABLE found)
    if(EXISTS ${found})
      add_library(gpustream_${part} SHARED IMPORTED GLOBAL)
      set_target_properties(gpustream_${part} PROPERTIES IMPORTED_LOCATION ${found})
    endif()
  endforeach()
  add_library(gpustream_tools SHARED IMPORTED GLOBAL)
  set_target_properties(gpustream_tools PROPERTIES IMPORTED_LOCATION ${tools})
  add_library(gpustream SHARED IMPORTED GLOBAL)
  add_library(gpustream::gpustream ALIAS gpustream)
  set_target_properties(gpustream PROPERTIES IMPORTED_LOCATION ${file} IMPORTED_SONAME libgpustream.so.0)
  target_include_directories(gpustream INTERFACE ${PROJECT_SOURCE_DIR}/include)
endfunction()

# Code that no hot call reaches, in released libraries: graphs are built, captures begun, pools made, devices found and modules
# loaded once. These files are compiled for size (-Oz), the others for size without loss of
# speed (-Os): with -Oz, hot calls need three quarters more instructions (bench/instructions).
set(GPUSTREAM_RARE
    api/bridges api/captures api/devices_found api/graph_nodes api/inventory api/library api/partitions api/random api/seeing
    api/version backend/backends backend/cuda/cuda_backend
    backend/cuda/cuda_device backend/cuda/cuda_partitions backend/cuda/cuda_pools backend/cuda/cuda_telemetry
    backend/cuda/discovery backend/cuda/driver backend/cuda/graph backend/cuda/module backend/gpu/device_facts backend/host/
    backend/registry base/dynlib base/env base/fork_state base/instances base/last_error base/last_thread base/log
    base/object_file base/os_thread base/own_threads base/process_identity base/shared_ base/status base/thread_block.cpp
    core/bridge/bridge_ core/completion/dispatcher core/completion/lanes core/device/
    core/event/calibration core/fork_locks core/graph/add_ core/graph/capture_ core/graph/exec_changes
    core/graph/graph_ core/graph/nested_ core/graph/node_ core/hooks/ core/memory/device_memory core/memory/pool core/names
    core/open_ranges core/random/ core/ranges core/runtime core/seam/ core/stream/driver_streams core/stream/partition
    core/sync_debug core/thread/thread_state core/timeline/order core/timeline/semaphore core/timeline/timeline_life
    core/timeline/timeline_table core/timeline/word core/token/token_layout core/work/kernels inventory/
)
list(JOIN GPUSTREAM_RARE "|" rare)
set(GPUSTREAM_RARE "/src/(${rare})")

function(gpustream_add_released_library)
  gpustream_add_part(gpustream_usual OBJECT EXCLUDE "${GPUSTREAM_RARE}|${GPUSTREAM_TOOLS}")
  gpustream_add_part(gpustream_rare OBJECT INCLUDE "${GPUSTREAM_RARE}")
  target_compile_options(gpustream_rare PRIVATE "SHELL:-Xclang -Oz")
  gpustream_add_tools()
  target_compile_options(gpustream_tools PRIVATE "SHELL:-Xclang -Oz")
  foreach(part IN ITEMS gpustream_usual gpustream_rare gpustream_tools)
    target_compile_options(${part} PRIVATE -flto -fplt "SHELL:-Xclang -fmerge-functions")
    # Nothing asks objects for their type; exceptions bring theirs along. Tests derive from classes of the library, and need theirs.
    target_compile_options(${part} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
  endforeach()
  gpustream_build_id(id)
  add_library(gpustream SHARED $<TARGET_OBJECTS:gpustream_usual> $<TARGET_OBJECTS:gpustream_rare> ${id})
  gpustream_finish_library()
  # Less is inlined at the link than -Os would (50): bodies that are short once are not in 100 places.
  set(arguments --icf=safe -mllvm -inline-threshold=10 -mllvm -enable-merge-functions)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    list(APPEND arguments -mllvm -enable-tlsdesc) # as -mtls-dialect above, which code that is optimised at the link does not keep
  endif()
  gpustream_link_by_zig(gpustream ${arguments})
  gpustream_link_by_zig(gpustream_tools ${arguments})
endfunction()

# gpustream_link_by_zig(<target> [<argument of the linker that zig's compiler driver does not pass>...])
function(gpustream_link_by_zig target)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  list(JOIN ARGN " " arguments)
  set(link ${PROJECT_SOURCE_DIR}/cmake/zig_link.py)
  set_target_properties(${target} PROPERTIES RULE_LAUNCH_LINK "${Python3_EXECUTABLE} ${link} ${GPUSTREAM_ZIG} ${arguments} --")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${link})
endfunction()

function(gpustream_add_engine)
  gpustream_add_part(gpustream_base STATIC INCLUDE ${GPUSTREAM_BASE})
  gpustream_add_part(gpustream_engine STATIC INCLUDE ${GPUSTREAM_ENGINE})
  target_link_libraries(gpustream_engine PUBLIC gpustream_base)
endfunction()

function(gpustream_add_library)
  if(GPUSTREAM_ZIG_TARGET)
    gpustream_add_released_library()
    return()
  endif()
  gpustream_add_engine()
  gpustream_add_part(gpustream_objects OBJECT EXCLUDE "${GPUSTREAM_BASE}|${GPUSTREAM_ENGINE}|${GPUSTREAM_TOOLS}")
  gpustream_add_tools()
  gpustream_build_id(id)
  add_library(
    gpustream SHARED $<TARGET_OBJECTS:gpustream_objects> $<TARGET_OBJECTS:gpustream_engine>
                     $<TARGET_OBJECTS:gpustream_base> ${id}
  )
  gpustream_finish_library()
endfunction()

# The core and the tools know each other by two tables (src/core/seam): neither links the other.
function(gpustream_add_tools)
  gpustream_add_part(gpustream_tools SHARED INCLUDE "${GPUSTREAM_TOOLS}|${GPUSTREAM_TOOLS_TOO}")
  gpustream_build_id(id)
  target_sources(gpustream_tools PRIVATE ${id})
  target_compile_definitions(gpustream_tools PRIVATE GPUSTREAM_TOOLS_LIBRARY=1)
  gpustream_batch_sources(gpustream_tools)
  set_target_properties(gpustream_tools PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 0)
  include(GpustreamLink)
  gpustream_link_settings(gpustream_tools ${PROJECT_SOURCE_DIR}/src/tools/gpustream_tools.map)
endfunction()

function(gpustream_finish_library)
  add_dependencies(gpustream gpustream_tools) # which it looks for beside it
  add_library(gpustream::gpustream ALIAS gpustream)
  set_target_properties(gpustream PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 0)
  target_include_directories(
    gpustream INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  )
  include(GpustreamLink)
  gpustream_link_settings(gpustream ${PROJECT_SOURCE_DIR}/src/gpustream.map)
endfunction()
