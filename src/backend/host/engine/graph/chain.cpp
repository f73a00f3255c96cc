// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/chain.hpp"

#include "backend/host/engine/engine.hpp"

namespace gs::host {

Chain::~Chain() {
    while (Op *op = first_) {
        first_ = op->next;
        if (op->kind == Op::Kind::Marker)
            op->record->release();
        else
            Engine::drop(*op);
        delete op;
    }
}

void Chain::add(const Op &op) {
    Op *made = new Op(op);
    made->next = nullptr;
    (first_ ? last_->next : first_) = made;
    last_ = made;
}

void Chain::add_wait(Record &record) {
    Op wait(Op::Kind::Wait);
    wait.record = &record;
    add(wait);
    record.retain();
}

void Chain::add_marker(Record &record, bool timed) {
    Op marker(Op::Kind::Marker);
    marker.record = &record;
    marker.timed = timed;
    add(marker);
    record.retain();
}

void Chain::move_to(Stream &stream) noexcept {
    if (!first_) return;
    (stream.head ? stream.tail->next : stream.head) = first_;
    stream.tail = last_;
    first_ = last_ = nullptr;
}

} // namespace gs::host
