# SPDX-License-Identifier: Apache-2.0
# Install rules: library and tools, headers, CMake package, pkg-config file. The installed tree may be moved as a whole.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpustream)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(
  TARGETS gpustream
  EXPORT gpustream-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
)
# Beside the library, which loads it; nothing links it.
install(TARGETS gpustream_tools LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_SKIP)
install(
  FILES ${PROJECT_SOURCE_DIR}/include/gpustream.h ${PROJECT_SOURCE_DIR}/include/gpustream.hpp
        ${PROJECT_SOURCE_DIR}/include/gpustream_philox.h ${PROJECT_SOURCE_DIR}/include/gpustream_tools.h
        ${PROJECT_SOURCE_DIR}/include/gpustream_torch_stable.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
)
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/gpustream
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
)

# The Fortran modules, in one file that a program is compiled with: what a compiler makes of a module is for itself alone.
# A source package of another language may lack them.
set(fortran_folder ${PROJECT_SOURCE_DIR}/bindings/fortran)
if(EXISTS ${fortran_folder}/order.txt)
  file(STRINGS ${fortran_folder}/order.txt fortran_modules)
  list(TRANSFORM fortran_modules REPLACE "(.+)" "${fortran_folder}/src/\\1.f90")
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${fortran_folder}/order.txt ${fortran_modules})
  file(WRITE ${PROJECT_BINARY_DIR}/gpustream.f90 "")
  foreach(module IN LISTS fortran_modules)
    file(READ ${module} text)
    file(APPEND ${PROJECT_BINARY_DIR}/gpustream.f90 "${text}\n")
  endforeach()
  install(
    FILES ${PROJECT_BINARY_DIR}/gpustream.f90
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpustream COMPONENT development
  )
endif()

install(
  EXPORT gpustream-targets
  NAMESPACE gpustream::
  DESTINATION ${package_dir}
  COMPONENT development
)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/gpustream-config.cmake.in ${PROJECT_BINARY_DIR}/gpustream-config.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO
)
# Before 1.0 a minor release may change the interface.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/gpustream-config-version.cmake
  VERSION ${PROJECT_VERSION}
  COMPATIBILITY SameMinorVersion
)
install(
  FILES ${PROJECT_BINARY_DIR}/gpustream-config.cmake ${PROJECT_BINARY_DIR}/gpustream-config-version.cmake
  DESTINATION ${package_dir}
  COMPONENT development
)

# gpustream.pc names its prefix relative to itself, unless the packager chose absolute folders.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir} OUTPUT_VARIABLE up)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/gpustream.pc.in ${PROJECT_BINARY_DIR}/gpustream.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gpustream.pc DESTINATION ${pkgconfig_dir} COMPONENT development)
