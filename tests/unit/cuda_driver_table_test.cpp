// SPDX-License-Identifier: Apache-2.0
// The loader against libraries that exist only as tables of symbols.
#if defined(GPUSTREAM_WITH_CUDA)
#include "backend/cuda/driver/driver_table.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>

#include "base/thread_block.hpp"

namespace gs::cuda {
namespace {

struct Wanted {
    const char *name;    // as cuGetProcAddress knows it
    const char *renamed; // the form to which this build's cuda.h maps the plain name
    int version;
    const char *symbol;
    bool required;
};
constexpr bool REQUIRED = true;
constexpr bool OPTIONAL = false;
#define GS_TEXT_OF_EXPANDED(x) #x
#define GS_EXPANDED(x) GS_TEXT_OF_EXPANDED(x)
constexpr Wanted kWanted[] = {
#define X(field, function, version, suffix, need) {#function, GS_EXPANDED(function), version, #function suffix, need},
#include "backend/cuda/driver/driver_functions.inc"
};

// Can be distinguished from the stub of an absent function.
CUresult CUDAAPI present() { return CUDA_SUCCESS; }
void *any_function() { return reinterpret_cast<void *>(&present); }

struct FakeLibrary {
    int driver_version = 12080;
    CUresult version_result = CUDA_SUCCESS;
    std::set<std::string> hidden; // names that no lookup finds
    bool has_lookup_12 = true;
    bool has_lookup_11 = true;
    std::map<std::string, std::set<int>> asked; // through cuGetProcAddress: name -> versions
    std::set<std::string> symbols_asked;
    std::set<unsigned long long> flags;
};
FakeLibrary *g_library = nullptr;

CUresult CUDAAPI fake_version(int *out) {
    if (g_library->version_result == CUDA_SUCCESS) *out = g_library->driver_version;
    return g_library->version_result;
}

CUresult look_up(const char *name, void **out, int version, cuuint64_t flags) {
    g_library->asked[name].insert(version);
    g_library->flags.insert(flags);
    if (version > g_library->driver_version) return CUDA_ERROR_INVALID_VALUE; // as the driver does
    *out = g_library->hidden.count(name) != 0 ? nullptr : any_function();
    return CUDA_SUCCESS;
}
CUresult CUDAAPI fake_lookup_11(const char *name, void **out, int version, cuuint64_t flags) {
    return look_up(name, out, version, flags);
}
CUresult CUDAAPI fake_lookup_12(const char *name, void **out, int version, cuuint64_t flags,
                                CUdriverProcAddressQueryResult *why) {
    const CUresult result = look_up(name, out, version, flags);
    *why = *out ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return result;
}

void *fake_find(void *library, const char *symbol) {
    EXPECT_EQ(library, g_library);
    const std::string name = symbol;
    if (name == "cuGetProcAddress_v2")
        return g_library->has_lookup_12 ? reinterpret_cast<void *>(&fake_lookup_12) : nullptr;
    if (name == "cuGetProcAddress")
        return g_library->has_lookup_11 ? reinterpret_cast<void *>(&fake_lookup_11) : nullptr;
    if (g_library->hidden.count(name) != 0) return nullptr;
    if (name == "cuDriverGetVersion") return reinterpret_cast<void *>(&fake_version);
    g_library->symbols_asked.insert(name);
    return any_function();
}

class CudaDriverTable : public ::testing::Test {
protected:
    CudaDriverTable() { g_library = &library_; }
    ~CudaDriverTable() override { g_library = nullptr; }
    Status load() { return load_driver_table(&library_, fake_find, &table_, &version_); }
    static const gs_error_info_t &detail() { return this_thread()->pending; }

