# SPDX-License-Identifier: Apache-2.0
# The sources of the library, compiled once as it ships and once with the hooks the tests need.

function(gpustream_sources out)
  set(patterns "")
  foreach(layer IN ITEMS base handle backend core inventory api)
    list(APPEND patterns ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  if(NOT GPUSTREAM_WITH_CUDA)
    list(FILTER sources EXCLUDE REGEX "/src/backend/cuda/")
  endif()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# TLS descriptors find the one thread-local pointer in about half the time of __tls_get_addr, and need no reserve as the
# initial-exec model does (docs/design/performance.md). Other processors have them as their default. Sanitizers intercept
# __tls_get_addr to learn of thread-local memory.
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

function(gpustream_add_library)
  gpustream_sources(sources)
  add_library(gpustream_objects OBJECT ${sources})
  gpustream_compile_settings(gpustream_objects)
  target_include_directories(gpustream_objects PUBLIC ${PROJECT_SOURCE_DIR}/include)

  add_library(gpustream SHARED $<TARGET_OBJECTS:gpustream_objects>)
  add_library(gpustream::gpustream ALIAS gpustream)
  set_target_properties(gpustream PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 0)
  target_include_directories(
    gpustream INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  )
  include(GpustreamLink)
  gpustream_link_settings(gpustream)
endfunction()
