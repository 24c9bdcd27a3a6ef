#include "core/log/integer_array.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/trial.h"
#include "tests/support/foreign_hdf5.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/watched_child.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class IntegerArrays : public testing::Test {
  protected:
    std::string refusal(const std::string& name) const {
        try {
            read_integers(path_, name);
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    }

    TemporaryFolder folder_;
    const fs::path path_ = folder_ / "ids.h5";
};

TEST_F(IntegerArrays, AreFoundWithWhereTheirValuesLie) {
    const std::vector<uint16_t> ids{7, 50256, 65535};
    {
        ForeignHdf5 file(path_);
        file.add_ids("val", ids);
        file.add<uint16_t>("deep/er/train", H5T_NATIVE_UINT16, H5T_STD_U16LE, {3}, ids, {2});
        file.add<uint16_t>("big", H5T_NATIVE_UINT16, H5T_STD_U16BE, {3}, ids);
        file.add<uint16_t>("int16", H5T_NATIVE_UINT16, H5T_STD_I16LE, {1}, {7});
        file.add<uint16_t>("long", H5T_NATIVE_UINT16, H5T_STD_I64LE, {3}, ids);
        file.add<uint16_t>("cube", H5T_NATIVE_UINT16, H5T_STD_U16LE, {3, 1, 1}, ids);
        file.add<uint16_t>("real", H5T_NATIVE_UINT16, H5T_IEEE_F32LE, {3}, ids);
        H5Lcreate_soft("/val", file.get(), "soft", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("/etc/passwd", "/", file.get(), "out", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_hard(file.get(), "/deep", file.get(), "deep/er/again", H5P_DEFAULT, H5P_DEFAULT);
    }
    const std::vector<IntegerArray> found = integer_arrays_of(path_);
    std::vector<std::string> names;
    for (const IntegerArray& array : found)
        if (array.name.find("again") == std::string::npos) names.push_back(array.name);
    EXPECT_THAT(names, ElementsAre("big", "deep/er/train", "int16", "long", "val"));
    const std::string bytes = read_text(path_);
    for (const IntegerArray& array : found) {
        EXPECT_EQ(array.count, array.name == "int16" ? 1 : 3) << array.name;
        const bool as_it_is = array.name == "long" || array.name == "val";
        ASSERT_EQ(array.offset >= 0, as_it_is) << array.name;
        if (!as_it_is) continue;
        const auto at = static_cast<size_t>(array.offset);
        const size_t width = array.name == "val" ? 2 : 8;
        EXPECT_EQ(bytes.substr(at, 2), std::string("\x07\x00", 2)) << array.name;
        EXPECT_EQ(bytes.substr(at + width, 2), "\x50\xc4") << array.name;
    }
    for (const char* const name : {"big", "deep/er/train", "long", "val"})
        EXPECT_THAT(read_integers(path_, name), ElementsAre(7, 50256, 65535)) << name;
    EXPECT_THAT(refusal("soft"), HasSubstr("no array of integers soft"));
}

TEST_F(IntegerArrays, OfTwoDimensionsStandRowAfterRow) {
    {
        ForeignHdf5 file(path_);
        file.add<int32_t>("a", H5T_NATIVE_INT32, H5T_STD_I32LE, {2, 3}, {0, 1, 2, 3, 4, 5}, {2, 2});
    }
    EXPECT_THAT(read_integers(path_, "a"), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(IntegerArrays, NumbersThatAreNoIdsAreRefused) {
    {
        ForeignHdf5 file(path_);
        file.add<int64_t>("below", H5T_NATIVE_INT64, H5T_STD_I64LE, {2}, {0, -1});
        file.add<int64_t>("beyond", H5T_NATIVE_INT64, H5T_STD_I64LE, {2}, {0, int64_t{1} << 33});
        file.add<int64_t>("most", H5T_NATIVE_INT64, H5T_STD_I64LE, {1}, {(int64_t{1} << 31) - 2});
    }
    EXPECT_THAT(refusal("below"), HasSubstr("value 1 of below of " + path_.string()));
    EXPECT_THAT(refusal("beyond"), HasSubstr("beyond 31 bits"));
    EXPECT_EQ(refusal("most"), "no error");
}

TEST_F(IntegerArrays, MoreThanMemoryHoldsIsRefusedUnread) {
    {
        const ForeignHdf5 file(path_);
        const hsize_t size = kMostIntegersRead + 1, chunk = 1024;
        const hid_t space = H5Screate_simple(1, &size, nullptr);
        const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(how, 1, &chunk);
        H5Dclose(H5Dcreate2(file.get(), "a", H5T_STD_U8LE, space, H5P_DEFAULT, how, H5P_DEFAULT));
        H5Pclose(how);
        H5Sclose(space);
    }
    EXPECT_THAT(refusal("a"), HasSubstr("numbers in chunks"));
}

TEST_F(IntegerArrays, OtherFilesAreRefused) {
    EXPECT_THROW(integer_arrays_of(path_), UserError);
    write_plainly(path_, "\x89HDF\r\n\x1a\n and no more");
    EXPECT_THROW(integer_arrays_of(path_), UserError);
}

/// Every 101st byte of a small file, damaged in turn: read, or refused in one line.
TEST_F(IntegerArrays, DamageIsReadOrRefusedWithinAProgram) {
    {
        ForeignHdf5 file(path_);
        file.add_ids("plain", {1, 2, 3});
        file.add_ids("group/packed", std::vector<uint16_t>(500, 77), {100});
    }
    const std::string good = read_text(path_);
    SharedCounter read, refused;
    const int outcome = wait_for_child(start_child([&] {
        start_trials();
        for (size_t at = 0; at < good.size(); at += 101) {
            std::string bad = good;
            bad[at] = static_cast<char>(~bad[at]);
            write_plainly(path_, bad);
            try {
                for (const IntegerArray& array : integer_arrays_of(path_))
                    if (array.count <= kMostIntegersRead) read_integers(path_, array.name);
                read.set(read.get() + 1);
            } catch (const UserError&) {
                refused.set(refused.get() + 1);
            }
        }
        return 0;
    }));
    EXPECT_EQ(outcome, 0);
    EXPECT_GT(read.get(), 3);
    EXPECT_GT(refused.get(), 0);
}

}  // namespace
}  // namespace headroom
