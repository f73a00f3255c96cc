# SPDX-License-Identifier: Apache-2.0
# Helpers for tests/: the library with its test hooks, and one executable per family of tests.

set(GPUSTREAM_TEST_TIMEOUT_FACTOR 1 CACHE STRING "Multiplies the time limit of every test")
set(gpustream_timeout_factor ${GPUSTREAM_TEST_TIMEOUT_FACTOR})
if(GPUSTREAM_SANITIZE OR GPUSTREAM_COVERAGE)
  math(EXPR gpustream_timeout_factor "4 * ${GPUSTREAM_TEST_TIMEOUT_FACTOR}")
endif()

# A compiler takes a precompiled header only where the macros are the same: the targets that link gpustream_test_support. Clang
# also minds macros that the header does not use.
set(pch_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(pch_default ON)
endif()
option(GPUSTREAM_TEST_PCH "Precompile what most tests include (GCC)" ${pch_default})

# One header for all of them: gpustream_test_support compiles it.
function(gpustream_precompiled target)
  if(NOT GPUSTREAM_TEST_PCH OR NOT TARGET gpustream_test_support)
    return()
  endif()
  if(target STREQUAL "gpustream_test_support")
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/precompiled.hpp)
  else()
    target_precompile_headers(${target} REUSE_FROM gpustream_test_support)
  endif()
endfunction()

# Puts the bugs of tests/support/seeded_bugs.txt into the copies that <target> compiles, and what links it sees.
function(gpustream_seed_bugs target)
  set(script ${PROJECT_SOURCE_DIR}/tests/support/seeded_bugs.py)
  set(list ${PROJECT_SOURCE_DIR}/tests/support/seeded_bugs.txt)
  set(folder ${PROJECT_BINARY_DIR}/seeded)
  find_package(Python3 3.8 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${script} ${folder} --list
                  OUTPUT_VARIABLE paths OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script} ${list})
  string(REPLACE "\n" ";" paths "${paths}")
  get_target_property(sources ${target} SOURCES)
  foreach(path IN LISTS paths)
    list(TRANSFORM sources REPLACE "^${PROJECT_SOURCE_DIR}/${path}$" ${folder}/${path})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  target_include_directories(${target} BEFORE PUBLIC ${folder}/src)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  if(NOT TARGET gpustream_seeded)
    list(TRANSFORM paths PREPEND ${folder}/ OUTPUT_VARIABLE copies)
    list(TRANSFORM paths PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE originals)
    add_custom_command(OUTPUT ${copies} COMMAND ${Python3_EXECUTABLE} -B ${script} ${folder} DEPENDS ${script} ${list} ${originals})
    add_custom_target(gpustream_seeded DEPENDS ${copies})
  endif()
  add_dependencies(${target} gpustream_seeded)
endfunction()

function(gpustream_add_testing_library)
  gpustream_sources(sources)
  gpustream_build_id(id)
  add_library(gpustream_testing STATIC EXCLUDE_FROM_ALL ${sources} ${id}) # with the tools inside
  gpustream_compile_settings(gpustream_testing)
  target_compile_definitions(gpustream_testing PUBLIC GPUSTREAM_TESTING=1)
  target_include_directories(gpustream_testing PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(gpustream_testing PUBLIC Threads::Threads ${CMAKE_DL_LIBS} rt)
  if(GPUSTREAM_WITH_CUDA)
    target_compile_definitions(gpustream_testing PUBLIC GPUSTREAM_WITH_CUDA=1)
    target_include_directories(gpustream_testing SYSTEM PUBLIC ${GPUSTREAM_CUDA_HEADERS})
  endif()
  gpustream_seed_bugs(gpustream_testing)
  gpustream_batch_sources(gpustream_testing)
  # Tests replace these members of the archive.
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/backend/backends.cpp ${PROJECT_SOURCE_DIR}/src/inventory/vendors.cpp
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
  )
  if(NOT TARGET gpustream_engine)
    gpustream_add_engine()
  endif()
  gpustream_add_simulated_objects() # of which the fake driver is made
endfunction()

