// SPDX-License-Identifier: Apache-2.0
#include "oracle/token_events.hpp"

#include <sched.h>

namespace gs::oracle {
namespace {

class Locked {
public:
    explicit Locked(SharedToken &newest) : newest_(newest) {
        while (newest_.locked.exchange(1) != 0) sched_yield();
    }
    ~Locked() { newest_.locked.store(0); }
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;

private:
    SharedToken &newest_;
};

gs_status_t make(gs_stream_t on, SharedToken &newest) {
    const Locked locked(newest);
    const gs_status_t status = gs_token_create(on, &newest.token);
    if (status == GS_OK) newest.made = 1;
    return status;
}

bool newest_of(SharedToken &newest, gs_token_t *out) {
    const Locked locked(newest);
    *out = newest.token;
    return newest.made != 0;
}

gs_status_t look(const gs_token_t &token, bool *out_done) {
    gs_status_t seen = GS_OK;
    const gs_status_t status = gs_token_status(&token, &seen);
    *out_done = status == GS_ERROR_INVALID_HANDLE || seen != GS_NOT_READY;
    if (status == GS_ERROR_INVALID_HANDLE) return GS_OK;
    return status == GS_OK && seen == GS_NOT_READY ? GS_OK : status != GS_OK ? status : seen;
}

} // namespace

gs_status_t call_by_token(const Op &op, gs_stream_t on, SharedToken &newest, bool *out_done) {
    if (op.kind == Kind::Record) return make(on, newest);
    gs_token_t token{};
    *out_done = op.kind != Kind::WaitEvent;
    if (!newest_of(newest, &token)) return GS_OK; // never recorded
    if (op.kind == Kind::WaitEvent) {
        const gs_status_t status = gs_token_wait(on, &token);
        return status == GS_ERROR_INVALID_HANDLE ? GS_OK : status;
    }
    gs_status_t status = look(token, out_done);
    while (op.kind == Kind::SyncEvent && status == GS_OK && !*out_done) {
        sched_yield();
        status = look(token, out_done);
    }
    return status;
}

} // namespace gs::oracle
