#include "datasets/images/image_source.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cpu/parallel.h"
#include "core/model/image_patches.h"
#include "datasets/counter_random.h"
#include "datasets/images/resample.h"
#include "datasets/images/shuffle.h"
#include "datasets/streams.h"

namespace headroom {
namespace {

/// Where a picture is cut out of its margin, and whether it is mirrored.
struct Change {
    int64_t left = 0, top = 0;  ///< of the cut, from the picture's corner; may be negative
    bool flipped = false;
};

Change draw_change(Augmentation augment, int64_t side, CounterRandom& random) {
    Change change;
    if (augment == Augmentation::kNone) return change;
    if (augment == Augmentation::kCropFlip) {
        const int64_t margin = side / 8;
        change.left = random.below(2 * margin + 1) - margin;
        change.top = random.below(2 * margin + 1) - margin;
    }
    change.flipped = random.chance(0.5);
    return change;
}

/// The square picture, changed, as patches.
void write_patches(const Picture& picture, const Change& change, const PatchLayout& layout,
                   float* out) {
    const int64_t side = layout.side();
    for (int64_t y = 0; y < side; ++y)
        for (int64_t x = 0; x < side; ++x) {
            const int64_t from_x = (change.flipped ? side - 1 - x : x) + change.left;
            const int64_t from_y = y + change.top;
            const bool inside = from_x >= 0 && from_x < side && from_y >= 0 && from_y < side;
            const auto at = static_cast<size_t>(3 * (from_y * side + from_x));
            float* to = out + layout.at(y, x);
            for (int64_t c = 0; c < kImageChannels; ++c)
                to[c * layout.plane()] = number_of_pixel(
                    inside ? picture.pixels[at + static_cast<size_t>(c)] : uint8_t{0});
        }
}

/// The pictures of a set as squares, which are kept where all of them take little memory.
class FittedPictures {
  public:
    explicit FittedPictures(PictureSet set) : set_(std::move(set)) {}

    const PictureSet& set() const { return set_; }

    std::shared_ptr<const Picture> at(int64_t i, int64_t side) const {
        constexpr int64_t kMostKept = int64_t{2} << 30;
        const int64_t index = set_.at(i);
        if (set_.size() * kImageChannels * side * side > kMostKept) return make(index, side);
        {
            const std::lock_guard lock(mutex_);
            if (side != side_) {
                side_ = side;
                kept_.assign(static_cast<size_t>(set_.size()), nullptr);
            }
            if (const auto& known = kept_[static_cast<size_t>(i)]) return known;
        }
        std::shared_ptr<const Picture> made = make(index, side);
        const std::lock_guard lock(mutex_);
        if (side == side_) kept_[static_cast<size_t>(i)] = made;
        return made;
    }

  private:
    std::shared_ptr<const Picture> make(int64_t index, int64_t side) const {
        return std::make_shared<const Picture>(fit_square(set_.pictures->read(index), side));
    }

    PictureSet set_;
    mutable std::mutex mutex_;
    mutable int64_t side_ = 0;
    mutable std::vector<std::shared_ptr<const Picture>> kept_;
};

class ImageSource : public DataSource {
  public:
    ImageSource(PictureSet train, PictureSet val, Augmentation augment, int64_t seed)
        : train_(std::move(train)),
          val_(std::move(val)),
          val_order_(val_.set().size(), {kEvaluationStream}),
          augment_(augment),
          seed_(static_cast<uint64_t>(seed)) {
        info_.vocab_size = static_cast<int64_t>(train_.set().pictures->classes().size());
        info_.description = fmt::format("train {}; val {}", describe(train_), describe(val_));
        info_.images = true;
    }

    const DataInfo& info() const override { return info_; }

    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        const int64_t rows = batch.batch_size(), count = train_.set().size();
        each_row(batch, [&](int64_t row, const PatchLayout& layout, float* out, int32_t& target) {
            const int64_t place = (step - 1) * rows + row;
            const auto pass = static_cast<uint64_t>(place / count);
            const Shuffle order(count, {kShuffleStream, seed_, static_cast<uint64_t>(micro), pass});
            CounterRandom random{kTrainingStream, seed_, static_cast<uint64_t>(step),
                                 static_cast<uint64_t>(micro), static_cast<uint64_t>(row)};
            const Change change = draw_change(augment_, layout.side(), random);
            fill(train_, order.at(place % count), change, layout, out, target);
        });
    }

    void eval_batch(int64_t index, Batch& batch) const override {
        const int64_t rows = batch.batch_size(), count = val_.set().size();
        each_row(batch, [&](int64_t row, const PatchLayout& layout, float* out, int32_t& target) {
            const int64_t place = index * rows + row;
            if (place < count) {
                fill(val_, val_order_.at(place), {}, layout, out, target);
                return;
            }
            std::fill_n(out, layout.numbers(), 0.0f);
            target = kIgnoredTarget;
        });
    }

  private:
    static std::string describe(const FittedPictures& of) {
        const PictureSet& set = of.set();
        if (set.chosen.empty()) return set.pictures->describe();
        return fmt::format("{} of {}", set.size(), set.pictures->describe());
    }

    /// Calls f(row, layout, out, target) for every row, by several threads.
    template <class F>
    static void each_row(Batch& batch, F&& f) {
        const PatchLayout layout(batch);
        auto* patches = reinterpret_cast<float*>(batch.bytes("patches").data());
        const std::span<int32_t> targets = batch.targets();
        parallel_for(batch.batch_size(), 4, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row)
                f(row, layout, patches + row * layout.numbers(), targets[static_cast<size_t>(row)]);
        });
    }

    static void fill(const FittedPictures& from, int64_t i, const Change& change,
                     const PatchLayout& layout, float* out, int32_t& target) {
        write_patches(*from.at(i, layout.side()), change, layout, out);
        target = from.set().pictures->label(from.set().at(i));
    }

    FittedPictures train_, val_;
    Shuffle val_order_;
    Augmentation augment_;
    uint64_t seed_;
    DataInfo info_;
};

}  // namespace

std::pair<PictureSet, PictureSet> split_pictures(std::shared_ptr<const Pictures> pictures,
                                                 double fraction) {
    const int64_t count = pictures->size();
    const auto kept =
        static_cast<int64_t>(std::floor(static_cast<double>(count) * (1.0 - fraction)));
    if (kept < 1 || kept >= count)
        throw UserError(fmt::format("{}: a fraction of {} leaves one side without images",
                                    pictures->describe(), fraction),
                        "choose another fraction, or name validation images in data.val");
    const Shuffle order(count, {kSplitStream});
    PictureSet train{pictures}, val{std::move(pictures)};
    for (int64_t i = 0; i < count; ++i) (i < kept ? train : val).chosen.push_back(order.at(i));
    return {std::move(train), std::move(val)};
}

std::unique_ptr<DataSource> make_image_source(PictureSet train, PictureSet val,
                                              Augmentation augment, int64_t seed) {
    return std::make_unique<ImageSource>(std::move(train), std::move(val), augment, seed);
}

}  // namespace headroom
