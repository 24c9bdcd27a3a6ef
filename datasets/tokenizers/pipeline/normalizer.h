#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/pipeline/json_part.h"

namespace headroom {

/// The normalizer of a tokenizer.json: NFC, NFD, Prepend, Replace, Strip, Precompiled, Sequence.
/// Immutable.
class Normalizer {
  public:
    Normalizer() = default;
    /// UserError for one that is not read here.
    explicit Normalizer(const JsonPart& part);

    /// REQUIRES: well-formed UTF-8, which the result is too.
    std::string apply(std::string_view text) const;
    bool empty() const { return steps_.empty(); }

  private:
    using Step = std::function<std::string(std::string_view)>;

    void add(const JsonPart& part, int depth);
    void add_replace(const JsonPart& part);
    void add_precompiled(const JsonPart& part);

    std::vector<Step> steps_;
};

}  // namespace headroom
