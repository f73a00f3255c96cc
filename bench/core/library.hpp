// SPDX-License-Identifier: Apache-2.0
// A library opened at run time, for peers that may not be there.
#pragma once

#include <string>

namespace bench {

class Library {
public:
    // The first of the names that opens.
    explicit Library(std::initializer_list<const char *> names);
    explicit operator bool() const { return handle_ != nullptr; }

    // Remembers the first name that was missing.
    template <typename Function>
    void find(Function *&out, const char *name) {
        out = reinterpret_cast<Function *>(symbol(name));
    }
    const std::string &missing() const { return missing_; }

private:
    void *symbol(const char *name);
    void *handle_ = nullptr;
    std::string missing_;
};

} // namespace bench
