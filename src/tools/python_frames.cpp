// SPDX-License-Identifier: Apache-2.0
// Python's own names are found in the process. Faulthandler uses the interpreter's writer of tracebacks in signal handlers,
// where memory and locks are out of reach. So it also serves a thread that has given the interpreter's lock up, as around a call
// that blocks. Where a version of Python keeps it to itself, threads that hold the lock ask for their frames.
#include "tools/call_stack.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "base/dynlib.hpp"

namespace gs {
namespace {

struct Python {
    int (*holds_lock)();
    void *(*thread_state)();
    void (*dump)(int fd, void *thread_state);
    void *(*frame)();           // borrowed
    void *(*back)(void *frame); // a reference, as is what follows
    void *(*code)(void *frame);
    int (*line)(void *frame);
    void *(*attribute)(void *object, const char *name);
    const char *(*text)(void *object);
    void (*drop)(void *object);
    void (*keep)(void *object);
};

template <typename Function>
bool find(Function *out, const char *name) noexcept {
    void *found = find_symbol_anywhere(name);
    std::memcpy(out, &found, sizeof found);
    return found != nullptr;
}

// False: the process has none. A function that this version of Python lacks is nullptr.
bool find_python(Python &python) noexcept {
    if (!find(&python.holds_lock, "PyGILState_Check") || !find(&python.thread_state, "PyGILState_GetThisThreadState"))
        return false;
    find(&python.dump, "_Py_DumpTraceback");
    return find(&python.frame, "PyEval_GetFrame") && find(&python.back, "PyFrame_GetBack") &&
           find(&python.code, "PyFrame_GetCode") && find(&python.line, "PyFrame_GetLineNumber") &&
           find(&python.attribute, "PyObject_GetAttrString") && find(&python.text, "PyUnicode_AsUTF8") &&
           find(&python.drop, "Py_DecRef") && find(&python.keep, "Py_IncRef");
}

bool is_program(const std::string &file) {
    return file.find("-packages/") == std::string::npos && file.compare(0, 1, "<") != 0 &&
           file.find("/lib/python") == std::string::npos;
}

std::string text_of_attribute(const Python &python, void *object, const char *name) {
    void *attribute = python.attribute(object, name);
    const char *text = attribute ? python.text(attribute) : nullptr;
    std::string copy = text ? text : "?";
    if (attribute) python.drop(attribute);
    return copy;
}

std::vector<PythonFrame> frames_by_objects(const Python &python, size_t most) {
    std::vector<PythonFrame> frames;
    void *frame = python.frame();
    if (frame) python.keep(frame);
    while (frame && frames.size() < most) {
        void *code = python.code(frame);
        frames.push_back({text_of_attribute(python, code, "co_filename"), std::to_string(python.line(frame)),
                          text_of_attribute(python, code, "co_name")});
        python.drop(code);
        void *back = python.back(frame);
        python.drop(frame);
        frame = back;
    }
    if (frame) python.drop(frame);
    return frames;
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

std::vector<PythonFrame> frames_by_dump(const Python &python, void *state, size_t most) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {};
    python.dump(ends[1], state); // as much as the pipe holds
    char text[16384];
    const ssize_t got = read(ends[0], text, sizeof text);
    close(ends[0]);
    close(ends[1]);
    return got > 0 ? frames_in_traceback({text, static_cast<size_t>(got)}, most) : std::vector<PythonFrame>();
}

} // namespace

std::vector<PythonFrame> python_frames(size_t most) {
    Python python{};
    if (!find_python(python)) return {};
    void *state = python.thread_state();
    if (!state) return {};
    std::vector<PythonFrame> frames;
    if (python.dump) frames = frames_by_dump(python, state, most);
    if (frames.empty() && python.holds_lock() != 0) frames = frames_by_objects(python, most);
    return frames;
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
