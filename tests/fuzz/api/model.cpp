// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/model.hpp"

#include <algorithm>
#include <utility>

namespace gs::fuzz {

Object *Model::find(uint64_t handle) {
    const auto found = places_.find(handle);
    return found == places_.end() ? nullptr : &objects_[found->second];
}

Object &Model::at(const char *kind, uint64_t handle) {
    if (Object *known = find(handle)) return *known;
    places_[handle] = objects_.size();
    objects_.push_back({handle, kind});
    return objects_.back();
}

void Model::add_immortal(const char *kind, uint64_t handle) { at(kind, handle).immortal = true; }

void Model::gained(const char *kind, uint64_t handle) { ++at(kind, handle).references; }

void Model::borrowed(const char *kind, uint64_t handle, uint64_t keeper) {
    Object &object = at(kind, handle);
    object.keeper = keeper;
    if (keeper == 0) object.was_current = true; // on a thread
}

void Model::added(uint64_t handle) {
    if (Object *object = find(handle)) ++object->references;
}

void Model::ended(uint64_t handle) {
    if (Object *object = find(handle); object && object->references > 0) --object->references;
}

void Model::made_current(uint64_t handle) {
    if (Object *object = find(handle)) object->was_current = true;
}

void Model::set_held(uint64_t handle) {
    if (Object *object = find(handle)) object->held = true;
}

void Model::set_lent(const char *kind, uint64_t handle, bool lent) { at(kind, handle).lent = lent; }

bool Model::set_release_due(uint64_t handle, bool due) {
    Object *object = find(handle);
    return object && std::exchange(object->release_due, due);
}

void Model::threads_ended() {
    for (Object &object : objects_) object.was_current = false;
}

Alive Model::alive(uint64_t handle, const std::string &kind) const {
    const Object *object = find(handle);
    if (!object || object->kind != kind) return Alive::No;
    if (object->immortal || object->lent || object->references > 0) return Alive::Yes;
    if (const Object *keeper = object->keeper ? find(object->keeper) : nullptr)
        return alive(keeper->handle, keeper->kind);
    return object->was_current || object->held ? Alive::Unsure : Alive::No;
}

Alive Model::destroyable(uint64_t handle, const std::string &kind) const {
    const Object *object = find(handle);
    const bool has = object && object->kind == kind && (object->immortal || object->references > 0);
    return has ? Alive::Yes : object && object->held ? Alive::Unsure : Alive::No;
}

std::vector<uint64_t> Model::handles(const std::string &kind) const {
    std::vector<uint64_t> found;
    for (const Object &object : objects_)
        if (object.kind == kind) found.push_back(object.handle);
    return found;
}

std::string Model::name(uint64_t handle) const {
    const auto found = places_.find(handle);
    return found == places_.end() ? "other" : objects_[found->second].kind + std::to_string(found->second);
}

void Model::forget() {
    std::erase_if(objects_, [](const Object &object) { return !object.immortal; });
    places_.clear();
    for (size_t i = 0; i < objects_.size(); ++i) {
        objects_[i].references = 0;
        places_[objects_[i].handle] = i;
    }
}

} // namespace gs::fuzz
