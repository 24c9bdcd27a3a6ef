#include "panels/inspector/picture_attention.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "panels/inspector/inspector_text.h"
#include "panels/inspector/record_source.h"
#include "tests/panels/inspector/memory_source.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 2 layers of 2 heads over a class token and 3 x 3 patches.
constexpr int64_t kLength = 10;

/// A record as a probe writes it, every number another one.
std::filesystem::path write_image_record(const TemporaryFolder& folder) {
    const ModelConfig model = parse_model_config(nlohmann::json{{"input", "images"},
                                                                {"image_size", 6},
                                                                {"patch_size", 2},
                                                                {"n_layer", 2},
                                                                {"n_head", 2},
                                                                {"d_model", 8}},
                                                 "test");
    const std::filesystem::path path = folder / "attention.h5";
    ArrayFileWriter file(path);
    write_probe_header(file, {"attention", "", "run", 7, "", model});
    write_probe_tokens(file, image_places(model, 1));
    std::vector<float> weights(2 * 2 * kLength * kLength);
    std::iota(weights.begin(), weights.end(), 1.0f);
    file.add("/attention/weights", {2, 2, kLength, kLength}, weights);
    file.attribute("/attention", "causal", "0");
    file.commit();
    return path;
}

/// One row of the array, by HDF5 alone.
std::vector<double> stored_keys(const std::filesystem::path& path, hsize_t layer, hsize_t head,
                                hsize_t query) {
    // The record is open in its own way, which HDF5 allows a file only once in a process.
    const std::filesystem::path copy = path.string() + ".copy";
    std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
    const hid_t file = H5Fopen(copy.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t array = H5Dopen2(file, "/attention/weights", H5P_DEFAULT);
    const hid_t space = H5Dget_space(array);
    const hsize_t first[] = {layer, head, query, 0}, count[] = {1, 1, 1, kLength};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, count, nullptr);
    const hsize_t length = kLength;
    const hid_t memory = H5Screate_simple(1, &length, nullptr);
    std::vector<double> row(kLength);
    EXPECT_GE(H5Dread(array, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row.data()), 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(array);
    H5Fclose(file);
    return row;
}

TEST(PictureAttention, PatchesHaveTheNumbersOfTheFile) {
    const TemporaryFolder folder;
    const std::filesystem::path path = write_image_record(folder);
    const RecordSource source(path);
    EXPECT_THAT(source.info().picture.problem, HasSubstr("keeps no picture"));
    for (const auto& [text, position] :
         {std::pair<const char*, hsize_t>{"cls", 0}, {"r0c0", 1}, {"r1c2", 6}, {"r2c2", 9}})
        for (const int layer : {0, 1})
            for (const int head : {0, 1}) {
                const std::vector<double> keys = stored_keys(path, static_cast<hsize_t>(layer),
                                                             static_cast<hsize_t>(head), position);
                const auto query = find_query(source.info(), text);
                ASSERT_TRUE(query) << text;
                const PatchAttention found = read_patch_attention(source, {layer, head}, *query);
                EXPECT_EQ(found.class_token, keys[0]);
                for (int64_t row = 0; row < 3; ++row)
                    for (int64_t column = 0; column < 3; ++column)
                        EXPECT_EQ(found.at({row, column}),
                                  keys[static_cast<size_t>(1 + 3 * row + column)]);
            }
    const PatchAttention mean = read_patch_attention(source, {1, 0}, {PictureQuery::Kind::kMean});
    double sum = 0;
    for (hsize_t query = 0; query < kLength; ++query) sum += stored_keys(path, 1, 0, query)[6];
    EXPECT_NEAR(mean.at({1, 2}), sum / kLength, 1e-9);
}

MapInfo three_by_three(bool class_token) {
    MapInfo info = example_info(class_token ? 10 : 9, 2, 3, false);
    info.patch_columns = 3;
    info.first_patch = class_token ? 1 : 0;
    return info;
}

TEST(PictureQuery, ReadsAsPositionsDo) {
    const MapInfo info = three_by_three(true);
    for (const PictureQuery& query : all_queries(info))
        EXPECT_EQ(find_query(info, query_text(query)), query);
    EXPECT_EQ(all_queries(info).size(), 11u);
    EXPECT_EQ(find_query(info, "6"), PictureQuery::of_patch({1, 2}));
    for (const char* wrong : {"r3c0", "r0c3", "r-1c0", "10", "", "r1", "CLS"})
        EXPECT_EQ(find_query(info, wrong), std::nullopt) << wrong;
    EXPECT_EQ(find_query(three_by_three(false), "cls"), std::nullopt);
    EXPECT_EQ(find_query(three_by_three(false), "0"), PictureQuery::of_patch({0, 0}));
    EXPECT_EQ(query_text(default_query(three_by_three(false))), "mean");
    EXPECT_TRUE(all_queries(example_info(10)).empty());
    EXPECT_FALSE(has_query(example_info(10), {}));
}

TEST(PictureAttention, GreysHaveNoHueAndKeepBlackAndWhite) {
    const SquarePicture grey = in_greys({2, {255, 255, 255, 0, 0, 0, 0, 200, 0, 90, 90, 90}});
    EXPECT_EQ(grey.pixels,
              (std::vector<uint8_t>{255, 255, 255, 0, 0, 0, 143, 143, 143, 90, 90, 90}));
}

TEST(PictureText, SaysWhatLiesOutside) {
    const std::vector<double> keys{0.25, 0.05, 0.1, 0.05, 0.1, 0.05, 0.2, 0.05, 0.1, 0.05};
    const PatchAttention attention = split_positions(three_by_three(true), keys);
    EXPECT_NEAR(attention.sum(), 0.75, 1e-12);
    EXPECT_EQ(attention_text(attention, PatchPlace{0, 1}, true),
              "0.1  \u00b7  in the picture 0.75, largest 0.2 at r1c2, outside it (cls) 0.25");
    EXPECT_THAT(attention_text(attention, std::nullopt, false), Not(HasSubstr("in the picture")));
    EXPECT_EQ(patch_text({}, PatchPlace{1, 2}), "query cls \u2192 patch r1c2");
    const PatchAttention all = split_positions(three_by_three(false), std::span(keys).subspan(1));
    EXPECT_THAT(attention_text(all, PatchPlace{7, 7}, true), Not(HasSubstr("outside")));
}

}  // namespace
}  // namespace headroom
