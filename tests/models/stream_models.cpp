// SPDX-License-Identifier: Apache-2.0
#include "core/lookup.hpp"
#include "core/stream/stream_life.hpp"
#include "core/thread/current_stream.hpp"
#include "core/thread/scope.hpp"
#include "handle/grace.hpp"
#include "models/models.hpp"

namespace gs::models {
namespace {

uint64_t g_handle;
StreamSlot *g_slot;
bool g_entered;

std::function<void()> set_up(bool ever_current, Marks marks) {
    return [=] {
        set_marks(marks);
        renew_object();
        g_entered = false;
        g_handle = new_stream(ever_current, &g_slot);
    };
}

void destroy() { require(release_stream(block(0), g_handle).ok(), "the only destroy failed"); }

bool push(int number) {
    ThreadBlock &thread = block(number);
    CallMark mark(thread);
    StreamSlot *stream = find_stream(thread, g_handle);
    uint64_t token = 0;
    return stream && push_scope(thread, *thread.core, *stream, g_handle, &token).ok();
}

void pop(int number) { require(pop_scope(block(number), *block(number).core, 0).ok(), "the scope cannot be left"); }

void clean() { clean_up(0, g_handle); }

void check_ended() {
    clean();
    require(object_ended(), "the object never ends");
}

} // namespace

Model stream_ends(bool ever_current, Marks marks) {
    return {ever_current ? "stream_that_was_current_ends" : "stream_ends",
            set_up(ever_current, marks),
            {destroy,
             [] {
                 CallMark mark(block(1));
                 if (find_stream(block(1), g_handle)) use_object();
             }},
            check_ended,
            clean};
}

// A stream that is current on a thread lives until the thread leaves it, here after the run.
Model stream_is_entered(bool ever_current, Marks marks) {
    return {ever_current ? "stream_is_entered_again" : "stream_is_entered",
            set_up(ever_current, marks),
            {destroy,
             [] {
                 if (!push(1)) return;
                 use_object();
                 g_entered = true;
             }},
            [] {
                require(object_ended() != g_entered, "the stream lives if it was entered, and only then");
                check_ended();
            },
            clean};
}

Model stream_is_left(Marks marks) {
    const auto first = set_up(false, marks);
    return {"stream_is_left",
            [=] {
                first();
                push(1);
            },
            {destroy,
             [] {
                 use_object();
                 pop(1);
             }},
            check_ended,
            clean};
}

// The same by the thread's exit.
Model stream_is_left_at_exit(Marks marks) {
    const auto first = set_up(false, marks);
    return {"stream_is_left_at_exit",
            [=] {
                first();
                block(1).core->device = &device(); // an earlier run has emptied it
                push(1);
            },
            {destroy,
             [] {
                 use_object();
                 empty_core(block(1));
             }},
            check_ended,
            clean};
}

} // namespace gs::models
