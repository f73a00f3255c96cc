// SPDX-License-Identifier: Apache-2.0
#include "backend/host/stream.hpp"

#include <new>

namespace gs::host {

bool append(Stream &stream, const Op &op) noexcept {
    Op *slot = stream.spare_ops;
    if (slot) {
        stream.spare_ops = slot->next;
        *slot = op;
    } else {
        slot = new (std::nothrow) Op(op);
        if (!slot) return false;
    }
    slot->next = nullptr;
    if (stream.head)
        stream.tail->next = slot;
    else
        stream.head = slot;
    stream.tail = slot;
    return true;
}

void remove_head(Stream &stream) noexcept {
    Op *op = stream.head;
    stream.head = op->next;
    if (!stream.head) stream.tail = nullptr;
    op->next = stream.spare_ops;
    stream.spare_ops = op;
}

} // namespace gs::host
