// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler/memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gs::schedule {

static_assert(kMostLocations <= 64, "Known::looked_at has a bit for each");

namespace {

constexpr uint64_t kGap = uint64_t{1} << 32; // between the stamps of two stores that follow each other

bool acquires(int order) noexcept {
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}
bool releases(int order) noexcept {
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

[[noreturn]] void give_up(const char *why) noexcept {
    std::fprintf(stderr, "[schedule] %s\n", why);
    std::abort();
}

} // namespace

void Memory::clear() noexcept {
    locations_.clear();
    held_.clear();
    stores_ = 0;
    for (int i = 0; i < kMostThreads; ++i) {
        known_[i] = {};
        known_[i].now.steps[i] = 1;
    }
    for (Range &range : ranges_) range.cells.assign(range.cells.size(), Cell{});
}

int Memory::index_of(uintptr_t address, size_t size) {
    for (size_t i = 0; i < locations_.size(); ++i) {
        if (locations_[i].address != address) continue;
        if (locations_[i].size != size) give_up("one object is accessed with two sizes");
        return static_cast<int>(i);
    }
    if (locations_.size() == kMostLocations) give_up("too many shared locations");
    Location &added = locations_.emplace_back();
    added.address = address;
    added.size = size;
    uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void *>(address), size);
    added.stores.push_back({0, value, {}, false});
    return static_cast<int>(locations_.size() - 1);
}

uint64_t Memory::floor(int thread, int index, int order) const noexcept {
    const uint64_t seen = known_[thread].now.oldest[static_cast<size_t>(index)];
    return order == __ATOMIC_SEQ_CST ? std::max(seen, locations_[static_cast<size_t>(index)].strict) : seen;
}

// One of the stores that the thread may read, newest first.
Memory::Store &Memory::pick(int thread, int index, int order, const std::function<bool(const Store &)> &fits) {
    std::vector<Store> &stores = locations_[static_cast<size_t>(index)].stores;
    const uint64_t oldest = floor(thread, index, order);
    std::vector<size_t> possible;
    for (size_t i = stores.size(); i-- > 0 && stores[i].stamp >= oldest;)
        if (fits(stores[i])) possible.push_back(i);
    if (possible.empty()) give_up("nothing to read");
    const int count = static_cast<int>(possible.size());
    return stores[possible[count == 1 ? 0 : static_cast<size_t>(choose_(count))]];
}

uint64_t Memory::read(int thread, int index, Store &from, int order) noexcept {
    Known &known = known_[thread];
    uint64_t &oldest = known.now.oldest[static_cast<size_t>(index)];
    oldest = std::max(oldest, from.stamp);
    known.acquired.join(from.view);
    if (acquires(order)) known.now.join(from.view);
    Location &location = locations_[static_cast<size_t>(index)];
    if (order == __ATOMIC_SEQ_CST) location.strict = std::max(location.strict, from.stamp);
    known.looked_at |= uint64_t{1} << index;
    return from.value;
}

// behind: the stamp of the store that it follows in modification order. inherited: of what a read-modify-write read.
void Memory::append(int thread, int index, uint64_t value, int order, uint64_t behind, const View *inherited) {
    Location &location = locations_[static_cast<size_t>(index)];
    size_t place = 0;
    while (place < location.stores.size() && location.stores[place].stamp <= behind) ++place;
    const bool last = place == location.stores.size();
    const uint64_t stamp = last ? behind + kGap : behind + (location.stores[place].stamp - behind) / 2;
    if (stamp == behind) give_up("no room between two stores");
    Known &known = known_[thread];
    known.now.oldest[static_cast<size_t>(index)] = stamp;
    Store made{stamp, value, releases(order) ? known.now : known.released, false};
    made.view.oldest[static_cast<size_t>(index)] = stamp;
    if (inherited) made.view.join(*inherited);
    location.stores.insert(location.stores.begin() + static_cast<std::ptrdiff_t>(place), made);
    if (order == __ATOMIC_SEQ_CST) location.strict = std::max(location.strict, stamp);
    ++known.now.steps[static_cast<size_t>(thread)];
    ++known.stores;
    ++stores_;
    if (last) write_memory(location);
}

// For what reads the memory after the threads have ended.
void Memory::write_memory(const Location &location) noexcept {
    std::memcpy(reinterpret_cast<void *>(location.address), &location.stores.back().value, location.size);
}

uint64_t Memory::load(int thread, uintptr_t address, size_t size, int order) {
    const int index = index_of(address, size);
    return read(thread, index, pick(thread, index, order, [](const Store &) { return true; }), order);
}

void Memory::store(int thread, uintptr_t address, size_t size, uint64_t value, int order) {
    const int index = index_of(address, size);
    const uint64_t behind = pick(thread, index, order, [](const Store &store) { return !store.updated; }).stamp;
    append(thread, index, value, order, behind, nullptr);
}

