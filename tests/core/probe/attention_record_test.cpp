#include "core/probe/attention_record.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/probe/attention_map.h"
#include "core/probe/attention_probe.h"
#include "core/probe/map_levels.h"
#include "core/probe/probe_datasets.h"
#include "tests/core/model/architectures.h"
#include "tests/core/probe/handmade_models.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// Neither a multiple of the chunk, nor of a level's cell.
constexpr int64_t kLength = 301;

std::string keys_for(int64_t length, bool causal) {
    return R"({"n_layer": 2, "n_head": 2, "block_size": )" + std::to_string(length) +
           R"(, "causal": )" + (causal ? "true" : "false") + "}";
}

/// A pass of a small random model over one sequence.
ProbePass random_pass(int64_t length, bool causal) {
    const ModelConfig model = small_job(keys_for(length, causal)).model;
    const HandmadeModel random{model, random_weights(model)};
    return run_handmade(random, some_tokens(length, model.vocab_size));
}

class AttentionRecordIn : public testing::Test {
  protected:
    TemporaryFolder folder_;
    std::filesystem::path path_ = folder_ / "attention.h5";

    void write(const ProbePass& pass, const AttentionRecordOptions& options = {}) const {
        ArrayFileWriter file(path_, kProbeFiles);
        write_probe_header(file, {"attention", "c.safetensors", "", 5, "tokens", pass.model()});
        write_probe_tokens(file, {1, pass.shape().seq_len,
                                  some_tokens(pass.shape().seq_len, pass.model().vocab_size)});
        write_attention_record(file, pass, 0, options);
        file.commit();
    }

    void expect_refused(const std::string& part) const {
        try {
            const AttentionRecord record(path_);
            FAIL() << "not refused: " << part;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr(part));
            EXPECT_THAT(error.what(), HasSubstr("attention.h5"));
        }
    }
};

/// All weights of a head, NaN where masked: [T, T].
std::vector<double> whole_map(const ProbePass& pass, int layer, int head, bool logits = false) {
    const AttentionMap map(pass, layer, head, 0);
    const int64_t length = map.seq_len();
    std::vector<double> values(static_cast<size_t>(length * length));
    logits ? map.logits(0, length, values) : map.weights(0, length, values);
    for (int64_t i = 0; i < length; ++i)
        for (int64_t j = map.visible(i); j < length; ++j)
            values[static_cast<size_t>(i * length + j)] = std::numeric_limits<double>::quiet_NaN();
    return values;
}

void expect_same(float got, double expected, double bound) {
    if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(got));
    else
        ASSERT_NEAR(got, expected, bound);
}

/// Mean or largest of what is not NaN in cell (row, column).
double cell_of(const std::vector<double>& map, int64_t length, int64_t level, int64_t row,
               int64_t column, CellStatistic statistic) {
    double sum = 0, largest = 0, count = 0;
    for (int64_t i = row * level; i < std::min(length, (row + 1) * level); ++i)
        for (int64_t j = column * level; j < std::min(length, (column + 1) * level); ++j) {
            const double weight = map[static_cast<size_t>(i * length + j)];
            if (std::isnan(weight)) continue;
            sum += weight;
            largest = std::max(largest, weight);
            ++count;
        }
    if (count == 0) return std::numeric_limits<double>::quiet_NaN();
    return statistic == CellStatistic::kMean ? sum / count : largest;
}

class AttentionRecordOf : public AttentionRecordIn, public testing::WithParamInterface<bool> {};

TEST_P(AttentionRecordOf, MapsComeBackAtEveryLevel) {
    const ProbePass pass = random_pass(kLength, GetParam());
    write(pass);
    const AttentionRecord record(path_);
    EXPECT_EQ(record.causal(), GetParam());
    EXPECT_EQ(record.levels(), (std::vector<int64_t>{1, 4}));
    EXPECT_EQ(record.cells(4), 76);
    EXPECT_FALSE(record.has_logits());
    for (int layer = 0; layer < 2; ++layer)
        for (int head = 0; head < 2; ++head) {
            const std::vector<double> map = whole_map(pass, layer, head);
            for (const int64_t level : record.levels())
                for (const CellStatistic statistic : {CellStatistic::kMean, CellStatistic::kMax}) {
                    const std::vector<float> got =
                        record.read_box(layer, head, level, record.whole(level), statistic);
                    const int64_t cells = record.cells(level);
                    for (int64_t at = 0; at < cells * cells; ++at)
                        expect_same(got[static_cast<size_t>(at)],
                                    cell_of(map, kLength, level, at / cells, at % cells, statistic),
                                    6e-8);
                }
        }
}