    FakeLibrary library_;
    DriverTable table_;
    int version_ = 0;
};

TEST_F(CudaDriverTable, AsksForEachFunctionAtItsOwnVersionWithLegacyStreams) {
    ASSERT_TRUE(load().ok()) << detail().message;
    EXPECT_EQ(version_, 12080);
    std::map<std::string, std::set<int>> expected;
    for (const Wanted &wanted : kWanted) expected[wanted.name].insert(wanted.version);
    EXPECT_EQ(library_.asked, expected);
    EXPECT_EQ(library_.flags, std::set<unsigned long long>{1});
    EXPECT_TRUE(library_.symbols_asked.empty());
    EXPECT_TRUE(table_.stream_get_device.present());
    EXPECT_STREQ(table_.event_record.name, "cuEventRecord");
}

TEST_F(CudaDriverTable, UsesTheOlderLookupWhereTheNewerIsMissing) {
    library_.has_lookup_12 = false;
    ASSERT_TRUE(load().ok()) << detail().message;
    EXPECT_EQ(library_.asked.at("cuCtxGetId"), std::set<int>{12000});
    EXPECT_TRUE(library_.symbols_asked.empty());
}

TEST_F(CudaDriverTable, UsesExactSymbolsWhereThereIsNoLookup) {
    library_.has_lookup_12 = library_.has_lookup_11 = false;
    ASSERT_TRUE(load().ok()) << detail().message;
    EXPECT_TRUE(library_.asked.empty());
    std::set<std::string> expected;
    for (const Wanted &wanted : kWanted) expected.insert(wanted.symbol);
    expected.erase("cuDriverGetVersion"); // handled separately
    EXPECT_EQ(library_.symbols_asked, expected);
    EXPECT_EQ(expected.count("cuCtxPushCurrent_v2"), 1u);
    EXPECT_EQ(expected.count("cuStreamDestroy_v2"), 1u);
}

TEST_F(CudaDriverTable, AnAbsentOptionalFunctionAnswersNotSupported) {
    library_.driver_version = 12000; // older than the two functions of 12.8
    ASSERT_TRUE(load().ok()) << detail().message;
    EXPECT_FALSE(table_.stream_get_device.present());
    EXPECT_FALSE(table_.event_elapsed_time_v2.present());
    CUdevice device = 0;
    EXPECT_EQ(table_.stream_get_device(*this_thread(), nullptr, &device), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(CudaDriverTable, NoOptionalFunctionIsNeeded) {
    for (const Wanted &wanted : kWanted)
        if (!wanted.required) library_.hidden.insert(wanted.name);
    for (const Wanted &wanted : kWanted) // another form of a function that is needed
        if (wanted.required) library_.hidden.erase(wanted.name);
    EXPECT_GT(library_.hidden.size(), 20u);
    ASSERT_TRUE(load().ok()) << detail().message;
    EXPECT_FALSE(table_.mem_alloc_async.present());
    EXPECT_TRUE(table_.stream_query.present());
}

TEST_F(CudaDriverTable, EachRequiredFunctionThatIsMissingIsNamed) {
    for (const Wanted &wanted : kWanted) {
        library_.hidden = {wanted.name};
        table_ = {};
        if (std::strcmp(wanted.name, "cuDriverGetVersion") == 0) continue; // the next case
        bool any_required = false;                                         // two forms of one name: hidden together
        for (const Wanted &other : kWanted) any_required |= other.required && std::strcmp(other.name, wanted.name) == 0;
        const Status status = load();
        EXPECT_EQ(status.ok(), !any_required) << wanted.name;
        if (status.ok()) continue;
        EXPECT_EQ(status.code, GS_ERROR_UNAVAILABLE);
        EXPECT_EQ(detail().reason, GS_REASON_NO_SYMBOL);
        EXPECT_NE(std::strstr(detail().message, wanted.name), nullptr) << detail().message;
    }
}

TEST_F(CudaDriverTable, ALibraryWithoutAVersionIsNoDriver) {
    library_.hidden = {"cuDriverGetVersion"};
    EXPECT_EQ(load().code, GS_ERROR_UNAVAILABLE);
    EXPECT_EQ(detail().reason, GS_REASON_NO_SYMBOL);
}

// No path of the backend can call a null pointer, whatever was found before the failure.
TEST_F(CudaDriverTable, ATableThatWasNotLoadedAnswersNotSupported) {
    library_.driver_version = 11080;
    EXPECT_EQ(load().code, GS_ERROR_UNAVAILABLE);
    EXPECT_FALSE(table_.event_record.present());
    EXPECT_EQ(table_.event_record(*this_thread(), nullptr, nullptr), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(table_.launch_host_func(*this_thread(), nullptr, nullptr, nullptr), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(CudaDriverTable, AStubIsToldApart) {
    library_.version_result = CUDA_ERROR_STUB_LIBRARY;
    EXPECT_EQ(load().code, GS_ERROR_UNAVAILABLE);
    EXPECT_EQ(detail().reason, GS_REASON_STUB);
    EXPECT_TRUE(library_.asked.empty());
}

TEST_F(CudaDriverTable, AnOldDriverIsToldItsVersionAndOurs) {
    library_.driver_version = 11040;
    library_.hidden = {"cuCtxGetId"}; // its missing functions must not be reported
    EXPECT_EQ(load().code, GS_ERROR_UNAVAILABLE);
    EXPECT_EQ(detail().reason, GS_REASON_TOO_OLD);
    EXPECT_NE(std::strstr(detail().message, "11.4"), nullptr) << detail().message;
    EXPECT_NE(std::strstr(detail().message, "12.0"), nullptr) << detail().message;
}

TEST(CudaDriverList, RequiresNothingNewerThanTheOldestDriver) {
    for (const Wanted &wanted : kWanted) {
        if (wanted.required) {
            EXPECT_LE(wanted.version, kOldestDriver) << wanted.name;
        }
    }
}

TEST(CudaDriverList, HasEachFormOnce) {
    std::set<std::pair<std::string, int>> seen;
    std::set<std::string> symbols;
    for (const Wanted &wanted : kWanted) {
        EXPECT_TRUE(seen.insert({wanted.name, wanted.version}).second) << wanted.name;
        EXPECT_TRUE(symbols.insert(wanted.symbol).second) << wanted.symbol;
    }
}

// cuda.h renames a plain name to the form that it declares, which is the newest one. If the table uses that form,
// its suffix must be the header's. Names that are used in both forms are checked by hand, and those
// that newer headers rename to a form outside of the table.
TEST(CudaDriverList, SymbolsAreThoseOfTheHeader) {
    const std::set<std::string> in_two_forms = {"cuDeviceGetUuid", "cuEventElapsedTime", "cuStreamGetCtx",
                                                "cuGraphNodeGetDependencies", "cuGraphNodeGetDependentNodes"};
    // The headers of CUDA 13 give these names to newer forms.
    const std::set<std::string> older_forms = {"cuStreamGetCaptureInfo", "cuStreamUpdateCaptureDependencies",
                                               "cuGraphAddDependencies", "cuGraphGetEdges", "cuGraphAddNode"};
    std::set<std::string> symbols;
    for (const Wanted &wanted : kWanted) {
        symbols.insert(wanted.symbol);
        if (in_two_forms.count(wanted.name) == 0 && older_forms.count(wanted.name) == 0) {
            EXPECT_STREQ(wanted.symbol, wanted.renamed);
        }
    }
    for (const std::string &name : in_two_forms) {
        EXPECT_EQ(symbols.count(name), 1u) << name;
        EXPECT_EQ(symbols.count(name + "_v2"), 1u) << name;
    }
    EXPECT_EQ(symbols.count("cuStreamGetCaptureInfo_v2"), 1u);
    EXPECT_EQ(symbols.count("cuStreamUpdateCaptureDependencies"), 1u);
}

} // namespace
} // namespace gs::cuda
#endif
