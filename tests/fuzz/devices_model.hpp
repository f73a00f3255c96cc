// SPDX-License-Identifier: Apache-2.0
// gs_parse_visible_devices() and gs_match_uuids() as their comments in the header describe them, written without a look
// at speed.
#pragma once

#include <string>
#include <vector>

namespace gs::fuzz::model {

std::vector<std::string> split(const std::string &text, char at);
std::string visible(const std::string &value);
std::string matches(const std::string &candidates, const std::string &uuids);

} // namespace gs::fuzz::model
