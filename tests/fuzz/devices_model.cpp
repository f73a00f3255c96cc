// SPDX-License-Identifier: Apache-2.0
#include "fuzz/devices_model.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace gs::fuzz::model {
namespace {

std::string join(const std::vector<std::string> &parts) {
    std::string text;
    for (const std::string &part : parts) text += (&part == parts.data() ? "" : ",") + part;
    return text;
}

bool begins_with(const std::string &text, const std::string &start) {
    return text.compare(0, start.size(), start) == 0;
}

// "": the element has no number that counts.
std::string number(std::string element) {
    while (!element.empty() && std::string(" \t\n\v\f\r\x1c\x1d\x1e\x1f").find(element[0]) != std::string::npos)
        element.erase(0, 1);
    const bool minus = begins_with(element, "-");
    if (minus || begins_with(element, "+")) element.erase(0, 1);
    size_t digits = 0;
    while (digits < element.size() && element[digits] >= '0' && element[digits] <= '9') ++digits;
    std::string text = element.substr(0, digits);
    while (text.size() > 1 && text[0] == '0') text.erase(0, 1);
    return minus && text != "0" ? "" : text;
}

} // namespace

std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::string visible(const std::string &value) {
    std::vector<std::string> list;
    for (const std::string prefix : {"GPU-", "MIG-"}) {
        if (!begins_with(value, prefix)) continue;
        for (const std::string &element : split(value, ',')) {
            if (!begins_with(element, prefix)) break;
            if (std::count(list.begin(), list.end(), element) > 0) return "";
            list.push_back(element);
        }
        return join(list);
    }
    for (const std::string &element : split(value, ',')) {
        const std::string digits = number(element);
        if (digits.empty()) break;
        if (std::count(list.begin(), list.end(), digits) > 0) return "";
        list.push_back(digits);
    }
    return join(list);
}

std::string matches(const std::string &candidates, const std::string &uuids) {
    const std::vector<std::string> known = split(uuids, ',');
    std::vector<std::string> list;
    for (const std::string &candidate : split(candidates, ',')) {
        std::vector<std::string> found;
        for (size_t i = 0; i < known.size(); ++i)
            if (begins_with(known[i], candidate)) found.push_back(std::to_string(i));
        if (found.size() != 1) break;
        if (std::count(list.begin(), list.end(), found[0]) > 0) return "";
        list.push_back(found[0]);
    }
    return join(list);
}

} // namespace gs::fuzz::model
