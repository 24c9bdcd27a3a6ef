#pragma once

#include <memory>
#include <vector>

#include "datasets/sequence_source.h"

namespace headroom {

/// A source and its share of the rows, above 0; shares need not sum to one.
struct MixedPart {
    double weight = 1;
    std::unique_ptr<SequenceSource> source;
};

/// Rows of several sources: a training row is of a source drawn by the weights; evaluation row n is
/// of the source in whose stretch of [0, 1) frac(n * sqrt(2)) lies, so that any number of rows has
/// the shares as nearly as whole rows can. REQUIRES: a part.
std::unique_ptr<SequenceSource> make_mixed_source(std::vector<MixedPart> parts);

}  // namespace headroom
