#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/account/match.h"

namespace headroom {

/// Private to core/account: the models that one key of a job document spans. Values are numbered in
/// ascending order: the multiples of a step, or the divisors of n_head for n_kv_head.
class MatchSpace {
  public:
    /// REQUIRES: parse_job(document) passes, and the document outlives this object.
    MatchSpace(const nlohmann::json& document, MatchKey key, int64_t multiple_of);

    /// Why this key cannot be varied in this model, "" if it can.
    std::string refusal() const;
    int64_t size() const { return size_; }
    int64_t value(int64_t index) const;
    /// The index of the model as it stands, rounded down.
    int64_t start() const;
    /// None where the sizes do not fit together.
    std::optional<ModelConfig> model(int64_t index) const;
    /// The shortest list of assignments that turns the document into model(index).
    std::vector<std::pair<std::string, std::string>> settings(int64_t index) const;

  private:
    int64_t natural_step() const;
    void list_divisors(int64_t multiple_of);
    nlohmann::json keys_at(int64_t value) const;
    nlohmann::json widths_at(int64_t d_model) const;
    ModelConfig model_with(const nlohmann::json& keys) const;

    const nlohmann::json& document_;
    ModelConfig now_;
    MatchKey key_;
    int64_t step_ = 1;
    std::vector<int64_t> divisors_;  ///< of n_head, for n_kv_head alone
    int64_t size_ = 0;
};

}  // namespace headroom
