#pragma once

#include <gtest/gtest.h>

#include "core/log/array_file.h"
#include "core/probe/heads_probe.h"
#include "core/probe/probe_datasets.h"

namespace headroom {

/// What write_head_scores() wrote into the group /heads.
inline HeadScores read_head_scores(const ArrayFile& file) {
    const Shape whole = file.type(kDistanceProfile).shape;
    HeadScores scores{whole.at(0), whole.at(1), whole.at(2), {}, {}};
    for (size_t m = 0; m < kHeadMeasures; ++m) {
        const std::string path = head_measure_path(name_of(static_cast<HeadMeasure>(m)));
        EXPECT_EQ(file.type(path).shape, (Shape{scores.n_layer, scores.n_head})) << path;
        scores.measures[m] = file.read_all<double>(path);
    }
    scores.distance_profile = file.read_all<double>(kDistanceProfile);
    return scores;
}

}  // namespace headroom
