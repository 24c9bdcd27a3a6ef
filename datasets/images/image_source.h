#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "datasets/images/pictures.h"

namespace headroom {

/// Pictures, or some of them.
struct PictureSet {
    std::shared_ptr<const Pictures> pictures;
    std::vector<int64_t> chosen = {};  ///< which ones; empty: all

    int64_t size() const {
        return chosen.empty() ? pictures->size() : static_cast<int64_t>(chosen.size());
    }
    int64_t at(int64_t i) const { return chosen.empty() ? i : chosen[static_cast<size_t>(i)]; }
};

/// The pictures without and with the last `fraction` of them in an order that is shuffled, the same
/// for every seed. UserError if one side has none.
std::pair<PictureSet, PictureSet> split_pictures(std::shared_ptr<const Pictures> pictures,
                                                 double fraction);

/// Batches of pictures: "patches" as core/model/image_patches.h lays them out, and "targets". The
/// size of a picture and of its patches follows from the batch that is asked for; others are made
/// to fit (resample.h).
///
/// Training goes through all pictures in an order of its own for each seed, micro-batch and pass:
/// row r of step s is picture (s - 1) batch_size + r of an endless sequence of shuffled passes.
/// `augment` is drawn for each row by itself (Krizhevsky, Sutskever, Hinton 2012, section 4.1; He
/// et al. 2015, arXiv:1512.03385, section 4.2): a cut at a random place of the picture with a black
/// margin of an eighth of its side, and in half of the cases left and right exchanged.
///
/// Evaluation takes the validation pictures in one shuffled order, each once; rows behind the last
/// have kIgnoredTarget, so that batches enough for all of them give the numbers of the whole set.
std::unique_ptr<DataSource> make_image_source(PictureSet train, PictureSet val,
                                              Augmentation augment, int64_t seed);

}  // namespace headroom
