// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <charconv>
#include <string_view>

#include "failure.hpp"

namespace pipeline {

const char kUsageText[] =
    R"(usage: pipeline FILE [--streams N] [--chunk BYTES] [--backend host|cuda|auto] [--timeline OUT] [--progress]

Cuts FILE into chunks and drives them through copy-in, kernel (CRC-32 and byte histogram) and copy-out on N streams,
ordered and timed by events only. Checks the result against a sequential pass over FILE.

  --streams N      streams, 1 to 64 (default 6). A worker thread drives up to three: one for each stage.
  --chunk BYTES    size of a chunk, 1 to 1G; suffixes K, M, G mean 2^10, 2^20, 2^30 (default 4M)
  --backend NAME   host, cuda, or auto (default: cuda if a device is usable, else host)
  --timeline OUT   writes OUT.svg (to look at) and OUT.json (for trace viewers)
  --progress       progress lines on stderr also where it is no terminal or the file is short
  --forget-wait    leaves out the wait of the kernel for copy-in: a race, for the ordering checker (GPUSTREAM_CHECK=report)
  --help           this text

The table's columns: ms is the sum over all chunks of the time between the events around the stage; GB/s is bytes by
that time (1 GB = 10^9 bytes); in flight is that time by the wall time: how many of the stage's operations were under
way on average. Wall time runs from the first to the last event. The overlap factor against one stream is how many times
longer the same bytes take on one stream, measured with the same chunks on the first 64 MiB (4 chunks if that is more).
One stream has one worker, so the factor is gained by more workers that read the file as well as by more streams.

Exit status: 0 the result is right, 1 it is not, 2 wrong usage, 3 the file is missing, empty, unreadable, no regular
file or changes during the run, or the timeline cannot be written, 4 a gpustream call failed.
)";

namespace {

[[noreturn]] void refuse(const std::string &message) {
    throw Failure(Exit::kUsage, message + "\n--help shows the usage");
}

uint64_t parse_number(std::string_view option, std::string_view text, bool suffix_allowed, uint64_t most) {
    const auto bad = [&] {
        refuse("'" + std::string(text) + "' is not a value for " + std::string(option) + ": 1 to " +
               std::to_string(most));
    };
    uint64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view suffix(rest, static_cast<size_t>(text.data() + text.size() - rest));
    if (error != std::errc() || value == 0 || value > most) bad();
    if (suffix.empty()) return value;
    const size_t power = std::string_view("KMG").find(suffix[0]);
    if (!suffix_allowed || suffix.size() != 1 || power == std::string_view::npos) bad();
    const unsigned shift = 10 * (static_cast<unsigned>(power) + 1);
    if (value > most >> shift) bad();
    return value << shift;
}

gs_backend_t parse_backend(std::string_view text) {
    if (text == "host") return GS_BACKEND_HOST;
    if (text == "cuda") return GS_BACKEND_CUDA;
    if (text == "auto") return GS_BACKEND_DEFAULT;
    refuse("'" + std::string(text) + "' is not a backend: host, cuda or auto");
}

void set_valued_option(Options &options, std::string_view name, std::string_view value) {
    if (name == "--streams") {
        options.streams = static_cast<int>(parse_number(name, value, false, 64));
    } else if (name == "--chunk") {
        options.chunk_bytes = static_cast<uint32_t>(parse_number(name, value, true, 1u << 30));
    } else if (name == "--backend") {
        options.backend = parse_backend(value);
    } else if (name == "--timeline") {
        if (value.empty()) refuse("--timeline needs a path");
        options.timeline = value;
    } else {
        refuse("unknown option '" + std::string(name) + "'");
    }
}

bool has_value(std::string_view name) {
    return name == "--streams" || name == "--chunk" || name == "--backend" || name == "--timeline";
}

} // namespace

Options parse_options(int count, const char *const *arguments) {
    Options options;
    bool file_given = false;
    bool only_files = false;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        if (!only_files && argument == "--") {
            only_files = true;
        } else if (only_files || argument.empty() || argument[0] != '-') {
            if (file_given) refuse("more than one file given");
            options.file = argument;
            file_given = true;
        } else if (argument == "--help" || argument == "-h") {
            options.help = true;
        } else if (argument == "--progress") {
            options.progress = true;
        } else if (argument == "--forget-wait") {
            options.forget_wait = true;
        } else if (const size_t equals = argument.find('='); equals != std::string_view::npos) {
            set_valued_option(options, argument.substr(0, equals), argument.substr(equals + 1));
        } else {
            if (has_value(argument) && i + 1 == count) refuse(std::string(argument) + " needs a value");
            set_valued_option(options, argument, has_value(argument) ? arguments[++i] : "");
        }
    }
    if (!file_given && !options.help) refuse("no file given");
    return options;
}

} // namespace pipeline
