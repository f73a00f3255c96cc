# SPDX-License-Identifier: Apache-2.0
# gpustream_warnings(<target>): our warnings, private to the target; -Werror only if GPUSTREAM_WERROR is set.

set(gpustream_common_warnings
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wswitch -Wundef -Wformat=2 -Wcast-align -Wcast-qual
    -Wwrite-strings -Wvla -Wimplicit-fallthrough -Wdouble-promotion
)
set(gpustream_c_warnings -Wstrict-prototypes)
set(gpustream_cxx_warnings -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wsuggest-override -Wunused-result)

# Warnings of GCC that are off: texts are truncated to their fixed buffers on purpose (format-truncation); GCC reports its
# own std::string as overlapping (restrict); it assumes that a failed lookup continues with its null pointer, as if
# fail() could return GS_OK (stringop-overflow).
function(gpustream_warnings target)
  target_compile_options(
    ${target}
    PRIVATE ${gpustream_common_warnings}
            "$<$<COMPILE_LANGUAGE:C>:${gpustream_c_warnings}>"
            "$<$<COMPILE_LANGUAGE:CXX>:${gpustream_cxx_warnings}>"
            "$<$<CXX_COMPILER_ID:GNU>:-Wlogical-op;-Wduplicated-cond;-Wno-format-truncation;-Wno-restrict;-Wno-stringop-overflow>"
            "$<$<CXX_COMPILER_ID:Clang>:-Wthread-safety;-Wno-gnu-zero-variadic-macro-arguments;-Wno-format-nonliteral>"
            "$<$<BOOL:${GPUSTREAM_WERROR}>:-Werror>"
  )
endfunction()