TEST_P(AttentionRecordOf, LogitsAreTheScoresBeforeTheSoftmax) {
    const ProbePass pass = random_pass(40, GetParam());
    AttentionRecordOptions options;
    options.logits = true;
    write(pass, options);
    const AttentionRecord record(path_);
    ASSERT_TRUE(record.has_logits());
    const std::vector<double> expected = whole_map(pass, 1, 0, true);
    const std::vector<float> got = record.read_logits(1, 0, record.whole());
    for (size_t i = 0; i < expected.size(); ++i)
        expect_same(got[i], expected[i], 1e-6 * (1 + std::abs(expected[i])));
}

INSTANTIATE_TEST_SUITE_P(CausalAndNot, AttentionRecordOf, testing::Bool());

TEST_F(AttentionRecordIn, DoublePrecisionIsKeptToTheLastDigit) {
    const ProbePass pass = random_pass(70, true);
    AttentionRecordOptions options;
    options.dtype = DType::kF64;
    write(pass, options);
    std::vector<double> got(70 * 70), expected(70 * 70);
    ArrayFile(path_).read("/attention/weights", {1, 1, 0, 0}, {1, 1, 70, 70}, std::span(got));
    AttentionMap(pass, 1, 1, 0).weights(0, 70, expected);
    EXPECT_EQ(got, expected);
}

TEST_F(AttentionRecordIn, ABoxIsAPieceOfTheWhole) {
    write(random_pass(kLength, true));
    const AttentionRecord record(path_);
    const std::vector<float> whole = record.read_box(1, 0, 1, record.whole());
    const MapBox box{250, 245, 20, 15};  // across chunks and the diagonal
    const std::vector<float> got = record.read_box(1, 0, 1, box);
    for (int64_t i = 0; i < box.rows; ++i)
        for (int64_t j = 0; j < box.columns; ++j)
            expect_same(got[static_cast<size_t>(i * box.columns + j)],
                        whole[static_cast<size_t>((box.row + i) * kLength + box.column + j)], 0);
    EXPECT_TRUE(record.read_box(0, 0, 4, {3, 3, 0, 5}).empty());
}

TEST_F(AttentionRecordIn, ChunksThatAreMaskedTakeNoSpace) {
    write(random_pass(512, true));
    const auto masked = std::filesystem::file_size(path_);
    write(random_pass(512, false));
    const auto full = std::filesystem::file_size(path_);
    EXPECT_NEAR(static_cast<double>(full - masked), 4.0 * 256 * 256 * 4, 20000);
}

TEST_F(AttentionRecordIn, WhatIsNotInItIsRefused) {
    write(random_pass(kLength, true));
    const AttentionRecord record(path_);
    EXPECT_THROW(record.read_box(2, 0, 1, {0, 0, 1, 1}), UserError);
    EXPECT_THROW(record.read_box(0, -1, 1, {0, 0, 1, 1}), UserError);
    EXPECT_THROW(record.read_box(0, 0, 1, {300, 0, 2, 1}), UserError);
    EXPECT_THROW(record.read_box(0, 0, 1, {0, 0, -1, 1}), UserError);
    EXPECT_THROW(record.read_box(0, 0, 1, {0, 0, int64_t{1} << 40, int64_t{1} << 40}), UserError);
    EXPECT_THROW(record.read_box(0, 0, 16, {0, 0, 1, 1}), UserError);
    EXPECT_THROW(record.read_box(0, 0, 4, {0, 0, 77, 1}), UserError);
}

/// What a hostile file says; by default one that is right.
struct Claims {
    std::string kind = "attention", causal = "1";
    Shape weights{2, 2, kLength, kLength}, logits = {}, mean{2, 2, 76, 76}, max{2, 2, 76, 76};
    DType dtype = DType::kF32;
    int64_t tokens = kLength;
};

void write_claims(const std::filesystem::path& path, const Claims& claims) {
    ArrayFileWriter file(path, kProbeFiles);
    write_probe_header(file, {claims.kind, "", "", -1, "", small_job(keys_for(9, true)).model});
    write_probe_tokens(
        file, {1, claims.tokens, std::vector<int32_t>(static_cast<size_t>(claims.tokens))});
    const auto create = [&](const std::string& name, const Shape& shape) {
        if (!shape.empty())
            file.create({"/attention/" + name, claims.dtype, shape, Shape(shape.size(), 64)});
    };
    create("weights", claims.weights);
    create("logits", claims.logits);
    create("levels/4/mean", claims.mean);
    create("levels/4/max", claims.max);
    file.attribute("/attention", "causal", claims.causal);
    file.commit();
}