uint64_t Memory::update(int thread, uintptr_t address, size_t size, int order,
                        const std::function<uint64_t(uint64_t)> &changed) {
    const int index = index_of(address, size);
    Store &from = pick(thread, index, order, [](const Store &store) { return !store.updated; });
    from.updated = true;
    const View inherited = from.view;
    const uint64_t behind = from.stamp, before = read(thread, index, from, order);
    append(thread, index, changed(before), order, behind, &inherited);
    return before;
}

bool Memory::compare_exchange(int thread, uintptr_t address, size_t size, uint64_t *expected, uint64_t value,
                              int success, int failure) {
    const int index = index_of(address, size);
    const uint64_t wanted = *expected;
    const uint64_t strict = floor(thread, index, success), loose = floor(thread, index, failure);
    Store &from = pick(thread, index, __ATOMIC_RELAXED, [&](const Store &store) {
        return store.value == wanted ? !store.updated && store.stamp >= strict : store.stamp >= loose;
    });
    if (from.value != wanted) {
        *expected = read(thread, index, from, failure);
        return false;
    }
    from.updated = true;
    const View inherited = from.view;
    const uint64_t behind = from.stamp;
    read(thread, index, from, success);
    append(thread, index, value, success, behind, &inherited);
    return true;
}

void Memory::fence(int thread, int order) noexcept {
    Known &known = known_[thread];
    if (acquires(order)) known.now.join(known.acquired);
    if (order == __ATOMIC_SEQ_CST) {
        for (size_t i = 0; i < locations_.size(); ++i) {
            uint64_t &strict = locations_[i].strict, &oldest = known.now.oldest[i];
            strict = oldest = std::max(strict, oldest);
        }
    }
    if (releases(order)) {
        known.released = known.now;
        ++known.now.steps[static_cast<size_t>(thread)];
    }
}

void Memory::fence_all(int caller) noexcept {
    fence(caller, __ATOMIC_SEQ_CST);
    for (int i = 0; i < kMostThreads; ++i) fence(i, __ATOMIC_SEQ_CST);
    fence(caller, __ATOMIC_SEQ_CST);
}

Memory::Held &Memory::held(uintptr_t mutex) {
    for (Held &each : held_)
        if (each.mutex == mutex) return each;
    return held_.emplace_back(Held{mutex, {}});
}

void Memory::lock(int thread, uintptr_t mutex) { known_[thread].now.join(held(mutex).view); }

void Memory::unlock(int thread, uintptr_t mutex) {
    held(mutex).view = known_[thread].now;
    ++known_[thread].now.steps[static_cast<size_t>(thread)];
}

void Memory::yielded(int thread) noexcept {
    Known &known = known_[thread];
    known.others_at_yield = stores_of_others(thread);
    for (size_t i = 0; i < locations_.size(); ++i)
        if ((known.looked_at >> i & 1) != 0)
            known.now.oldest[i] = std::max(known.now.oldest[i], locations_[i].stores.back().stamp);
    known.looked_at = 0;
}

bool Memory::has_news(int thread) const noexcept {
    const Known &known = known_[thread];
    if (stores_of_others(thread) != known.others_at_yield) return true;
    for (size_t i = 0; i < locations_.size(); ++i)
        if ((known.looked_at >> i & 1) != 0 && known.now.oldest[i] < locations_[i].stores.back().stamp) return true;
    return false;
}

void Memory::watch(const void *begin, size_t bytes, const char *name) {
    ranges_.push_back({reinterpret_cast<uintptr_t>(begin), name, std::vector<Cell>(bytes)});
}

std::string Memory::plain(int thread, uintptr_t address, size_t size, bool write) {
    const View &now = known_[thread].now;
    for (Range &range : ranges_) {
        for (uintptr_t at = address; at < address + size; ++at) {
            if (at - range.begin >= range.cells.size()) continue;
            Cell &cell = range.cells[at - range.begin];
            bool race =
                cell.writer >= 0 && cell.writer != thread && now.steps[static_cast<size_t>(cell.writer)] < cell.written;
            for (int i = 0; write && i < kMostThreads; ++i)
                race |= i != thread && now.steps[static_cast<size_t>(i)] < cell.read[static_cast<size_t>(i)];
            if (race) return std::string("data race on ") + range.name + " + " + std::to_string(at - range.begin);
            const uint32_t step = now.steps[static_cast<size_t>(thread)];
            if (write) {
                cell.writer = thread;
                cell.written = step;
            } else {
                cell.read[static_cast<size_t>(thread)] = step;
            }
        }
    }
    return {};
}

} // namespace gs::schedule
