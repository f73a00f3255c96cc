# SPDX-License-Identifier: Apache-2.0
# gpustream_generate(<interpreter of Python> [<option of scripts/generate>...])
#
# What the build needs of each function and the tree does not keep is written into the build's folder generated, whenever the header or
# the generator has changed.
function(gpustream_generate interpreter)
  file(GLOB inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/include/gpustream/*.h
       ${PROJECT_SOURCE_DIR}/scripts/generator/*.py ${PROJECT_SOURCE_DIR}/api/names.json)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs})
  execute_process(COMMAND ${interpreter} -B ${PROJECT_SOURCE_DIR}/scripts/generate --built ${PROJECT_BINARY_DIR}/generated ${ARGN}
                  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
