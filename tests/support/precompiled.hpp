// SPDX-License-Identifier: Apache-2.0
// What most test files include, compiled once: two fifths of a test's compile time without it. Files include what they need
// all the same; GPUSTREAM_TEST_PCH=OFF shows whether they do.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>
