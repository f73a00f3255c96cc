// SPDX-License-Identifier: Apache-2.0
#include "models/engine/explore.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/thread_block.hpp"
#include "models/engine/choices.hpp"
#include "models/engine/fiber.hpp"
#include "models/engine/runner.hpp"

namespace gs::models {
namespace {

constexpr int kMostSteps = 2000; // of one run: more is a loop that does not end

// What is shared is known from earlier runs; objects have the same addresses in all of them.
class Shared {
public:
    bool note(uintptr_t object, int thread, bool writes) {
        Use &use = uses_.try_emplace(object, Use{thread, false, false}).first->second;
        const bool before = use.several && use.written;
        use.several |= use.first != thread;
        use.written |= writes;
        const bool after = use.several && use.written;
        grew_ |= after && !before;
        return before;
    }
    bool take_grew() noexcept { return std::exchange(grew_, false); }

private:
    struct Use {
        int first;
        bool several;
        bool written;
    };
    std::unordered_map<uintptr_t, Use> uses_;
    bool grew_ = false;
};

struct Step {
    int thread;
    const char *doing;
    uintptr_t object;
    uint64_t value;
    int order;
    const void *code;
};

struct Thread {
    std::unique_ptr<Fiber> fiber;
    Access next;
    bool done = false;
    uint64_t stores_at_yield = UINT64_MAX; // of others, when it last went on after a yield
    ThreadBlock *block = nullptr;          // its value of t_block
};

bool independent(const Access &a, const Access &b) noexcept {
    if (a.kind == Kind::Start || b.kind == Kind::Start) return true;
    for (const Access *one : {&a, &b})
        if (one->kind == Kind::FenceAll || one->kind == Kind::Yield) return false;
    if (a.kind == Kind::Fence || b.kind == Kind::Fence) return !(a.strict && b.strict);
    if (a.object != b.object) return true;
    return a.kind == Kind::Read && b.kind == Kind::Read && !(a.strict && b.strict);
}

class Run;
Run *g_run = nullptr;

class Run {
public:
    explicit Run(const Model &model) : model_(model), memory_([this](int count) { return choose(count); }) {}

    // False: it was cut short, or has failed.
    bool execute() {
        memory_.clear();
        steps_.clear();
        choices_.begin_run();
        threads_.clear();
        threads_.resize(model_.threads.size());
        sleeping_ = 0;
        cut_short_ = false;
        for (size_t i = 0; i < threads_.size(); ++i) threads_[i].fiber = std::make_unique<Fiber>(model_.threads[i]);
        for (size_t i = 0; i < threads_.size(); ++i) resume(static_cast<int>(i)); // to its first access
        for (int count = 0; take_step(); ++count)
            if (count == kMostSteps) {
                fail("a run does not end");
                break;
            }
        current_ = -1;
        return !cut_short_ && failure_.empty();
    }

    int choose(int count) { return cut_short_ || !failure_.empty() ? 0 : choices_.choose(count); }

    void await(const Access &access) {
        const int me = current_;
        Thread &thread = threads_[static_cast<size_t>(me)];
        thread.next = access;
        thread.fiber->leave();
        if (access.kind == Kind::Yield) thread.stores_at_yield = memory_.stores_of_others(me);
    }

    void fail(const std::string &why) {
        if (failure_.empty()) failure_ = why + "\n" + describe();
    }

    const Model &model_;
    Memory memory_;
    Choices choices_;
    Shared shared_;
    std::vector<Step> steps_;
    std::string failure_;
    bool cut_short_ = false;
    int current_ = -1;

private:
    void resume(int number) {
        Thread &thread = threads_[static_cast<size_t>(number)];
        current_ = number;
        std::swap(t_block, thread.block);
        thread.done = !thread.fiber->enter();
        std::swap(t_block, thread.block);
    }

    bool may_go(const Thread &thread) const noexcept {
        if (thread.done) return false;
        if (thread.next.kind == Kind::Lock) return !memory_.locked(thread.next.object);
        // Another turn of a loop makes no difference unless something has changed since the last one.
        const auto number = static_cast<int>(&thread - threads_.data());
        if (thread.next.kind == Kind::Yield)
            return memory_.stores_of_others(number) != thread.stores_at_yield || memory_.may_see_newer(number);
        return true;
    }

