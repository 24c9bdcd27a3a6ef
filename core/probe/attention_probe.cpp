#include "core/probe/attention_probe.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/cpu/parallel.h"
#include "core/model/image_patches.h"
#include "core/probe/attention_map.h"
#include "core/probe/attention_record.h"
#include "core/probe/map_levels.h"
#include "core/probe/probe_datasets.h"

namespace headroom {
namespace {

constexpr int64_t kChunk = 256;
/// Queries that a thread takes at a time.
constexpr int64_t kGrain = 8;

/// Writes the maps of one model, one head after the other.
class RecordWriter {
  public:
    RecordWriter(ArrayFileWriter& file, const ProbePass& pass,
                 const AttentionRecordOptions& options)
        : file_(file),
          options_(options),
          seq_len_(pass.shape().seq_len),
          causal_(pass.attention(0).causal),
          levels_(attention_levels(seq_len_)) {
        const Shape heads{pass.model().n_layer, pass.model().n_head};
        create(kAttentionWeights, options.dtype, heads, seq_len_);
        if (options.logits) create(kAttentionLogits, options.dtype, heads, seq_len_);
        for (const int64_t level : levels_)
            for (const auto statistic : {CellStatistic::kMean, CellStatistic::kMax})
                create(attention_array(level, statistic), DType::kF32, heads,
                       (seq_len_ + level - 1) / level);
        file.attribute("/attention", "causal", causal_ ? "1" : "0");
        file.plot_hint({"/attention", "weights"});
    }

    void write_head(const AttentionMap& map, int64_t layer, int64_t head) {
        MapLevels levels(seq_len_, causal_, levels_);
        for (int64_t first = 0; first < seq_len_; first += MapLevels::kStrip) {
            const int64_t rows = std::min(MapLevels::kStrip, seq_len_ - first);
            const auto strip = std::span(strip_).first(static_cast<size_t>(rows * seq_len_));
            const auto each_row = [&](auto&& work) {
                parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
                    work(first + begin, end - begin,
                         strip.subspan(static_cast<size_t>(begin * seq_len_),
                                       static_cast<size_t>((end - begin) * seq_len_)));
                });
            };
            each_row([&](auto... part) { map.logits(part...); });
            if (options_.logits) write_strip(kAttentionLogits, {layer, head, first, 0}, rows);
            each_row([&](auto... part) { map.soften(part...); });
            write_strip(kAttentionWeights, {layer, head, first, 0}, rows);
            levels.add(first, rows, strip,
                       [&](const LevelRows& done) { write_level(done, layer, head); });
        }
    }

  private:
    void create(const std::string& path, DType dtype, const Shape& heads, int64_t side) {
        file_.create({path, dtype, {heads[0], heads[1], side, side}, {1, 1, kChunk, kChunk}});
    }

    /// Chunks that are masked as a whole are left out, masked entries of the others are 0.
    void write_strip(const char* path, const Shape& at, int64_t rows) {
        if (options_.dtype == DType::kF64)
            write_strip(path, at, rows, doubles_);
        else
            write_strip(path, at, rows, floats_);
    }

    template <class T>
    void write_strip(const char* path, const Shape& at, int64_t rows, std::vector<T>& box) {
        const int64_t first = at[2];
        const int64_t width =
            causal_ ? std::min((first + rows + kChunk - 1) / kChunk * kChunk, seq_len_) : seq_len_;
        box.resize(static_cast<size_t>(rows * width));
        parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const double* from = strip_.data() + i * seq_len_;
                T* to = box.data() + i * width;
                const int64_t seen = causal_ ? first + i + 1 : seq_len_;
                for (int64_t j = 0; j < seen; ++j) to[j] = static_cast<T>(from[j]);
                std::fill(to + seen, to + width, T{0});
            }
        });
        file_.write(path, at, {1, 1, rows, width}, std::span<const T>(box));
    }

    void write_level(const LevelRows& done, int64_t layer, int64_t head) {
        const Shape at{layer, head, done.first, 0}, shape{1, 1, done.rows, done.cells};
        file_.write(attention_array(done.level, CellStatistic::kMean), at, shape,
                    std::span<const float>(done.mean));
        file_.write(attention_array(done.level, CellStatistic::kMax), at, shape,
                    std::span<const float>(done.maxima));
    }

    ArrayFileWriter& file_;
    const AttentionRecordOptions& options_;
    int64_t seq_len_;
    bool causal_;
    std::vector<int64_t> levels_;
    std::vector<double> strip_ =
        std::vector<double>(static_cast<size_t>(std::min(MapLevels::kStrip, seq_len_) * seq_len_));
    std::vector<float> floats_;
    std::vector<double> doubles_;
};

}  // namespace

void write_attention_record(ArrayFileWriter& file, const ProbePass& pass, int64_t b,
                            const AttentionRecordOptions& options) {
    CHECK(options.dtype == DType::kF32 || options.dtype == DType::kF64, "records hold reals");
    RecordWriter writer(file, pass, options);
    const int64_t n_layer = pass.model().n_layer, n_head = pass.model().n_head;
    for (int64_t layer = 0; layer < n_layer; ++layer)
        for (int64_t head = 0; head < n_head; ++head) {
            writer.write_head(
                AttentionMap(pass, static_cast<int>(layer), static_cast<int>(head), b), layer,
                head);
            if (options.progress)
                options.progress(static_cast<double>(layer * n_head + head + 1) /
                                 static_cast<double>(n_layer * n_head));
        }
}

void write_attention_picture(ArrayFileWriter& file, const Batch& images, int64_t b) {
    const SquarePicture picture = picture_in(images, b);
    file.add(kAttentionPicture, {picture.side, picture.side, kImageChannels}, picture.pixels);
    // Viewers that know HDF5's Image specification show it in its colours.
    file.attribute(kAttentionPicture, "CLASS", "IMAGE");
    file.attribute(kAttentionPicture, "IMAGE_VERSION", "1.2");
    file.attribute(kAttentionPicture, "IMAGE_SUBCLASS", "IMAGE_TRUECOLOR");
    file.attribute(kAttentionPicture, "INTERLACE_MODE", "INTERLACE_PIXEL");
}

}  // namespace headroom
