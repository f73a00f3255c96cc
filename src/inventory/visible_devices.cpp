// SPDX-License-Identifier: Apache-2.0
#include "inventory/visible_devices.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "base/text.hpp"

namespace gs::inventory {
namespace {

// Blanks as Python's str.strip() knows them in ASCII: users of torch.cuda meet the same rule.
constexpr std::string_view kBlanks = " \t\n\v\f\r\x1c\x1d\x1e\x1f";

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) noexcept {
    const size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The number an element begins with, as digits; empty where there is none or it is negative.
std::string_view leading_number(std::string_view element) noexcept {
    std::string_view text = trimmed(element);
    bool negative = false;
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    const size_t length = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    if (length == 0) return {};
    text = text.substr(0, length);
    const size_t significant = text.find_first_not_of('0');
    text = significant == std::string_view::npos ? std::string_view("0") : text.substr(significant);
    return negative && text != "0" ? std::string_view{} : text; // -0 is 0
}

bool contains(const std::vector<std::string> &list, std::string_view element) noexcept {
    return std::find(list.begin(), list.end(), element) != list.end();
}

// The elements up to the next comma; *text is what follows it. False after the last one.
bool next_element(std::string_view *text, bool *more, std::string_view *out) noexcept {
    if (!*more) return false;
    const size_t comma = text->find(',');
    *more = comma != std::string_view::npos;
    *out = text->substr(0, comma);
    if (*more) text->remove_prefix(comma + 1);
    return true;
}

// A repeated element makes the list empty even where a non-matching one would have ended it later.
void collect_names(std::string_view text, std::string_view prefix, std::vector<std::string> *out) {
    bool more = true;
    for (std::string_view element; next_element(&text, &more, &element);) {
        if (contains(*out, element)) return out->clear();
        if (!element.starts_with(prefix)) return;
        out->emplace_back(element);
    }
}

void collect_numbers(std::string_view text, VisibleList *out) {
    bool more = true;
    for (std::string_view element; next_element(&text, &more, &element);) {
        const std::string_view number = leading_number(element);
        if (number.empty()) return;
        if (contains(out->elements, number)) return out->elements.swap(out->before_repetition);
        out->elements.emplace_back(number);
    }
}

Status out_of_memory() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a list of devices"); }

} // namespace

Status parse_visible_devices(const char *value, VisibleList *out) noexcept {
    try {
        *out = {};
        if (!value) {
            for (int i = 0; i < kUnsetCount; ++i) out->elements.push_back(decimal(static_cast<uint64_t>(i)));
            return kOk;
        }
        const std::string_view text(value);
        if (text.starts_with("GPU-")) {
            out->kind = VisibleList::Kind::Gpus;
            collect_names(text, "GPU-", &out->elements);
        } else if (text.starts_with("MIG-")) {
            out->kind = VisibleList::Kind::MigInstances;
            collect_names(text, "MIG-", &out->elements);
        } else {
            collect_numbers(text, out);
        }
        return kOk;
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
}

const std::vector<std::string> &taken_numbers(const VisibleList &list, size_t devices, size_t *out) noexcept {
    const bool repeats = !list.before_repetition.empty();
    const auto &numbers = repeats ? list.before_repetition : list.elements;
    const auto exists = [&](const std::string &number) {
        return std::strtoul(number.c_str(), nullptr, 10) < devices; // saturates: out of range either way
    };
    const auto end = std::find_if_not(numbers.begin(), numbers.end(), exists);
    *out = repeats && end == numbers.end() ? 0 : static_cast<size_t>(end - numbers.begin());
    return numbers;
}

Status match_uuids(const std::vector<std::string> &candidates, const std::vector<std::string> &uuids,
                   std::vector<size_t> *out) noexcept {
    try {
        out->clear();
        for (const std::string &candidate : candidates) {
            const auto begins = [&](const std::string &uuid) { return uuid.starts_with(candidate); };
            const auto found = std::find_if(uuids.begin(), uuids.end(), begins);
            if (found == uuids.end() || std::any_of(found + 1, uuids.end(), begins)) return kOk;
            const auto position = static_cast<size_t>(found - uuids.begin());
            if (std::find(out->begin(), out->end(), position) != out->end()) {
                out->clear();
                return kOk;
            }
            out->push_back(position);
        }
        return kOk;
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
}

} // namespace gs::inventory
