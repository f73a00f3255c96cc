// SPDX-License-Identifier: Apache-2.0
// Where the front is (src/front), and which driver it stands in front of.
#pragma once

#include <string>

namespace command {

// "" with what is missing in *trouble.
std::string front_folder(std::string *trouble);
// The path of the driver that programs get without the front.
std::string driver_path(std::string *trouble);

} // namespace command
