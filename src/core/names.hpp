// SPDX-License-Identifier: Apache-2.0
// Names of streams, events, graphs and their executables, for texts that people read. They stand beside the slots,
// because most objects have none. A name outlives its object until the slot's next one gets a name, so the text about a
// handle that is no longer live still has it.
//
// Reading takes no lock and no memory, and may happen in a signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "handle/handle_bits.hpp"

namespace gs {

inline constexpr size_t kNameBytes = 64; // with the NUL

// The handle must be that of a live stream, event, graph or executable. nullptr and "": no name. OUT_OF_MEMORY.
Status set_name(uint64_t handle, const char *name) noexcept;

// The first bytes of any text, with '?' for control characters and for bytes that are not UTF-8.
void make_printable_name(const char *name, char (&out)[kNameBytes]) noexcept;

struct NameText {
    char text[kNameBytes];
};
NameText name_of_object(uint64_t handle) noexcept; // "" if it has none

// "0x4000000001000001", followed by the name in quotation marks if it has one.
struct ObjectText {
    char text[kNameBytes + 28];
};
ObjectText describe_object(uint64_t handle) noexcept;

// Why a call refuses a number as a handle, or finds none for a new object, with the next step. One place for all kinds of
// object.

// INVALID_HANDLE: no object of the kind lives under this handle.
Status no_such_object(Kind wanted, uint64_t handle) noexcept __attribute__((cold));

// OUT_OF_MEMORY: a slot for another object could not be taken, for want of memory or of handles.
Status no_slot(Kind wanted) noexcept __attribute__((cold));

} // namespace gs
