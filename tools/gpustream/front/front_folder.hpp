// SPDX-License-Identifier: Apache-2.0
// Where the front is (src/front), and which driver it stands in front of.
#pragma once

#include <string>

namespace command {

// "" with what is missing in *trouble.
std::string front_folder(std::string *trouble);
// The driver that the options of `run` and `shake` choose: the machine's or the simulated one (src/simulated).
class ChosenDriver {
public:
    // Takes the option at *at, and its value, if it is one of these. False: it is not, or *trouble says what is wrong.
    bool take(int count, char **arguments, int *at, std::string *trouble);
    std::string path(std::string *trouble) const; // the simulated one, or what programs get without the front
    bool is_simulated() const { return devices_ != 0; }
    std::string settings() const; // parts of GPUSTREAM_RUN

private:
    long devices_ = 0; // of the simulated driver; 0: it was not chosen
    std::string settings_;
};

} // namespace command
