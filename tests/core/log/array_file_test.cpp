#include "core/log/array_file.h"

#include <filesystem>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include "core/base/error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

class ArrayFileIn : public testing::Test {
  protected:
    TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "probe.h5";

    void write_matrix() const {
        std::vector<double> values(12);
        std::iota(values.begin(), values.end(), 0.0);
        ArrayFileWriter file(path_);
        file.attribute("schema", "s/1");
        file.add("/g/matrix", {3, 4}, values, "nats");
        file.plot_hint({"/g", "matrix", {".", "."}});
        file.commit();
    }
};

TEST_F(ArrayFileIn, BoxesComeBackAsTheyWereWritten) {
    write_matrix();
    const ArrayFile file(path_);
    EXPECT_EQ(file.attribute("schema"), "s/1");
    EXPECT_EQ(file.attribute("/g", "signal"), "matrix");
    EXPECT_EQ(file.attribute("/g/matrix", "units"), "nats");
    EXPECT_EQ(file.names("/g"), std::vector<std::string>{"matrix"});
    EXPECT_EQ(file.type("/g/matrix").shape, (Shape{3, 4}));
    std::vector<float> box(4);
    file.read("/g/matrix", {1, 1}, {2, 2}, std::span(box));
    EXPECT_EQ(box, (std::vector<float>{5, 6, 9, 10}));
}

TEST_F(ArrayFileIn, PartsOfAChunkedArrayThatNobodyWroteTakeNoSpaceAndReadAsZero) {
    {
        ArrayFileWriter file(path_);
        file.create({"/big", DType::kF32, {4096, 4096}, {256, 256}});
        const std::vector<float> ones(16, 1.0F);
        file.write("/big", {4092, 0}, {4, 4}, std::span<const float>(ones));
        file.commit();
    }
    EXPECT_LT(std::filesystem::file_size(path_), 1U << 20);
    const ArrayFile file(path_);
    std::vector<float> box(4);
    file.read("/big", {4091, 0}, {2, 2}, std::span(box));
    EXPECT_EQ(box, (std::vector<float>{0, 0, 1, 1}));
}

TEST_F(ArrayFileIn, BytesStayBytes) {
    {
        ArrayFileWriter file(path_);
        file.add<uint8_t>("/bytes", {2, 2}, {0, 127, 128, 255});
        file.commit();
    }
    const ArrayFile file(path_);
    EXPECT_EQ(file.type("/bytes"), (TensorType{DType::kU8, {2, 2}}));
    EXPECT_EQ(file.read_all<uint8_t>("/bytes"), (std::vector<uint8_t>{0, 127, 128, 255}));
    EXPECT_EQ(file.read_all<float>("/bytes")[3], 255.0F);
}

TEST_F(ArrayFileIn, FoldersAndLinksAreNotReplaced) {
    EXPECT_THROW(ArrayFileWriter(folder_.path()), UserError);
    std::filesystem::create_symlink("elsewhere.h5", path_);
    EXPECT_THROW({ const ArrayFileWriter file(path_); }, UserError);
    EXPECT_TRUE(std::filesystem::is_symlink(path_));
}

TEST_F(ArrayFileIn, FilesOfOtherKindsAreNotReplacedButOlderOnesAre) {
    std::ofstream(path_) << "a text of somebody";
    EXPECT_THROW({ const ArrayFileWriter file(path_); }, UserError);
    std::filesystem::remove(path_);
    write_matrix();  // its schema is s/1
    EXPECT_THROW({ const ArrayFileWriter file(path_); }, UserError);
    EXPECT_THROW({ const ArrayFileWriter file(path_, "t/"); }, UserError);
    for (int64_t size = 1; size <= 2; ++size) {
        ArrayFileWriter file(path_, "s/");
        file.attribute("schema", "s/" + std::to_string(size));
        file.add<float>("/x", {size}, std::vector<float>(static_cast<size_t>(size)));
        file.commit();
    }
    EXPECT_EQ(ArrayFile(path_).type("/x").shape, Shape{2});
}

