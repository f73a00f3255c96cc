// SPDX-License-Identifier: Apache-2.0
// The functions that the public header declares, for tables that must not miss one.
#pragma once

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace gs::test {

struct HeaderFunction {
    std::string name;
    std::string declaration;
    bool takes_handle; // a stream, event, module or kernel by value
};

inline std::vector<HeaderFunction> functions_of(const std::string &header_text) {
    static const std::regex declaration(R"(\nGS_API ([^;]*?\b(gs_[a-z0-9_]+)\([^;]*);)");
    static const std::regex handle(R"(gs_(stream|event|module|kernel)_t [a-z])");
    std::vector<HeaderFunction> result;
    for (std::sregex_iterator at(header_text.begin(), header_text.end(), declaration), end; at != end; ++at) {
        const std::string text = (*at)[1];
        const std::string parameters = text.substr(text.find('('));
        result.push_back({(*at)[2], text, std::regex_search(parameters, handle)});
    }
    return result;
}

inline std::vector<HeaderFunction> header_functions() {
    std::ifstream file(GPUSTREAM_HEADER_PATH);
    std::stringstream text;
    text << file.rdbuf();
    return functions_of(text.str());
}

} // namespace gs::test
