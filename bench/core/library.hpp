// SPDX-License-Identifier: Apache-2.0
// A library opened at run time, for peers that may not be installed.
#pragma once

#include <initializer_list>
#include <string>

namespace bench {

class Library {
public:
    // Opens the first of the names that can be opened.
    explicit Library(std::initializer_list<const char *> names);
    explicit operator bool() const { return handle_ != nullptr; }

    // Returns the first of the names that exists. Remembers the first function that was missing.
    template <typename Function>
    void find(Function *&out, std::initializer_list<const char *> names) {
        out = reinterpret_cast<Function *>(symbol(names));
    }
    template <typename Function>
    void find(Function *&out, const char *name) {
        find(out, {name});
    }
    const std::string &missing() const { return missing_; }

private:
    void *symbol(std::initializer_list<const char *> names);
    void *handle_ = nullptr;
    std::string missing_;
};

} // namespace bench
