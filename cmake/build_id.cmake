# SPDX-License-Identifier: Apache-2.0
# Writes the build id that the library and its tools compare (src/core/seam/core_services.hpp): of the headers that both are compiled
# with, and of what else decides how objects lie in memory.
#
#   cmake -DOUT=FILE -DVERSION=... -DSETTINGS=... -DSOURCES=<src> -P build_id.cmake      SETTINGS: the compiler and its options
set(known "${SETTINGS}\n")
foreach(layer IN ITEMS base handle inventory backend core)
  file(GLOB_RECURSE headers RELATIVE ${SOURCES} ${SOURCES}/${layer}/*.hpp ${SOURCES}/${layer}/*.inc)
  foreach(header IN LISTS headers)
    file(SHA256 ${SOURCES}/${header} sum)
    string(APPEND known "${header} ${sum}\n")
  endforeach()
endforeach()
string(SHA256 sum "${known}")
string(SUBSTRING ${sum} 0 16 sum)
file(
  WRITE ${OUT}
  "// Made by cmake/build_id.cmake.\n"
  "namespace gs {\n"
  "extern const char kBuildId[] __attribute__((visibility(\"hidden\")));\n"
  "const char kBuildId[] = \"${VERSION}-${sum}\";\n"
  "} // namespace gs\n"
)
