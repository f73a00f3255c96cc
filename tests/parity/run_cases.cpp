// SPDX-License-Identifier: Apache-2.0
// Runs one case of cases.json against the shared library, which it opens as any language would.
//   run_cases LIBRARY NATIVE CASES.json CASE [LAYER]        exits 0 when every step went as described
// LAYER is a library through whose functions layer_gs_... another language makes the calls.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "library_calls.hpp"
#include "operations.hpp"

namespace parity {
namespace {

constexpr auto kPatience = std::chrono::seconds(60); // for "until": a bound of hangs, no expectation of speed

struct Runner {
    void *library;
    void *native;
    Names names;

    std::string status_name(gs_status_t status) const {
        return reinterpret_cast<decltype(gs_status_name) *>(dlsym(library, "gs_status_name"))(status);
    }

    void run_steps(const Json &steps) {
        for (size_t i = 0; i < steps.items.size(); ++i) {
            try {
                run_step(steps.items[i]);
            } catch (const std::exception &error) {
                const Json *op = steps.items[i].find("op");
                throw Failure("step " + std::to_string(i + 1) + (op ? " (" + op->text + ")" : "") + ": " +
                              error.what());
            }
        }
    }

    void run_step(const Json &step) {
        if (const Json *steps = step.find("thread")) return on_thread(*steps);
        if (const Json *steps = step.find("fork")) return in_child(*steps);
        if (const Json *times = step.find("repeat")) {
            for (int i = 0; i < static_cast<int>(times->number); ++i) run_steps(step.at("steps"));
            return;
        }
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        const Json *until = step.find("until");
        for (;;) {
            const Result result = perform(step);
            try {
                check(step, result);
                return;
            } catch (const Failure &) {
                if (!until || !until->boolean || std::chrono::steady_clock::now() > deadline) throw;
            }
            std::this_thread::yield();
        }
    }

    Result perform(const Json &step) {
        static const Json none = [] {
            Json empty;
            empty.type = Json::Type::Array;
            return empty;
        }();
        const Json *inputs = step.find("args");
        Arguments arguments(names, inputs ? *inputs : none, step.find("out"), native);
        const std::string &op = step.at("op").text;
        return op.find('.') == std::string::npos ? call_library(library, op, arguments)
                                                 : call_own(native, op, arguments);
    }

    void check(const Json &step, const Result &result) {
        if (result.has_status) {
            const Json *expect = step.find("expect");
            const std::string wanted = expect ? expect->text : "GS_OK";
            if (status_name(result.status) != wanted)
                throw Failure("status is " + status_name(result.status) + ", wanted " + wanted + detail(result.status));
        }
        if (const Json *wanted = step.find("returns")) check_value(names, *wanted, result.returned, "the result");
        if (const Json *wanted = step.find("value")) {
            if (result.outputs.size() != 1 && !wanted->is(Json::Type::Array)) throw Failure("'value' wants one output");
            for (size_t i = 0; i < result.outputs.size(); ++i)
                check_value(names, wanted->is(Json::Type::Array) ? wanted->items.at(i) : *wanted, result.outputs[i],
                            "output " + std::to_string(i + 1));
        }
        if (const Json *out = step.find("out"))
            for (size_t i = 0; i < out->items.size(); ++i)
                if (out->items[i].is(Json::Type::Text)) names.set(out->items[i].text, result.outputs.at(i));
    }

    std::string detail(gs_status_t status) const {
        if (status == GS_OK) return "";
        gs_error_info_t info{};
        info.struct_size = sizeof info;
        reinterpret_cast<decltype(gs_last_error) *>(dlsym(library, "gs_last_error"))(&info);
        return std::string(": ") + info.message;
    }

    void on_thread(const Json &steps) {
        std::exception_ptr trouble;
        std::thread([&] {
            try {
                run_steps(steps);
            } catch (...) {
                trouble = std::current_exception();
            }
        }).join();
        if (trouble) std::rethrow_exception(trouble);
    }

    // The child ends by _exit: what it would run at exit belongs to the parent.
    void in_child(const Json &steps) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child < 0) throw Failure("fork failed");
        if (child == 0) {
            try {
                run_steps(steps);
            } catch (const std::exception &error) {
                std::fprintf(stderr, "in the child: %s\n", error.what());
                _exit(1);
            }
            _exit(0);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0) throw Failure("the child failed");
    }
};

Json read_file(const char *path) {
    std::ifstream file(path);
    if (!file) throw Failure(std::string("cannot read ") + path);
    std::ostringstream text;
    text << file.rdbuf();
    return JsonReader(text.str()).read();
}

void *open_library(const char *path) {
    if (void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
    throw Failure(std::string("cannot load ") + dlerror());
}

int run(char **arguments) {
    const Json document = read_file(arguments[3]);
    for (const Json &one : document.at("cases").items) {
        if (one.at("name").text != arguments[4]) continue;
        if (const Json *env = one.find("env")) // before the library is loaded
            for (const auto &[name, value] : env->members) setenv(name.c_str(), value.text.c_str(), 1);
        void *library = open_library(arguments[1]);
        if (arguments[5]) layer = open_library(arguments[5]);
        Runner runner{library, open_library(arguments[2]), Names(document.at("constants"))};
        Value native;
        native.is_text = true;
        native.text = arguments[2];
        runner.names.set("native", native);
        runner.run_steps(one.at("steps"));
        return 0;
    }
    throw Failure("no such case");
}

} // namespace
} // namespace parity

int main(int count, char **arguments) {
    if (count != 5 && count != 6) {
        std::fprintf(stderr, "usage: run_cases LIBRARY NATIVE CASES.json CASE [LAYER]\n");
        return 2;
    }
    try {
        return parity::run(arguments);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s: %s\n", arguments[4], error.what());
        return 1;
    }
}