TEST_F(ArrayFileIn, EveryGroupSaysWhatItIs) {
    {
        ArrayFileWriter file(path_);
        file.add<float>("/a/b/x", {1}, {1.0F});
        file.add<float>("/c/y", {1}, {1.0F});
        file.plot_hint({"/c", "y"});
        file.commit();
    }
    const ArrayFile file(path_);
    EXPECT_EQ(file.attribute("/a", "NX_class"), "NXcollection");
    EXPECT_EQ(file.attribute("/a/b", "NX_class"), "NXcollection");
    EXPECT_EQ(file.attribute("/c", "NX_class"), "NXdata");
}

TEST_F(ArrayFileIn, TwoWritersOfOneFileLeaveAWholeOne) {
    {
        ArrayFileWriter first(path_), second(path_);
        first.attribute("schema", "headroom-probe/1");
        second.attribute("schema", "headroom-probe/1");
        first.add<float>("/x", {1}, {1.0F});
        second.add<float>("/x", {2}, {1.0F, 2.0F});
        first.commit();
        EXPECT_EQ(ArrayFile(path_).type("/x").shape, Shape{1});
        second.commit();
    }
    EXPECT_EQ(ArrayFile(path_).type("/x").shape, Shape{2});
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(ArrayFileIn, AGuessedTemporaryIsNotWrittenThrough) {
    std::ofstream(folder_.path() / "notes") << "precious";
    std::filesystem::create_symlink("notes", path_.string() + ".tmp");
    for (int counter = 0; counter < 100; ++counter)
        std::filesystem::create_symlink("notes", path_.string() + "." + std::to_string(::getpid()) +
                                                     "." + std::to_string(counter) + ".tmp");
    write_matrix();
    EXPECT_EQ(std::filesystem::file_size(folder_.path() / "notes"), 8U);
    EXPECT_FALSE(std::filesystem::is_symlink(path_));
}

TEST_F(ArrayFileIn, AFullDiskLeavesNothingBehind) {
    for (const rlim_t limit : {rlim_t{0}, rlim_t{10}, rlim_t{1000}}) {
        const int result = with_file_size_limit(limit, [&] {
            try {
                ArrayFileWriter file(path_);
                file.add<float>("/x", {1000}, std::vector<float>(1000, 1.0F));
                file.commit();
            } catch (const EnvironmentError&) {
                return 7;
            }
            return 0;
        });
        EXPECT_EQ(result, 7) << limit;
        EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << limit;
    }
}

TEST_F(ArrayFileIn, WithoutCommitThereIsNoFile) {
    {
        ArrayFileWriter file(path_);
        file.add<float>("/x", {1}, {1.0F});
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ArrayFileIn, BoxesOutsideAreRefused) {
    write_matrix();
    const ArrayFile file(path_);
    std::vector<float> box(4);
    EXPECT_THROW(file.read("/g/matrix", {2, 1}, {2, 2}, std::span(box)), UserError);
    EXPECT_THROW(file.read("/g/matrix", {-1, 0}, {2, 2}, std::span(box)), UserError);
    EXPECT_THROW(file.read("/g/matrix", {0}, {4}, std::span(box)), UserError);
    EXPECT_THROW(file.read_all<float>("/g/matrix", 11), UserError);
    EXPECT_THROW(file.type("/g/none"), UserError);
}

TEST_F(ArrayFileIn, LinksOutOfTheFileAreRefused) {
    write_matrix();
    const std::filesystem::path other = folder_.path() / "other.h5";
    const hid_t latest = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(latest, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t file = H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, latest);
    H5Pclose(latest);
    H5Lcreate_external(path_.c_str(), "/g/matrix", file, "/matrix", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    EXPECT_THROW(ArrayFile(other).type("/matrix"), UserError);
    EXPECT_FALSE(ArrayFile(other).has("/matrix"));
}

TEST_F(ArrayFileIn, WhatIsNoHdf5FileIsRefusedByName) {
    std::ofstream(path_) << "not a file of arrays";
    try {
        const ArrayFile file(path_);
        FAIL() << "not refused";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("probe.h5"), std::string::npos);
    }
}

TEST_F(ArrayFileIn, CutFilesAreRefusedNotRead) {
    write_matrix();
    const auto size = std::filesystem::file_size(path_);
    for (uintmax_t keep = 0; keep < size; keep += 97) {
        std::filesystem::remove(path_);
        write_matrix();
        std::filesystem::resize_file(path_, keep);
        EXPECT_THROW(ArrayFile(path_).read_all<double>("/g/matrix"), UserError) << keep;
    }
}

}  // namespace
}  // namespace headroom
