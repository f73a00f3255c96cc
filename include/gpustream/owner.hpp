// SPDX-License-Identifier: Apache-2.0
// What all owning and all borrowing classes are made of.
#pragma once

#include "result.hpp"
#include "thread.hpp"

GPUSTREAM_BEGIN_NAMESPACE
namespace detail {

/// Refused because of where or when the call was made: what it was to end is as it was.
constexpr bool is_refused(gs_status_t status) noexcept {
    return status == GS_ERROR_NOT_PERMITTED || status == GS_ERROR_CAPTURING;
}

/// A handle without ownership: a number, copied freely. A dead one is a failure of the call it is passed to, with
/// status::invalid_handle, never undefined behaviour.
template <typename Handle>
class reference {
public:
    constexpr reference() noexcept = default;
    constexpr explicit reference(Handle handle) noexcept : handle_(handle) {}
    constexpr Handle get() const noexcept { return handle_; }
    constexpr explicit operator bool() const noexcept { return handle_ != nullptr; }

private:
    Handle handle_ = nullptr;
};

/// One reference of the caller's to what `Ref` refers to, ended by the destructor. Moving leaves an empty object, for
/// which calls fail with status::invalid_handle. A failure of the destructor goes to the library's log; in a host function it
/// leaves the end to a thread of its own.
template <typename Ref, typename Handle, gs_status_t (*destroy)(Handle)>
class owner : public Ref {
public:
    constexpr owner() noexcept = default;
    constexpr explicit owner(Handle handle) noexcept : Ref(handle) {}
    owner(owner &&other) noexcept : Ref(other.release()) {}
    owner &operator=(owner &&other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    owner(const owner &) = delete;
    owner &operator=(const owner &) = delete;
    ~owner() { reset(); }

    /// Ends the reference now, and takes another.
    void reset(Handle handle = nullptr) noexcept {
        const Handle old = this->get();
        static_cast<Ref &>(*this) = Ref(handle);
        if (old != nullptr) end<Handle, destroy>(old);
    }
    /// Releases the handle to the caller, who destroys it.
    [[nodiscard]] Handle release() noexcept {
        const Handle handle = this->get();
        static_cast<Ref &>(*this) = Ref();
        return handle;
    }
    /// Ends the reference and says how that went, where the destructor cannot. If the call is refused where it is made, in
    /// a host function or during a capture, the owner keeps the handle, and a later call may end it.
    outcome<void> close() {
        const gs_status_t status = destroy(this->get());
        if (!is_refused(status)) static_cast<Ref &>(*this) = Ref();
        return done(status);
    }
};

} // namespace detail
GPUSTREAM_END_NAMESPACE