# Compiles the C++ files of a family's target eight at a time: two fifths of the time. Names in unnamed namespaces must differ
# within the family, since a new file moves the others to other batches.
function(gpustream_test_batches target)
  if(GPUSTREAM_BATCHES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# The CUDA backend must compile against every release of the headers that it supports; these objects are never linked.
function(gpustream_add_other_cuda_headers)
  foreach(headers IN LISTS GPUSTREAM_OTHER_CUDA_HEADERS)
    string(SHA1 name ${headers})
    string(SUBSTRING ${name} 0 8 name)
    set(GPUSTREAM_CUDA_HEADERS ${headers})
    gpustream_sources(sources)
    list(FILTER sources INCLUDE REGEX "/src/backend/cuda/")
    add_library(gpustream_cuda_headers_${name} OBJECT ${sources})
    gpustream_compile_settings(gpustream_cuda_headers_${name})
    target_include_directories(gpustream_cuda_headers_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    gpustream_batch_sources(gpustream_cuda_headers_${name})
    message(STATUS "gpustream: also compiled against ${headers}")
  endforeach()
endfunction()

# Language level and warnings of everything under tests/.
function(gpustream_test_settings target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_BINARY_DIR}/generated/tests)
  gpustream_warnings(${target})
  # "if (x) EXPECT_..." is safe because of how the macro is written, but the compiler warns. Test bodies run once, so
  # compile time matters more than speed: it is up to five times longer with optimisation and sanitizers.
  target_compile_options(${target} PRIVATE -Wno-dangling-else "$<$<NOT:$<CONFIG:Debug>>:-O0;-g1>")
  if(TARGET gpustream_coverage_exit)
    target_sources(${target} PRIVATE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:gpustream_coverage_exit>>)
  endif()
endfunction()

# gpustream_add_gtest(<target> LABEL <family> SOURCES <files>
#                     [LIBRARIES <targets>] [TIMEOUT <s>] [PREFIX <text>] [ENVIRONMENT <name=value>] [FILE_BY_FILE])
#
# ENVIRONMENT is one variable: how gtest_discover_tests needs a list to be quoted depends on CMake's version.
# Each gtest case becomes a ctest case of its own process. The cases are listed when ctest starts, so a build never runs
# the programs that it has linked. FILE_BY_FILE: never in batches (gpustream_test_batches).
function(gpustream_add_gtest target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FILE_BY_FILE" "LABEL;TIMEOUT;PREFIX;ENVIRONMENT" "SOURCES;LIBRARIES")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  math(EXPR timeout "${arg_TIMEOUT} * ${gpustream_timeout_factor}")
  add_executable(${target} ${arg_SOURCES})
  gpustream_test_settings(${target})
  if(NOT arg_FILE_BY_FILE)
    gpustream_test_batches(${target})
  endif()
  if("gpustream_test_support" IN_LIST arg_LIBRARIES)
    gpustream_precompiled(${target})
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest GTest::gmock_main)
  if(arg_ENVIRONMENT)
    gtest_discover_tests(
      ${target} TEST_PREFIX "${arg_LABEL}.${arg_PREFIX}" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
      PROPERTIES TIMEOUT ${timeout} LABELS ${arg_LABEL} ENVIRONMENT "${arg_ENVIRONMENT}"
    )
  else()
    gtest_discover_tests(
      ${target} TEST_PREFIX "${arg_LABEL}.${arg_PREFIX}" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
      PROPERTIES TIMEOUT ${timeout} LABELS ${arg_LABEL}
    )
  endif()
endfunction()

# gpustream_add_both_ways(<family> [INSIDE <names>] [TOO <files>] [FAKE <filter>])
#
# A family of the tools. gpustream_<family>_tests has the library and its tools linked in. All NAME_test.cpp but the INSIDE ones use
# public functions only. They run a second time, on the libraries as they ship: there the core loads its tools. FAKE: these cases
# run once more on the fake driver. TOO: files of other folders.
function(gpustream_add_both_ways family)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FAKE" "INSIDE;TOO")
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  set(inside ${arg_INSIDE})
  list(TRANSFORM inside REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1_test.cpp")
  list(REMOVE_ITEM sources ${inside})
  set(public gpustream_${family}_public)
  add_library(${public} OBJECT ${sources} ${arg_TOO})
  gpustream_test_settings(${public})
  gpustream_test_batches(${public})
  gpustream_precompiled(${public})
  target_link_libraries(${public} PRIVATE gpustream_test_support GTest::gmock GTest::gtest)
  set(common LABEL ${family} TIMEOUT 240 ENVIRONMENT GPUSTREAM_BACKEND=host)
  gpustream_add_gtest(
    gpustream_${family}_tests ${common} SOURCES ${inside} $<TARGET_OBJECTS:${public}> LIBRARIES gpustream_test_support gpustream_testing
  )
  gpustream_add_gtest(
    gpustream_${family}_shipped_tests ${common} PREFIX shipped. SOURCES $<TARGET_OBJECTS:${public}>
    LIBRARIES gpustream gpustream_test_support
  )
  # Reports name functions: the loader must know those of the executable.
  set_target_properties(gpustream_${family}_tests gpustream_${family}_shipped_tests PROPERTIES ENABLE_EXPORTS ON)
  if(arg_FAKE AND TARGET fake_cuda AND GPUSTREAM_WITH_CUDA)
    add_dependencies(gpustream_${family}_tests fake_cuda)
    math(EXPR timeout "120 * ${gpustream_timeout_factor}")
    add_test(NAME ${family}.fake COMMAND gpustream_${family}_tests --gtest_filter=${arg_FAKE})
    set_tests_properties(
      ${family}.fake PROPERTIES TIMEOUT ${timeout} LABELS ${family} ENVIRONMENT
                                "GPUSTREAM_BACKEND=cuda;GPUSTREAM_LIBCUDA=$<TARGET_FILE:fake_cuda>"
    )
  endif()
endfunction()

# gpustream_add_layer_cases(<label> <prefix> <layer>)
# The parity cases through a layer: a library of another language whose functions layer_gs_... make the calls.
function(gpustream_add_layer_cases label prefix layer)
  set(cases ${PROJECT_SOURCE_DIR}/tests/parity/cases.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cases})
  file(READ ${cases} document)
  string(JSON count LENGTH "${document}" cases)
  math(EXPR last "${count} - 1")
  math(EXPR timeout "120 * ${gpustream_timeout_factor}")
  foreach(index RANGE ${last})
    string(JSON name GET "${document}" cases ${index} name)
    add_test(
      NAME ${prefix}.${name} COMMAND gpustream_parity_cases $<TARGET_FILE:gpustream> $<TARGET_FILE:gpustream_parity_native>
                                     ${cases} ${name} ${layer}
    )
    set_tests_properties(
      ${prefix}.${name} PROPERTIES TIMEOUT ${timeout} LABELS ${label}
                                   ENVIRONMENT "GPUSTREAM_BACKEND=host;GPUSTREAM_HOST_DEVICES=2;LSAN_OPTIONS=use_tls=0"
    )
  endforeach()
endfunction()
