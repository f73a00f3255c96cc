# SPDX-License-Identifier: Apache-2.0
# How the shipped libraries are linked: only what their maps say is visible, only libc is needed, and they are never unloaded.

function(gpustream_link_settings target map)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
  target_link_options(
    ${target}
    PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined-version -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,-z,noexecstack -Wl,--as-needed
            -Wl,--gc-sections -Wl,--build-id=sha1
  )
  # The map hides the symbols of archives, too; this takes them out of consideration before. Not all linkers have it.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -Wl,--exclude-libs,ALL GPUSTREAM_HAS_EXCLUDE_LIBS)
  if(GPUSTREAM_HAS_EXCLUDE_LIBS)
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  endif()
  if(GPUSTREAM_ZIG_TARGET)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/packaging/native/without_libcxx_extras.c)
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/packaging/native/without_libcxx_extras.c PROPERTY COMPILE_OPTIONS -fno-builtin)
  endif()
  # A sanitizer's runtime must be the one of the whole process, and with clang its symbols come from the executable.
  if(NOT GPUSTREAM_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,defs)
  endif()
  # librt and libdl are part of libc since glibc 2.34; older ones keep shm_open and dlopen there.
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} rt)
endfunction()
