// SPDX-License-Identifier: Apache-2.0
#include "tools/call_stack.hpp"

#include <unwind.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/dynlib.hpp"
#include "base/rare_state.hpp"

namespace gs {
namespace {

constexpr size_t kMostFrames = 28;

struct Walk {
    uintptr_t frames[kMostFrames];
    size_t count = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context *context, void *arg) {
    auto &walk = *static_cast<Walk *>(arg);
    const uintptr_t address = _Unwind_GetIP(context);
    if (address == 0 || walk.count == kMostFrames) return _URC_END_OF_STACK;
    walk.frames[walk.count++] = address;
    return _URC_NO_REASON;
}

std::string file_text(uintptr_t frame, const char *file) {
    char mapped[PATH_MAX];
    // The loader has the program by the name that it was started with.
    if (kWholePaths) return file[0] != '/' && mapped_file(frame, mapped, sizeof mapped) ? mapped : file;
    const char *slash = std::strrchr(file, '/');
    return slash ? slash + 1 : file;
}

std::string describe_frame(uintptr_t frame, const CodeAddress &place) {
    char offset[48];
    if (!place.file) {
        std::snprintf(offset, sizeof offset, "%#zx", static_cast<size_t>(frame));
        return offset;
    }
    std::string symbol;
    if (place.symbol) {
        std::snprintf(offset, sizeof offset, "+%#zx", static_cast<size_t>(place.symbol_offset));
        symbol = demangle(place.symbol) + offset;
    }
    std::snprintf(offset, sizeof offset, "+%#zx)", static_cast<size_t>(place.file_offset));
    const std::string file = "(" + file_text(frame, place.file) + offset;
    return symbol.empty() ? file : kWholePaths ? file + " " + symbol : symbol + " " + file;
}

// The frames inside the tools and the library are of no use to its caller: the first one to show is that of the exported function.
size_t first_shown(const Frames &frames) noexcept {
    const CodeAddress tools = code_address(reinterpret_cast<uintptr_t>(&capture_call_stack));
    const CodeAddress core = code_address(reinterpret_cast<uintptr_t>(&g_rare_state));
    for (size_t i = 0; i < frames.size(); ++i) {
        const CodeAddress place = code_address(frames[i] - 1);
        if (place.base != tools.base && place.base != core.base) return kOwnFunctionsShown == 0 ? i : 0;
        if (place.symbol && std::strncmp(place.symbol, "gs_", 3) == 0) return i;
    }
    return 0;
}

} // namespace

Frames capture_call_stack() {
    Walk walk;
    _Unwind_Backtrace(visit, &walk);
    const size_t own = walk.count > 0 ? 1 : 0; // this function
    return {walk.frames + own, walk.frames + walk.count};
}

std::vector<std::string> describe_call_stack(const Frames &frames) { return describe_call_site({frames, {}}); }

CallSite capture_call_site() {
    CallSite site{capture_call_stack(), {}};
    for (const PythonFrame &frame : python_frames(kMostFrames)) site.python.push_back(place_text(frame));
    return site;
}

std::vector<std::string> describe_call_site(const CallSite &site) {
    std::vector<std::string> texts;
    const uintptr_t interpreter = interpreter_base();
    bool python_is_shown = false;
    const auto show_python = [&] {
        if (!std::exchange(python_is_shown, true)) texts.insert(texts.end(), site.python.begin(), site.python.end());
    };
    for (size_t i = first_shown(site.frames); i < site.frames.size(); ++i) {
        // A return address may lie behind the end of its function: the call is before it.
        const CodeAddress place = code_address(site.frames[i] - 1);
        if (interpreter != 0 && place.base == interpreter)
            show_python();
        else
            texts.push_back(describe_frame(site.frames[i], place));
    }
    show_python(); // the interpreter's frames are beyond those that were kept
    return texts;
}

namespace {

using Demangler = char *(*)(const char *symbol, char *buffer, size_t *bytes, int *out_status); // the C++ ABI's

// What languages load for an extension of theirs alone is found by the library's name only.
constexpr const char *kLibraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};

// Empty without a demangler in the process, and for symbols of other languages.
std::string demangle_with(void *demangler, const char *symbol) {
    if (!demangler) return {};
    int status = 0;
    char *text = reinterpret_cast<Demangler>(demangler)(symbol, nullptr, nullptr, &status);
    std::string name = text && status == 0 ? text : "";
    std::free(text);
    return name;
}

} // namespace

std::string demangle(const char *symbol) {
    constexpr const char *kName = "__cxa_demangle";
    if (std::strncmp(symbol, "_Z", 2) != 0) return symbol; // without it, "f" is a type: float
    std::string name = demangle_with(find_symbol_anywhere(kName), symbol);
    for (const char *path : kLibraries) {
        if (!name.empty()) break;
        void *library = loaded_library(path);
        if (!library) continue;
        name = demangle_with(find_symbol(library, kName), symbol);
        close_library(library); // it was loaded before
    }
    return name.empty() ? symbol : name;
}

} // namespace gs
