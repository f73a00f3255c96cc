// SPDX-License-Identifier: Apache-2.0
// gs_parse_visible_devices() as its comment in the header describes it, and the rules for prefixes of UUIDs, written
// without a look at speed.
#pragma once

#include <string>
#include <vector>

namespace gs::fuzz::model {

std::vector<std::string> split(const std::string &text, char at);
std::string visible(const std::string &value);
std::string matches(const std::string &candidates, const std::string &uuids);

} // namespace gs::fuzz::model