    // False: all threads have ended, or none can go on.
    bool take_step() {
        std::vector<int> ready;
        bool left = false;
        for (size_t i = 0; i < threads_.size(); ++i) {
            left |= !threads_[i].done;
            if (may_go(threads_[i])) ready.push_back(static_cast<int>(i));
        }
        if (!left) return false;
        if (ready.empty()) {
            fail("no thread can go on");
            return false;
        }
        if (cut_short_ || !failure_.empty()) { // to its end, in any way
            last_ = ready[(static_cast<size_t>(last_) + 1) % ready.size()];
            resume(last_);
            return true;
        }
        std::vector<int> candidates;
        for (int thread : ready)
            if ((sleeping_ >> thread & 1) == 0) candidates.push_back(thread);
        if (candidates.empty()) {
            cut_short_ = true;
            return true;
        }
        const size_t taken =
            candidates.size() == 1 ? 0 : static_cast<size_t>(choose(static_cast<int>(candidates.size())));
        for (size_t i = 0; i < taken; ++i) sleeping_ |= 1u << candidates[i];
        const int chosen = candidates[taken];
        const Access &access = threads_[static_cast<size_t>(chosen)].next;
        for (size_t i = 0; i < threads_.size(); ++i)
            if (!independent(threads_[i].next, access)) sleeping_ &= ~(1u << i);
        last_ = chosen;
        resume(chosen);
        return true;
    }

    std::string describe() const {
        std::string text;
        char line[160];
        for (const Step &step : steps_) {
            std::snprintf(line, sizeof line, "  %*sthread %d: %s %#zx = %#llx (order %d) at %p\n", step.thread * 4, "",
                          step.thread, step.doing, step.object, static_cast<unsigned long long>(step.value), step.order,
                          step.code);
            text += line;
        }
        return text;
    }

    std::vector<Thread> threads_;
    unsigned sleeping_ = 0;
    int last_ = 0;
};

Sites g_sites;
std::vector<const void *> g_weakened;
int g_weakened_order = __ATOMIC_SEQ_CST;

} // namespace

Result explore(const Model &model, uint64_t most_runs) {
    Run run(model);
    Result result;
    for (;;) {
        run.memory_.forget_watched();
        g_run = &run;
        model.set_up();
        const bool whole = run.execute();
        const bool grew = run.shared_.take_grew();
        if (whole && !grew && model.check) model.check();
        if (model.clean_up) model.clean_up();
        if (grew) { // from the beginning, with what is known now
            run.choices_.restart();
            run.failure_.clear();
            result = {};
            continue;
        }
        ++result.runs;
        result.cut_short += run.cut_short_;
        result.failure = run.failure_;
        if (!result.failure.empty()) break;
        if (!run.choices_.next()) {
            result.complete = true;
            break;
        }
        if (result.runs == most_runs) break;
    }
    g_run = nullptr;
    return result;
}

void require(bool holds, const char *rule) {
    if (!holds) g_run->fail(rule);
}

void watch_memory(const void *begin, size_t bytes, const char *name) { g_run->memory_.watch(begin, bytes, name); }
int current_thread() noexcept { return g_run ? g_run->current_ : -1; }
const Sites &sites() noexcept { return g_sites; }
void forget_sites() noexcept { g_sites.clear(); }

void weaken(std::vector<const void *> code, int order) {
    g_weakened = std::move(code);
    g_weakened_order = order;
}

bool in_model() noexcept { return g_run && g_run->current_ >= 0; }
int current() noexcept { return g_run->current_; }
bool is_shared(uintptr_t object, bool writes) noexcept { return g_run->shared_.note(object, g_run->current_, writes); }
void await_turn(const Access &access) noexcept { g_run->await(access); }
Memory &memory() noexcept { return g_run->memory_; }

int order_of(int order, const void *code) noexcept {
    return std::find(g_weakened.begin(), g_weakened.end(), code) == g_weakened.end() ? order : g_weakened_order;
}

void note_site(const char *doing, int order, const void *code) { g_sites.try_emplace(code, Site{doing, order}); }

void trace(const char *doing, uintptr_t object, uint64_t value, int order, const void *code) {
    g_run->steps_.push_back({g_run->current_, doing, object, value, order, code});
}

void fail_run(const std::string &why) noexcept { g_run->fail(why); }

} // namespace gs::models
