// SPDX-License-Identifier: Apache-2.0
// In a setuid program the variables of the one who starts it may not load files, write files or show addresses.
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/env.hpp"
#include "support/child_process.hpp"

namespace gs {
namespace {

constexpr const char *kChild = "GS_TEST_SETUID_CHILD";

void expect_what_is_left() {
    for (int i = 0; i < kVariables; ++i) {
        const auto variable = static_cast<Variable>(i);
        bool for_all = false;
        for (const Variable one :
             {Variable::Backend, Variable::HostDevices, Variable::HostWorkers, Variable::TokenLease, Variable::Elide,
              Variable::Wait, Variable::WaitCpu, Variable::Poison, Variable::CudaVisible, Variable::CudaOrder})
            for_all = for_all || one == variable;
        EXPECT_EQ(env_text(variable) != nullptr, for_all) << name_of(variable);
    }
    EXPECT_EQ(env_number(Variable::DumpSignal, 0, 1, 64), 0);
}

// The copy runs as the user who owns it.
TEST(RaisedPrivileges, HideVariables) {
    if (std::getenv(kChild)) {
        if (getauxval(AT_SECURE) == 0) GTEST_SKIP() << "setuid has no effect here";
        expect_what_is_left();
        std::fflush(nullptr);
        std::_Exit(HasFailure() ? 1 : 0); // LeakSanitizer may not look into such a program
    }
    if (geteuid() != 0) GTEST_SKIP() << "only root can make a program that is setuid to another user";
    if (std::getenv("GPUSTREAM_TEST_EMULATOR")) GTEST_SKIP() << "an emulator does not set AT_SECURE";
    std::string folder = "/tmp/gpustream-setuid-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string copy = folder + "/copy";
    std::filesystem::copy_file("/proc/self/exe", copy);
    constexpr uid_t kOtherUser = 65534;
    EXPECT_EQ(chmod(folder.c_str(), 0755), 0);
    EXPECT_EQ(chown(copy.c_str(), kOtherUser, kOtherUser), 0);
    EXPECT_EQ(chmod(copy.c_str(), 04755), 0);
    test::Variables variables = {{kChild, "1"}};
    for (int i = 0; i < kVariables; ++i) variables.push_back({name_of(static_cast<Variable>(i)), "1"});
    const test::Outcome outcome = test::run({copy, "--gtest_filter=RaisedPrivileges.HideVariables"}, variables);
    EXPECT_TRUE(outcome.clean()) << test::describe(outcome);
    const bool ignored = outcome.output.find("setuid has no effect here") != std::string::npos;
    std::filesystem::remove_all(folder);
    if (ignored) GTEST_SKIP() << "the file system of /tmp ignores setuid";
}

} // namespace
} // namespace gs
