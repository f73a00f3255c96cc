// SPDX-License-Identifier: Apache-2.0
// Functions of the scripted driver that count their calls and succeed, for those with no effect of their own. Outputs keep
// what the caller had in them.
#pragma once

#include "cuda_scripted_driver.hpp"

namespace gs::cuda {

template <typename Field, typename Pfn>
struct CountedFunction;

template <typename Field, typename... Arguments>
struct CountedFunction<Field, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments...) { return g_script->call(Field::name); }
};

template <typename... Fields>
void count_calls_of(Fields &...fields) {
    ((fields.pfn = CountedFunction<Fields, decltype(fields.pfn)>::call), ...);
}

template <typename... Fields>
void take_away(Fields &...fields) {
    ((fields.pfn = Fields::absent()), ...);
}

} // namespace gs::cuda