TEST_F(AttentionRecordIn, FilesThatDoNotFitTogetherAreRefused) {
    write_claims(path_, {});
    EXPECT_NO_THROW(AttentionRecord{path_});
    const auto refused = [&](const std::function<void(Claims&)>& change, const std::string& part) {
        Claims claims;
        change(claims);
        write_claims(path_, claims);
        expect_refused(part);
    };
    refused([](Claims& c) { c.kind = "heads"; }, "kind \"heads\"");
    refused([](Claims& c) { c.causal = "perhaps"; }, "causal");
    refused([](Claims& c) { c.causal = ""; }, "causal");
    refused([](Claims& c) { c.weights = {2, 2, kLength, 300}; }, "/attention/weights");
    refused([](Claims& c) { c.weights = {3, 2, kLength, kLength}; }, "/attention/weights");
    refused([](Claims& c) { c.weights = {2, 2, kLength * kLength}; }, "/attention/weights");
    refused([](Claims& c) { c.weights = {2, 2, 1 << 20, 1 << 20}; }, "/attention/weights");
    refused([](Claims& c) { c.logits = {2, 2, kLength, 1}; }, "/attention/logits");
    refused([](Claims& c) { c.mean = {2, 2, 75, 75}; }, "/attention/levels/4/mean");
    refused([](Claims& c) { c.max = {}; }, "/attention/levels/4/max");
    refused([](Claims& c) { c.dtype = DType::kI32; }, "/attention/weights");
    refused([](Claims& c) { c.tokens = 7; }, "/attention/weights");
}

TEST_F(AttentionRecordIn, CutFilesAreRefusedNotRead) {
    write(random_pass(40, true));
    const auto size = std::filesystem::file_size(path_);
    const std::filesystem::path whole = folder_ / "whole.h5";
    std::filesystem::rename(path_, whole);
    for (uintmax_t keep = 0; keep < size; keep += size / 50) {
        std::filesystem::copy_file(whole, path_, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::resize_file(path_, keep);
        EXPECT_THROW(AttentionRecord{path_}, UserError) << keep;
    }
}

TEST(MapLevels, CellsLargerThanAStripAddUpOverStrips) {
    constexpr int64_t kRows = 1500;
    const std::vector<int64_t> levels{4, 16, 64, 256, 1024};
    for (const bool causal : {true, false}) {
        std::vector<double> map(kRows * kRows, std::numeric_limits<double>::quiet_NaN());
        for (int64_t i = 0; i < kRows; ++i)
            for (int64_t j = 0; j < (causal ? i + 1 : kRows); ++j)
                map[static_cast<size_t>(i * kRows + j)] =
                    static_cast<double>((i * 7 + j * 13) % 101) / 101;
        MapLevels sums(kRows, causal, levels);
        std::vector<int64_t> next(2000);
        for (int64_t first = 0; first < kRows; first += MapLevels::kStrip) {
            const int64_t rows = std::min(MapLevels::kStrip, kRows - first);
            std::vector<double> strip(map.begin() + first * kRows,
                                      map.begin() + (first + rows) * kRows);
            for (double& weight : strip) weight = std::isnan(weight) ? 0 : weight;
            sums.add(first, rows, strip, [&](const LevelRows& done) {
                EXPECT_EQ(done.first, next[static_cast<size_t>(done.level)]);
                next[static_cast<size_t>(done.level)] += done.rows;
                if (done.level < 64) return;  // the finer ones take the test long
                for (int64_t at = 0; at < done.rows * done.cells; ++at) {
                    const int64_t row = done.first + at / done.cells, column = at % done.cells;
                    const auto expect = [&](float got, CellStatistic statistic) {
                        expect_same(got, cell_of(map, kRows, done.level, row, column, statistic),
                                    1e-6);
                    };
                    expect(done.mean[static_cast<size_t>(at)], CellStatistic::kMean);
                    expect(done.maxima[static_cast<size_t>(at)], CellStatistic::kMax);
                }
            });
        }
        for (const int64_t level : levels)
            EXPECT_EQ(next[static_cast<size_t>(level)], (kRows + level - 1) / level) << level;
    }
}

TEST(MapLevels, ACellWithWhatIsNoNumberIsNone) {
    std::vector<double> map(8 * 8, 0.125);
    map[8 * 2 + 1] = std::nan("");
    MapLevels(8, false, std::vector<int64_t>{4}).add(0, 8, map, [](const LevelRows& done) {
        EXPECT_TRUE(std::isnan(done.mean[0]));
        EXPECT_TRUE(std::isnan(done.maxima[0]));
        EXPECT_EQ(done.maxima[1], 0.125F);
    });
}

TEST(AttentionLevels, GoOnWhileThereAre32Cells) {
    EXPECT_EQ(attention_levels(127), std::vector<int64_t>{});
    EXPECT_EQ(attention_levels(128), std::vector<int64_t>{4});
    EXPECT_EQ(attention_levels(1024), (std::vector<int64_t>{4, 16}));
    EXPECT_EQ(attention_levels(4096), (std::vector<int64_t>{4, 16, 64}));
}

/// A record of a model of 8 x 8 pixels in four patches, with whatever `add` puts beside the maps.
RecordedPicture picture_of_record(const std::filesystem::path& path,
                                  const std::function<void(ArrayFileWriter&)>& add) {
    const ModelConfig model =
        small_job(
            R"({"input": "images", "image_size": 8, "block_size": 5, "n_layer": 1, "n_head": 1,
                      "causal": false})")
            .model;
    ArrayFileWriter file(path, kProbeFiles);
    write_probe_header(file, {"attention", "", "", -1, "", model});
    write_probe_tokens(file, image_places(model, 1));
    file.add<float>("/attention/weights", {1, 1, 5, 5}, std::vector<float>(25, 0.2f));
    file.attribute("/attention", "causal", "0");
    add(file);
    file.commit();
    return AttentionRecord(path).read_picture();
}

