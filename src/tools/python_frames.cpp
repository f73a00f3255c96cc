// SPDX-License-Identifier: Apache-2.0
// Python's own names are found in the process. Faulthandler uses the interpreter's writer of tracebacks in signal handlers, where memory
// and locks are out of reach. So it also serves a thread that has given the interpreter's lock up, as around a call that blocks.
// Python 3.10, 3.13 and 3.14 keep it to themselves: there the thread reads the interpreter's memory.
#include "tools/call_stack.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/dynlib.hpp"

namespace gs {
namespace {

// Of the interpreter, as its headers declare it: int for the file, and a PyThreadState.
using Dump = void (*)(int fd, void *thread_state);

bool is_program(const std::string &file) {
    return file.find("-packages/") == std::string::npos && file.compare(0, 1, "<") != 0 &&
           file.find("/lib/python") == std::string::npos;
}

// Lines are: File "/a/b.py", line 12 in name
std::vector<PythonFrame> frames_in_traceback(const std::string &text, size_t most) {
    std::vector<PythonFrame> frames;
    for (size_t at = text.find("File \""); at != std::string::npos && frames.size() < most;
         at = text.find("File \"", at)) {
        const size_t file = at + 6, file_end = text.find("\", line ", file);
        const size_t in = file_end == std::string::npos ? file_end : text.find(" in ", file_end);
        const size_t end = in == std::string::npos ? in : text.find('\n', in);
        if (end == std::string::npos) break;
        frames.push_back({text.substr(file, file_end - file), text.substr(file_end + 8, in - file_end - 8),
                          text.substr(in + 4, end - in - 4)});
        at = end;
    }
    return frames;
}

std::vector<PythonFrame> frames_by_dump(Dump dump, void *state, size_t most) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {};
    dump(ends[1], state); // as much as the pipe holds
    char text[16384];
    const ssize_t got = read(ends[0], text, sizeof text);
    close(ends[0]);
    close(ends[1]);
    return got > 0 ? frames_in_traceback({text, static_cast<size_t>(got)}, most) : std::vector<PythonFrame>();
}

} // namespace

std::vector<PythonFrame> python_frames(size_t most) {
    void *(*thread_state)() = nullptr;
    void *state = find_symbol_anywhere(&thread_state, "PyGILState_GetThisThreadState") ? thread_state() : nullptr;
    if (!state) return {};
    Dump dump = nullptr;
    if (find_symbol_anywhere(&dump, "_Py_DumpTraceback") ||
        find_symbol_anywhere(&dump, "PyUnstable_DumpTraceback")) // the name since 3.15
        return frames_by_dump(dump, state, most);
    return frames_in_memory(state, most);
}

std::string place_text(const PythonFrame &frame) {
    const size_t slash = frame.file.rfind('/');
    return (slash == std::string::npos ? frame.file : frame.file.substr(slash + 1)) + ":" + frame.line + " in " +
           frame.function;
}

std::string python_line() {
    const std::vector<PythonFrame> frames = python_frames(100);
    for (const PythonFrame &frame : frames)
        if (is_program(frame.file)) return place_text(frame);
    return frames.empty() ? std::string() : place_text(frames.front());
}

uintptr_t interpreter_base() noexcept {
    void *code = find_symbol_anywhere("PyGILState_Check");
    return code ? code_address(reinterpret_cast<uintptr_t>(code)).base : 0;
}

} // namespace gs
