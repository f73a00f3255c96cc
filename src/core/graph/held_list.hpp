// SPDX-License-Identifier: Apache-2.0
// Objects that live as long as a graph and its executables, which count as holders of the list.
#pragma once

#include <new>

#include "base/lock.hpp"
#include "base/ref_count.hpp"
#include "base/status.hpp"
#include "core/work/kernels.hpp"

namespace gs {

template <typename T>
class HeldList {
public:
    HeldList() noexcept = default;
    explicit HeldList(T &first) noexcept GS_UNANALYSED { // no other thread has the list yet
        first.hold();
        first_.object = &first;
    }
    // Any thread. The list holds the object from now on, once.
    Status add(T &object) noexcept {
        MutexLock lock(mutex_);
        for (const Entry *entry = &first_; entry && entry->object; entry = entry->next)
            if (entry->object == &object) return kOk;
        if (first_.object) {
            auto *entry = new (std::nothrow) Entry{first_.object, first_.next};
            if (!entry) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for what a graph holds");
            first_.next = entry;
        }
        object.hold();
        first_.object = &object;
        return kOk;
    }
    Status add_all(const HeldList &other) noexcept {
        return other.for_each([this](T &object) { return add(object); });
    }
    // Until use(object) fails. What is behind the first entry does not change: others are added in front of it.
    template <typename Use>
    Status for_each(Use &&use) const noexcept {
        const Entry first = first_entry();
        for (const Entry *entry = &first; entry && entry->object; entry = entry->next) GS_TRY(use(*entry->object));
        return kOk;
    }
    void hold() noexcept { holders_.retain(); }
    // Until the process ends: the list can be found, so that checkers of memory do not take it for lost.
    void hold_for_ever() noexcept {
        MutexLock lock(kept_mutex_);
        if (is_kept_) return;
        is_kept_ = true;
        hold();
        next_kept_ = kept_;
        kept_ = this;
    }
    // Does not wait for the device.
    void let_go() noexcept {
        if (holders_.release()) delete this;
    }

private:
    struct Entry {
        T *object = nullptr;
        Entry *next = nullptr;
    };
    Entry first_entry() const noexcept {
        MutexLock lock(mutex_);
        return first_;
    }
    ~HeldList() GS_UNANALYSED { // the last holder has let go
        if (first_.object) first_.object->let_go_later();
        while (Entry *entry = first_.next) {
            first_.next = entry->next;
            entry->object->let_go_later();
            delete entry;
        }
    }

    static inline Mutex kept_mutex_;
    static inline HeldList *kept_ GS_GUARDED_BY(kept_mutex_) = nullptr;
    HeldList *next_kept_ GS_GUARDED_BY(kept_mutex_) = nullptr;
    bool is_kept_ GS_GUARDED_BY(kept_mutex_) = false;

    RefCount holders_;
    mutable Mutex mutex_;
    Entry first_ GS_GUARDED_BY(mutex_); // most graphs have kernels of one module
};

template <typename T>
void let_go_of(HeldList<T> *&list) noexcept {
    if (list) list->let_go();
    list = nullptr;
}

// Modules that stay loaded as long as a graph and its executables.
using ModuleList = HeldList<LoadedModule>;

} // namespace gs