TEST_F(AttentionRecordIn, ThePictureIsThatOfTheBatch) {
    Batch images = Batch::of_images(2, 4, 48);
    auto* numbers = reinterpret_cast<float*>(images.bytes("patches").data());
    for (int i = 0; i < 2 * 192; ++i) numbers[i] = number_of_pixel(static_cast<uint8_t>(i % 251));
    const RecordedPicture found = picture_of_record(
        path_, [&](ArrayFileWriter& file) { write_attention_picture(file, images, 1); });
    EXPECT_EQ(found.problem, "");
    ASSERT_NE(found.picture, nullptr);
    ASSERT_EQ(found.picture->side, 8);
    // Row 5, column 6 lies in the last patch, there in row 1 and column 2.
    for (int c = 0; c < 3; ++c)
        EXPECT_EQ(found.picture->pixels[static_cast<size_t>((5 * 8 + 6) * 3 + c)],
                  (192 + 3 * 48 + c * 16 + 1 * 4 + 2) % 251);
}

TEST_F(AttentionRecordIn, APictureThatDoesNotFitIsPassedOver) {
    const auto problem = [&](const std::function<void(ArrayFileWriter&)>& add) {
        const RecordedPicture found = picture_of_record(path_, add);
        EXPECT_EQ(found.picture, nullptr);
        EXPECT_EQ(std::count(found.problem.begin(), found.problem.end(), '\n'), 0);
        return found.problem;
    };
    EXPECT_THAT(problem([](ArrayFileWriter&) {}), HasSubstr("keeps no picture"));
    const auto bytes = [&](const Shape& shape) {
        return problem([&](ArrayFileWriter& file) {
            file.create({kAttentionPicture, DType::kU8, shape});
        });
    };
    EXPECT_THAT(bytes({8, 9, 3}), HasSubstr("[8, 9, 3]"));
    EXPECT_THAT(bytes({8, 8}), HasSubstr("[8, 8]"));
    EXPECT_THAT(bytes({1 << 20, 1 << 20, 3}), HasSubstr("1048576"));
    EXPECT_THAT(problem([](ArrayFileWriter& file) {
                    file.create({kAttentionPicture, DType::kF32, {8, 8, 3}});
                }),
                HasSubstr("float32 [8, 8, 3]"));
    EXPECT_THAT(
        problem([](ArrayFileWriter& file) { file.add<float>("/picture/inside", {1}, {1.0f}); }),
        HasSubstr("/picture"));
}

}  // namespace
}  // namespace headroom
