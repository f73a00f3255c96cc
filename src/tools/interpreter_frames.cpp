// SPDX-License-Identifier: Apache-2.0
// Python's frames from the memory of the interpreter, for a thread that has given its lock up. Python 3.10, 3.13 and 3.14 export no writer
// of tracebacks. Since 3.13 they tell debuggers where the fields of their structures are: _Py_DebugOffsets, at the beginning of _PyRuntime. The
// functions that are called here take no lock, and leave all counts of references alone.
#include <cstring>

#include "base/dynlib.hpp"
#include "tools/call_stack.hpp"

namespace gs {
namespace {

// Offsets in bytes: of a thread, of its frames and of their code.
struct Places {
    uint64_t current_frame, previous, executable, owner, filename, name;
};
// Python 3.10 has no owners. Its structures are in its headers cpython/pystate.h, frameobject.h and code.h.
constexpr Places kPlacesOf310 = {24, 24, 32, 0, 104, 112};
// Which words of _Py_DebugOffsets have them: Include/internal/pycore_runtime.h, and since 3.14 pycore_debug_offsets.h.
constexpr Places kWordsOf313 = {23, 29, 30, 33, 35, 36}, kWordsOf314 = {26, 32, 33, 36, 40, 41};
constexpr unsigned char kFirstOwnerInC = 3; // of frames of the interpreter itself
constexpr uintptr_t kTags = 7;              // of a reference on the interpreter's stack

struct Interpreter {
    Places places;
    int (*line)(void *frame);
    ptrdiff_t (*length)(void *text);
    uint32_t (*character)(void *text, ptrdiff_t at);
};

bool read_places(const Places &words, Places *out) noexcept {
    const char *runtime = nullptr;
    if (!find_symbol_anywhere(&runtime, "_PyRuntime") || std::memcmp(runtime, "xdebugpy", 8) != 0) return false;
    const auto read = [&](uint64_t word) {
        uint64_t offset = 0;
        std::memcpy(&offset, runtime + 8 * word, sizeof offset);
        return offset;
    };
    if ((read(1) & 0xF0) != 0xF0) return false; // PY_VERSION_HEX: before the final release the places may be others
    *out = {read(words.current_frame), read(words.previous), read(words.executable),
            read(words.owner),         read(words.filename), read(words.name)};
    return true;
}

bool find_interpreter(Interpreter &found) noexcept {
    const char *(*version)() = nullptr;
    if (!find_symbol_anywhere(&version, "Py_GetVersion") ||
        !find_symbol_anywhere(&found.length, "PyUnicode_GetLength") ||
        !find_symbol_anywhere(&found.character, "PyUnicode_ReadChar"))
        return false;
    const auto is = [&](const char *wanted) { return std::strncmp(version(), wanted, std::strlen(wanted)) == 0; };
    if (is("3.10.")) {
        found.places = kPlacesOf310;
        return find_symbol_anywhere(&found.line, "PyFrame_GetLineNumber");
    }
    return ((is("3.13.") && read_places(kWordsOf313, &found.places)) ||
            (is("3.14.") && read_places(kWordsOf314, &found.places))) &&
           find_symbol_anywhere(&found.line, "PyUnstable_InterpreterFrame_GetLine");
}

template <typename Field>
Field field(const void *object, uint64_t offset) noexcept {
    Field value{};
    std::memcpy(&value, static_cast<const char *>(object) + offset, sizeof value);
    return value;
}

void append_utf8(std::string &out, uint32_t point) {
    if (point < 0x80) {
        out += static_cast<char>(point);
        return;
    }
    const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    constexpr unsigned kFirst[] = {0, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(kFirst[more] | point >> (6 * more));
    for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((point >> (6 * i)) & 0x3F));
}

std::string text_of(const Interpreter &python, void *text) {
    std::string out;
    const ptrdiff_t length = python.length(text);
    for (ptrdiff_t i = 0; i < length; ++i) append_utf8(out, python.character(text, i));
    return out;
}

} // namespace

std::vector<PythonFrame> frames_in_memory(const void *thread_state, size_t most) {
    std::vector<PythonFrame> frames;
    Interpreter python{};
    if (!find_interpreter(python)) return frames;
    const Places &at = python.places;
    for (void *frame = field<void *>(thread_state, at.current_frame); frame && frames.size() < most;
         frame = field<void *>(frame, at.previous)) {
        if (at.owner != 0 && field<unsigned char>(frame, at.owner) >= kFirstOwnerInC) continue;
        const void *code = reinterpret_cast<void *>(field<uintptr_t>(frame, at.executable) & ~kTags);
        frames.push_back({text_of(python, field<void *>(code, at.filename)), std::to_string(python.line(frame)),
                          text_of(python, field<void *>(code, at.name))});
    }
    return frames;
}

} // namespace gs
