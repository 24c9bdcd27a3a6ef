#pragma once

#include <cstdint>

namespace headroom {

/// First key word of every random stream, so that training and evaluation never share one.
/// Recorded batch hashes depend on the values: do not renumber.
inline constexpr uint64_t kTrainingStream = 1;
inline constexpr uint64_t kEvaluationStream = 2;
inline constexpr uint64_t kShuffleStream = 3;   ///< order of training images
inline constexpr uint64_t kSplitStream = 4;     ///< which images are split off
inline constexpr uint64_t kQuestionStream = 5;  ///< items of zero-shot tasks

}  // namespace headroom
