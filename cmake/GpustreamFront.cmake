# SPDX-License-Identifier: Apache-2.0
# libcuda.so.1 of `gpustream run` (src/front), in a folder of its own: a folder with a libcuda.so.1 must not be one that the
# loader searches for other programs.
#
# It has its own copy of what it uses of the base and of the tools: a program need not have gpustream, and may have another one.
enable_language(ASM)
set(GPUSTREAM_FRONT_FOLDER gpustream/front) # below the folder of the library
set(GPUSTREAM_FRONT_SHARED
    "/src/base/[a-z_0-9]*[.]cpp|/src/core/(name_texts|open_ranges)[.]cpp|/src/tools/(call_stack|python_frames|interpreter_frames|tool_locks)[.]cpp"
    "/src/tools/recorder/(core_file|event_log|file_evidence|log_file|sync_sites|text_sink)[.]cpp"
    "/src/tools/leaks/leaks[.]cpp|/src/tools/trace/trace_(json|parts)[.]cpp"
    "/src/tools/check/(checker|control|delivery|graph_plan|history|race)[.]cpp"
    "/src/tools/check/(stream_order(_objects)?|timeline_order)[.]cpp"
)

# A libcuda.so.1 in a folder of its own below that of the library. libcuda.so, which Python's numba and others open first, is a link
# that the command makes for each run: wheels hold no links.
function(gpustream_finish_driver target folder map)
  set_target_properties(
    ${target} PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1 LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder}
  )
  include(GpustreamLink)
  gpustream_link_settings(${target} ${map})
  if(GPUSTREAM_ZIG_TARGET)
    gpustream_link_by_zig(${target})
  endif()
  if(GPUSTREAM_INSTALL)
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${folder} COMPONENT runtime)
  endif()
endfunction()

function(gpustream_add_front)
  if(NOT GPUSTREAM_WITH_CUDA)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/front/*.cpp)
  gpustream_sources(shared)
  list(JOIN GPUSTREAM_FRONT_SHARED "|" pattern)
  list(FILTER shared INCLUDE REGEX "${pattern}")
  list(FILTER shared EXCLUDE REGEX "/src/base/instances[.]cpp") # it marks copies of the library, which the front is not
  set(jumps ${PROJECT_SOURCE_DIR}/src/front/trampolines.S)
  add_library(gpustream_front SHARED ${sources} ${shared} ${jumps})
  set_property(SOURCE ${jumps} PROPERTY OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/src/front/driver_names.inc)
  gpustream_compile_settings(gpustream_front)
  target_compile_definitions(gpustream_front PRIVATE GPUSTREAM_FRONT=1)
  target_include_directories(gpustream_front PRIVATE ${PROJECT_SOURCE_DIR}/include)
  gpustream_batch_sources(gpustream_front)
  set_source_files_properties(${jumps} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  gpustream_finish_driver(gpustream_front ${GPUSTREAM_FRONT_FOLDER} ${PROJECT_SOURCE_DIR}/src/front/front.map)
endfunction()

# The driver of `gpustream run --simulate` (src/simulated): the driver's functions on the host engine. Every function that cuda.h
# declares is exported; those that it does not implement return CUDA_ERROR_NOT_SUPPORTED. The tests' driver is made of it, too.
set(GPUSTREAM_SIMULATED_FOLDER gpustream/simulated)

function(gpustream_add_simulated_objects)
  if(NOT GPUSTREAM_WITH_CUDA OR TARGET gpustream_simulated_objects)
    return()
  endif()
  if(NOT TARGET gpustream_engine) # a library of a release is not made of these parts
    gpustream_add_engine()
  endif()
  # Weak, so that an implementation takes its place.
  # Some declarations have their name on a line of its own.
  set(declaration "(CUresult CUDAAPI +cu[A-Z])|(^cu[A-Z][A-Za-z0-9_]*\\()|(^ *#define cu[A-Z][A-Za-z0-9_]* +cu[A-Z])")
  file(STRINGS ${GPUSTREAM_CUDA_HEADERS}/cuda.h declared REGEX "${declaration}")
  string(REGEX MATCHALL "cu[A-Z][A-Za-z0-9_]+" symbols "${declared}")
  list(REMOVE_DUPLICATES symbols)
  list(FILTER symbols EXCLUDE REGEX "_pt[ds][sz]$")
  list(SORT symbols)
  set(stubs "")
  foreach(symbol IN LISTS symbols)
    string(APPEND stubs "SIMULATED_UNSUPPORTED(${symbol})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/simulated/unsupported.inc CONTENT "${stubs}" @ONLY)
  file(STRINGS ${GPUSTREAM_CUDA_HEADERS}/cuda.h errors REGEX "^ +CUDA_(SUCCESS|ERROR_[A-Z_0-9]+) += [0-9]+")
  list(TRANSFORM errors REPLACE "^ +(CUDA_[A-Z_0-9]+) += ([0-9]+).*" "E(\\1, \\2)")
  list(JOIN errors "\n" errors)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/simulated/error_names.inc CONTENT "${errors}\n" @ONLY)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/simulated/*.cpp)
  add_library(gpustream_simulated_objects OBJECT EXCLUDE_FROM_ALL ${sources} ${PROJECT_SOURCE_DIR}/src/simulated/unsupported.c)
  gpustream_compile_settings(gpustream_simulated_objects)
  gpustream_batch_sources(gpustream_simulated_objects)
  target_include_directories(gpustream_simulated_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR})
endfunction()

function(gpustream_add_simulated)
  gpustream_add_simulated_objects()
  if(NOT TARGET gpustream_simulated_objects)
    return()
  endif()
  add_library(gpustream_simulated SHARED $<TARGET_OBJECTS:gpustream_simulated_objects>)
  target_link_libraries(gpustream_simulated PRIVATE gpustream_engine)
  gpustream_finish_driver(gpustream_simulated ${GPUSTREAM_SIMULATED_FOLDER} ${PROJECT_SOURCE_DIR}/src/simulated/simulated.map)
endfunction()
