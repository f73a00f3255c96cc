// SPDX-License-Identifier: Apache-2.0
// What needs no table of names: the front has it as well.
#include <cstdio>
#include <cstring>

#include "base/text.hpp"
#include "core/names.hpp"

namespace gs {

void make_printable_name(const char *name, char (&out)[kNameBytes]) noexcept {
    std::memset(out, 0, sizeof out);
    std::memcpy(out, name, strnlen(name, sizeof out - 1));
    make_printable(out, Lines::One);
}

ObjectText describe_object(uint64_t handle) noexcept {
    ObjectText out;
    const NameText name = name_of_object(handle);
    if (name.text[0] == '\0')
        std::snprintf(out.text, sizeof out.text, "%#llx", static_cast<unsigned long long>(handle));
    else
        std::snprintf(out.text, sizeof out.text, "%#llx (\"%s\")", static_cast<unsigned long long>(handle), name.text);
    return out;
}

} // namespace gs
