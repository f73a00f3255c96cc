// SPDX-License-Identifier: Apache-2.0
// Objects with a count of references, and the reference.
#pragma once

#include <utility>

#include "base/ref_count.hpp"

namespace gs::host {

// The last reference deletes the T.
template <typename T>
class Counted {
public:
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    void retain() noexcept { refs_.retain(); }
    void release() noexcept {
        if (refs_.release()) delete static_cast<T *>(this);
    }

    bool alone() const noexcept { return refs_.alone(); }

protected:
    Counted() noexcept = default;
    ~Counted() = default;

private:
    RefCount refs_;
};

template <typename T>
class Ref {
public:
    Ref() noexcept = default;
    explicit Ref(T *taken) noexcept : object_(taken) {} // takes over a reference
    Ref(const Ref &other) noexcept : object_(other.object_) {
        if (object_) object_->retain();
    }
    Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref &operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_) object_->release();
    }
    T *get() const noexcept { return object_; }
    T *operator->() const noexcept { return object_; }
    T &operator*() const noexcept { return *object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    // The object with a reference of its own, for code that knows no Ref.
    T *share() const noexcept {
        object_->retain();
        return object_;
    }

private:
    T *object_ = nullptr;
};

} // namespace gs::host
