#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/config/job.h"

namespace headroom {

/// An architecture by name (letters and digits) and the keys of the model section that make it.
struct Architecture {
    std::string name;
    std::string keys;  ///< JSON object
    /// Position t may depend on later tokens.
    bool encoder = false;
    /// Without skips signals die out unless the initial weights are larger.
    bool needs_large_weights = false;

    /// As a parameter of tests; its bytes otherwise, of every one at the start of every process.
    friend void PrintTo(const Architecture& architecture, std::ostream* out) {
        *out << architecture.name;
    }
};

/// Every architecture that the papers define, compare with or ablate, and combinations of them.
const std::vector<Architecture>& architectures_to_test();

/// The same with two of three experts in place of every MLP, of those that have none.
const std::vector<Architecture>& expert_architectures_to_test();

/// The same as models of images, without what needs tokens.
const std::vector<Architecture>& image_architectures_to_test();

/// Images of 4 x 4 pixels in four patches, three classes; otherwise the sizes of small_job.
Job small_image_job(const std::string& changes);

/// The same in float32, trained long enough to tell such classes apart.
Job image_job_that_learns(const std::string& changes);

/// The small sizes that the tests use: 4 layers of 4 heads, d_model 8, vocab_size 11. Keys of
/// `changes` (a JSON object) win. float64, sequences of 6 tokens, batches of 2.
Job small_job(const std::string& changes);

}  // namespace headroom
