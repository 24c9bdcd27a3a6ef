#include "core/probe/attention_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/probe/map_levels.h"
#include "core/probe/probe_datasets.h"

namespace headroom {
namespace {

/// Times as coarse from level to level, and cells that the coarsest still has.
constexpr int64_t kFewestCells = 32;

bool holds_reals(const TensorType& type) {
    return type.dtype == DType::kF32 || type.dtype == DType::kF64;
}

}  // namespace

std::string attention_array(int64_t level, CellStatistic statistic) {
    if (level == 1) return kAttentionWeights;
    return fmt::format("/attention/levels/{}/{}", level,
                       statistic == CellStatistic::kMean ? "mean" : "max");
}

std::vector<int64_t> attention_levels(int64_t seq_len) {
    std::vector<int64_t> levels;
    for (int64_t level = MapLevels::kCoarser; seq_len >= level * kFewestCells;
         level *= MapLevels::kCoarser)
        levels.push_back(level);
    return levels;
}

AttentionRecord::AttentionRecord(std::filesystem::path path)
    : file_(std::move(path)), header_(read_probe_header(file_)) {
    if (header_.kind != "attention")
        fail(fmt::format("it is a probe of the kind \"{}\"", header_.kind.substr(0, 40)));
    tokens_ = read_probe_tokens(file_);
    if (tokens_.batch_size < 1 || tokens_.seq_len < 1) fail("it has no tokens");
    // The maps are of the first sequence.
    tokens_.batch_size = 1;
    tokens_.ids.resize(static_cast<size_t>(tokens_.seq_len));
    if (!tokens_.pieces.empty()) tokens_.pieces.resize(static_cast<size_t>(tokens_.seq_len));
    find_maps();
    find_levels();
}

void AttentionRecord::fail(const std::string& what) const {
    throw UserError(fmt::format("{} is no attention record: {}", path().string(), what),
                    "make the file again with headroom probe attention");
}

void AttentionRecord::find_maps() {
    n_layer_ = header_.model.n_layer;
    n_head_ = header_.model.n_head;
    const Shape expected{n_layer_, n_head_, seq_len(), seq_len()};
    const auto check = [&](const char* array) {
        const TensorType type = file_.type(array);
        if (!holds_reals(type) || type.shape != expected)
            fail(fmt::format("{} is {}, where the model and the tokens make {}", array,
                             to_string(type.shape), to_string(expected)));
    };
    check(kAttentionWeights);
    has_logits_ = file_.has(kAttentionLogits);
    if (has_logits_) check(kAttentionLogits);
    const std::string causal = file_.attribute("/attention", "causal");
    if (causal != "0" && causal != "1")
        fail(fmt::format("causal is \"{}\", neither 0 nor 1", causal.substr(0, 40)));
    causal_ = causal == "1";
}

void AttentionRecord::find_levels() {
    for (const int64_t level : attention_levels(seq_len())) {
        const Shape expected{n_layer_, n_head_, cells(level), cells(level)};
        for (const CellStatistic statistic : {CellStatistic::kMean, CellStatistic::kMax}) {
            const std::string array = attention_array(level, statistic);
            const TensorType type = file_.type(array);
            if (!holds_reals(type) || type.shape != expected)
                fail(fmt::format("{} is {}, not {}", array, to_string(type.shape),
                                 to_string(expected)));
        }
        levels_.push_back(level);
    }
}

std::vector<float> AttentionRecord::read(const std::string& array, int64_t layer, int64_t head,
                                         const MapBox& box) const {
    if (box.rows < 0 || box.columns < 0 || box.rows > seq_len() || box.columns > seq_len())
        throw UserError(
            fmt::format("{}: a box of {} x {} cells", path().string(), box.rows, box.columns),
            fmt::format("the map has {} x {}", seq_len(), seq_len()));
    std::vector<float> values(static_cast<size_t>(box.rows * box.columns));
    file_.read(array, {layer, head, box.row, box.column}, {1, 1, box.rows, box.columns},
               std::span<float>(values));
    return values;
}

void AttentionRecord::mask(std::vector<float>& values, const MapBox& box) const {
    if (!causal_) return;
    for (int64_t i = 0; i < box.rows; ++i) {
        const int64_t seen = std::clamp<int64_t>(box.row + i + 1 - box.column, 0, box.columns);
        float* row = values.data() + i * box.columns;
        std::fill(row + seen, row + box.columns, std::numeric_limits<float>::quiet_NaN());
    }
}

std::vector<float> AttentionRecord::read_box(int64_t layer, int64_t head, int64_t level,
                                             const MapBox& box, CellStatistic statistic) const {
    if (std::find(levels_.begin(), levels_.end(), level) == levels_.end())
        throw UserError(fmt::format("{} has no level {}", path().string(), level),
                        fmt::format("use one of {}", fmt::join(levels_, ", ")));
    std::vector<float> values = read(attention_array(level, statistic), layer, head, box);
    if (level == 1) mask(values, box);
    return values;
}

std::vector<float> AttentionRecord::read_logits(int64_t layer, int64_t head,
                                                const MapBox& box) const {
    CHECK(has_logits_, "logits are asked for that the record does not hold");
    std::vector<float> values = read(kAttentionLogits, layer, head, box);
    mask(values, box);
    return values;
}

RecordedPicture AttentionRecord::read_picture() const {
    if (!header_.model.reads_images()) return {};
    const std::vector<std::string> there = file_.names("/");
    if (std::find(there.begin(), there.end(), kAttentionPicture + 1) == there.end())
        return {nullptr, "the record keeps no picture (probe again to have one)"};
    const int64_t side = header_.model.image_size;
    const TensorType expected{DType::kU8, {side, side, kImageChannels}};
    try {
        if (const TensorType found = file_.type(kAttentionPicture); found != expected)
            return {nullptr, fmt::format("{} is {}, where the model makes {}", kAttentionPicture,
                                         to_string(found), to_string(expected))};
        SquarePicture picture{side, file_.read_all<uint8_t>(kAttentionPicture)};
        return {std::make_shared<const SquarePicture>(std::move(picture)), ""};
    } catch (const UserError& error) {
        return {nullptr, error.what()};
    }
}

}  // namespace headroom
