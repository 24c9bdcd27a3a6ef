#include "datasets/formats/stored_tokens.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "datasets/open_data.h"
#include "tests/datasets/batches.h"
#include "tests/support/foreign_hdf5.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Hdf5Tokens : public testing::Test {
  protected:
    std::vector<int32_t> ids(const std::string& options = "") const {
        const TokenArray tokens = open_stored_tokens(spec(options));
        std::vector<int32_t> all(static_cast<size_t>(tokens.size()));
        tokens.read(0, all);
        return all;
    }
    std::string refusal(const std::string& options = "") const {
        try {
            ids(options);
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    }
    DataSpec spec(const std::string& options) const {
        return parse_data_spec("hdf5:" + path_ + options, "data.train");
    }

    TemporaryFolder folder_;
    const std::string path_ = (folder_ / "ids.h5").string();
};

TEST_F(Hdf5Tokens, TheOnlyArrayOrTheOneCalledTokensIsTaken) {
    ForeignHdf5(path_).add_ids("anything", {1, 2, 50256});
    EXPECT_THAT(ids(), ElementsAre(1, 2, 50256));
    {
        ForeignHdf5 file(path_);
        file.add_ids("tokens", {1, 2});
        file.add<int64_t>("part/val", H5T_NATIVE_INT64, H5T_STD_I64LE, {2}, {3, 70000}, {1});
    }
    EXPECT_THAT(ids(), ElementsAre(1, 2));
    EXPECT_THAT(ids("?dataset=part/val"), ElementsAre(3, 70000));
    EXPECT_THAT(ids("?dataset=/part/val&vocab=70001"), ElementsAre(3, 70000));
    EXPECT_THAT(refusal("?dataset=test"), HasSubstr("no array of integers test"));
}

TEST_F(Hdf5Tokens, WhichOneIsAskedForWhereThereAreSeveral) {
    EXPECT_THAT(refusal(), HasSubstr("ids.h5"));
    {
        ForeignHdf5 file(path_);
        file.add_ids("train", {1, 2});
        file.add_ids("val", {3});
    }
    EXPECT_THAT(refusal(), HasSubstr("holds 2 arrays of integers; write ?dataset= and one of "
                                     "train, val"));
    ForeignHdf5(path_).add<float>("real", H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, {1}, {1});
    EXPECT_THAT(refusal(), HasSubstr("holds no array of integers"));
}

TEST_F(Hdf5Tokens, OfAFileThatIsCutOffAreRefused) {
    ForeignHdf5(path_).add_ids("tokens", std::vector<uint16_t>(5000, 7));
    const std::string whole = read_text(path_);
    write_plainly(path_, whole.substr(0, whole.size() - 3000));
    EXPECT_THAT(refusal(), HasSubstr("ids.h5"));
}

TEST_F(Hdf5Tokens, TrainAndValidateAsThoseOfATokenFile) {
    std::vector<uint16_t> train(300), val(100);
    std::string bytes;
    for (size_t i = 0; i < train.size(); ++i) {
        train[i] = static_cast<uint16_t>(i * 7 % 250);
        bytes += {static_cast<char>(train[i]), '\0'};
    }
    for (size_t i = 0; i < val.size(); ++i) val[i] = static_cast<uint16_t>(i);
    {
        ForeignHdf5 file(path_);
        file.add_ids("train", train, {64});
        file.add_ids("val", val);
    }
    const std::string token_file = (folder_ / "train.bin").string();
    write_plainly(token_file, bytes);

    const std::string hdf5 = "hdf5:" + path_ + "?dataset=";
    const OpenedData ours = open_all_data({hdf5 + "train", hdf5 + "val", "byte"}, 1);
    const OpenedData theirs = open_all_data({"tokens:" + token_file, "split:0.1", "byte"}, 1);
    EXPECT_EQ(ours.train_tokens, 300);
    EXPECT_EQ(ours.val_tokens, 100);
    EXPECT_EQ(ours.batches->info().vocab_size, 250);
    const OpenedData split = open_all_data({hdf5 + "train", "split:0.1", "byte"}, 1);
    EXPECT_EQ(split.val_tokens, theirs.val_tokens);
    for (const int64_t step : {1, 2, 9}) {
        const Batch a = train_batch(*split.batches, step, 0, 4, 16);
        const Batch b = train_batch(*theirs.batches, step, 0, 4, 16);
        EXPECT_THAT(a.tokens(), testing::ElementsAreArray(b.tokens())) << step;
    }
    EXPECT_THROW(open_data({hdf5 + "train&vocab=100", "split:0.1", "byte"}, 1), UserError);
    EXPECT_THROW(open_data({hdf5 + "train&rows=1", "split:0.1", "byte"}, 1), UserError);
}

TEST_F(Hdf5Tokens, ANegativeIdIsRefusedWhereItIsMapped) {
    ForeignHdf5(path_).add<int64_t>("tokens", H5T_NATIVE_INT64, H5T_STD_I64LE, {64},
                                    std::vector<int64_t>(64, -1));
    try {
        open_data({"hdf5:" + path_, "split:0.1", "byte"}, 1);
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("holds a number below 0 or beyond 31 bits"));
    }
}

}  // namespace
}  // namespace headroom
