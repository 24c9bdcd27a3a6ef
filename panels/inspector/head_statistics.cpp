#include "panels/inspector/head_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace headroom {
namespace {

constexpr int64_t kBlock = 256;  // as the records are chunked
constexpr size_t kQuantiles = 1025;

/// Counts floats by the upper half of their bits, which sort like the numbers once the negative
/// ones are turned round: 65,536 bins, each 0.8 % wide.
class BitHistogram {
  public:
    void add(float value) { ++counts_[bin_of(value)]; }

    /// The value below which `rank` of the counted ones lie, to within a bin.
    std::vector<double> quantiles(int64_t total, double least, double most) const {
        std::vector<double> result;
        if (total == 0) return result;
        size_t bin = 0;
        int64_t below = 0;
        for (size_t i = 0; i < kQuantiles; ++i) {
            const double rank =
                static_cast<double>(i) / (kQuantiles - 1) * static_cast<double>(total - 1);
            while (static_cast<double>(below + counts_[bin]) <= rank) below += counts_[bin++];
            const double share =
                (rank - static_cast<double>(below) + 0.5) / static_cast<double>(counts_[bin]);
            const double value = floor_of(bin) + share * (floor_of(bin + 1) - floor_of(bin));
            result.push_back(std::clamp(value, least, most));
        }
        result.front() = least;
        result.back() = most;
        return result;
    }

  private:
    static size_t bin_of(float value) {
        const auto bits = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
        return bits & 0x8000 ? static_cast<uint16_t>(~bits) : bits | 0x8000;
    }
    /// The least value of a bin.
    static double floor_of(size_t bin) {
        const auto index = static_cast<uint16_t>(std::min(bin, counts_size - 1));
        const uint32_t high = index & 0x8000 ? index & 0x7fff : static_cast<uint16_t>(~index);
        const uint32_t low = index & 0x8000 ? 0 : 0xffff;
        const auto value = static_cast<double>(std::bit_cast<float>(high << 16 | low));
        return std::isfinite(value) ? value : std::copysign(3.4e38, value);
    }

    static constexpr size_t counts_size = 1 << 16;
    std::vector<int64_t> counts_ = std::vector<int64_t>(counts_size);
};

void start(LineSums& lines, int64_t count) {
    const auto size = static_cast<size_t>(count);
    lines.sum.assign(size, 0);
    lines.most.assign(size, std::numeric_limits<double>::quiet_NaN());
    lines.most_at.assign(size, 0);
    lines.entries.assign(size, 0);
}

/// `by_size`: whatever its sign, the largest is what is furthest from 0.
void add(LineSums& lines, int64_t line, int64_t at, double value, bool by_size) {
    const auto i = static_cast<size_t>(line);
    lines.sum[i] += value;
    ++lines.entries[i];
    const bool stays =
        by_size ? std::fabs(lines.most[i]) >= std::fabs(value) : lines.most[i] >= value;
    if (!stays) {
        lines.most[i] = value;
        lines.most_at[i] = at;
    }
}

class Measurement {
  public:
    Measurement(HeadStatistics& result, bool by_size) : result_(result), by_size_(by_size) {}

    void add_block(const CellBox& box, const std::vector<float>& values, bool causal) {
        for (int64_t r = 0; r < box.rows; ++r) {
            const int64_t query = box.row + r;
            const int64_t seen =
                causal ? std::clamp(query + 1 - box.column, int64_t{0}, box.columns) : box.columns;
            for (int64_t c = 0; c < seen; ++c)
                add_entry(query, box.column + c, values[static_cast<size_t>(r * box.columns + c)]);
        }
    }

    void finish() {
        const auto count = static_cast<double>(result_.finite);
        if (result_.finite == 0) return;
        result_.mean = sum_ / count;
        result_.deviation =
            std::sqrt(std::max(0.0, squares_ / count - result_.mean * result_.mean));
        result_.quantiles = histogram_.quantiles(result_.finite, result_.least, result_.most);
    }

  private:
    void add_entry(int64_t query, int64_t key, float entry) {
        const auto value = static_cast<double>(entry);
        add(result_.queries, query, key, value, by_size_);
        add(result_.keys, key, query, value, by_size_);
        if (!std::isfinite(entry)) {
            ++result_.not_finite;
            return;
        }
        if (result_.finite == 0) result_.least = result_.most = value;
        result_.least = std::min(result_.least, value);
        result_.most = std::max(result_.most, value);
        ++result_.finite;
        sum_ += value;
        squares_ += value * value;
        histogram_.add(entry);
    }

    HeadStatistics& result_;
    bool by_size_;
    BitHistogram histogram_;
    double sum_ = 0, squares_ = 0;
};

}  // namespace

size_t HeadStatistics::bytes() const {
    const size_t lines = queries.sum.size() + keys.sum.size();
    return sizeof(HeadStatistics) + quantiles.size() * sizeof(double) +
           lines * (2 * sizeof(double) + 2 * sizeof(int64_t));
}

std::vector<double> margin_values(const LineSums& lines, Margin margin) {
    if (margin == Margin::kMax) return lines.most;
    std::vector<double> values = lines.sum;
    if (margin == Margin::kMean)
        for (size_t i = 0; i < values.size(); ++i)
            values[i] /= static_cast<double>(lines.entries[i]);  // NaN where all are masked
    return values;
}

HeadStatistics measure_head(const MapSource& source, const MapPlane& plane) {
    HeadStatistics result;
    const MapInfo& info = source.info();
    start(result.queries, info.seq_len);
    start(result.keys, info.seq_len);
    Measurement measurement(result, info.differs);
    std::vector<float> values;
    try {
        for (int64_t row = 0; row < info.seq_len; row += kBlock)
            for (int64_t column = 0; column < info.seq_len; column += kBlock) {
                if (info.causal && column > row + kBlock - 1) break;
                const CellBox box{row, column, std::min(kBlock, info.seq_len - row),
                                  std::min(kBlock, info.seq_len - column)};
                values.resize(static_cast<size_t>(box.count()));
                source.read(plane, 1, box, values);
                measurement.add_block(box, values, info.causal);
            }
    } catch (const std::exception& error) {
        result.problem = error.what();
    }
    measurement.finish();
    return result;
}

}  // namespace headroom
