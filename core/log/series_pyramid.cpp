#include "core/log/series_pyramid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/float_bounds.h"
#include "core/stats/moving_average.h"

namespace headroom {
namespace {

using Block = SeriesPyramid::Block;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::string_view kGroup = "train/";

const SharedColumn<float>* column_of(const TrainSeries& train, std::string_view series) {
    const SharedColumn<float>* found = nullptr;
    visit_train_columns(train, [&](std::string_view name, const auto& column, const char*) {
        if constexpr (std::is_same_v<decltype(column), const SharedColumn<float>&>)
            if (series.starts_with(kGroup) && series.substr(kGroup.size()) == name) found = &column;
    });
    return found;
}

/// Joins two stretches that follow each other.
void include(const Block& later, Block& block) {
    block.raw_least = std::min(block.raw_least, later.raw_least);
    block.raw_greatest = std::max(block.raw_greatest, later.raw_greatest);
    block.least = std::min(block.least, later.least);
    block.greatest = std::max(block.greatest, later.greatest);
}

/// Stretches twice as long, so that there are never more than kMostBlocks.
void halve(SeriesPyramid& pyramid) {
    std::vector<Block>& blocks = pyramid.blocks;
    for (size_t i = 0; 2 * i < blocks.size(); ++i) {
        blocks[i] = blocks[2 * i];
        if (2 * i + 1 < blocks.size()) include(blocks[2 * i + 1], blocks[i]);
    }
    blocks.resize((blocks.size() + 1) / 2);
    pyramid.block_rows *= 2;
}

/// Takes up rows one after the other, in the order of the log.
class Builder {
  public:
    explicit Builder(SeriesPyramid& pyramid)
        : pyramid_(pyramid), average_(pyramid.weight), step_(-1) {
        if (pyramid.blocks.empty()) return;
        // The last stretch is taken up again: it may not have been full.
        const Block& open = pyramid.blocks.back();
        average_ = MovingAverage(pyramid.weight, open.average, open.averaged);
        pyramid.blocks.pop_back();
        row_ = static_cast<int64_t>(pyramid.blocks.size()) * pyramid.block_rows;
        if (!pyramid.blocks.empty()) step_ = pyramid.blocks.back().step;
    }

    int64_t next_row() const { return row_; }

    /// False if the step is not later than the one before.
    bool add(int64_t step, int64_t tokens, double seconds, float raw) {
        if (step <= step_) return false;
        step_ = step;
        const Block row = block_of(step, tokens, seconds, raw);
        if (row_ % pyramid_.block_rows == 0) begin_block(row);
        include(row, pyramid_.blocks.back());
        if (!std::isfinite(raw) && pyramid_.first_bad_step == 0) pyramid_.first_bad_step = step;
        pyramid_.last = row;
        pyramid_.rows = ++row_;
        return true;
    }

  private:
    Block block_of(int64_t step, int64_t tokens, double seconds, float raw) {
        Block block{.step = step,
                    .tokens = tokens,
                    .seconds = seconds,
                    .average = average_.last(),
                    .averaged = average_.count(),
                    .raw = raw};
        block.value = pyramid_.weight > 0 ? average_.next(raw) : raw;
        const bool finite = std::isfinite(raw);
        block.raw_least = finite ? raw : kInfinity;
        block.raw_greatest = finite ? raw : -kInfinity;
        block.least = finite ? float_not_above(block.value) : kInfinity;
        block.greatest = finite ? float_not_below(block.value) : -kInfinity;
        return block;
    }

    void begin_block(const Block& row) {
        if (pyramid_.blocks.size() == SeriesPyramid::kMostBlocks) {
            halve(pyramid_);
            if (row_ % pyramid_.block_rows != 0) return;
        }
        pyramid_.blocks.push_back(row);
    }

    SeriesPyramid& pyramid_;
    MovingAverage average_;
    int64_t step_, row_ = 0;
};

}  // namespace

bool SeriesPyramid::is_constant() const {
    if (first_bad_step != 0 || blocks.empty()) return false;
    return std::all_of(blocks.begin(), blocks.end(), [&](const Block& block) {
        return block.raw_least == blocks.front().raw && block.raw_greatest == blocks.front().raw;
    });
}

bool is_pyramid_series(std::string_view series) {
    return column_of(TrainSeries{}, series) != nullptr;
}

bool extend_pyramid(SeriesPyramid& pyramid, const TrainSeries& train) {
    constexpr size_t kRowsAtOnce = 65536;
    const SharedColumn<float>* values = column_of(train, pyramid.series);
    CHECK(values != nullptr, "a pyramid is of a float column of /train");
    const auto rows = static_cast<int64_t>(values->size());
    if (pyramid.rows == rows) return true;
    if (pyramid.rows > rows) return false;
    Builder builder(pyramid);
    // A run that grows has a few rows more, which must not cost as much as all.
    const size_t at_once =
        std::min(kRowsAtOnce, static_cast<size_t>(std::max<int64_t>(rows - builder.next_row(), 0)));
    std::vector<int64_t> step(at_once), tokens(at_once);
    std::vector<double> seconds(at_once);
    std::vector<float> raw(at_once);
    while (builder.next_row() < rows) {
        const auto begin = static_cast<size_t>(builder.next_row());
        const size_t count = std::min(at_once, static_cast<size_t>(rows) - begin);
        train.step.read(begin, std::span(step).first(count));
        train.tokens.read(begin, std::span(tokens).first(count));
        train.seconds.read(begin, std::span(seconds).first(count));
        values->read(begin, std::span(raw).first(count));
        for (size_t i = 0; i < count; ++i)
            if (!builder.add(step[i], tokens[i], seconds[i], raw[i])) return false;
    }
    return true;
}

bool agrees_with(const SeriesPyramid& pyramid, const TrainSeries& train) {
    const SharedColumn<float>* values = column_of(train, pyramid.series);
    if (values == nullptr || pyramid.blocks.empty() || pyramid.rows < 1 ||
        pyramid.rows > static_cast<int64_t>(values->size()))
        return false;
    const auto same = [&](const Block& block, size_t row) {
        const float value = (*values)[row];
        return train.step[row] == block.step && train.tokens[row] == block.tokens &&
               (value == block.raw || (std::isnan(value) && std::isnan(block.raw)));
    };
    const size_t middle = pyramid.blocks.size() / 2;
    const auto block_rows = static_cast<size_t>(pyramid.block_rows);
    return same(pyramid.blocks.front(), 0) && same(pyramid.blocks[middle], middle * block_rows) &&
           same(pyramid.blocks.back(), (pyramid.blocks.size() - 1) * block_rows) &&
           same(pyramid.last, static_cast<size_t>(pyramid.rows) - 1);
}

}  // namespace headroom
