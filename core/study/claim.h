#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

enum class ClaimRelation { kLess, kGreater, kEqual };
/// "<", ">", "=".
const char* sign_of(ClaimRelation relation);

/// One comparison of a claim: what is measured of each pair of runs is left - right, or left /
/// right; the relation sets its mean against `bound`, `within` of it for kEqual.
struct ClaimStep {
    std::string left, right;  ///< ids of "runs" in study.json, with their point of a sweep if any
    bool ratio = false;
    ClaimRelation relation = ClaimRelation::kLess;
    double bound = 0;
    double within = 0;

    bool operator==(const ClaimStep&) const = default;
};

/// An entry of "expect" in study.json: what somebody says that the runs will show. It holds where
/// every step holds. core/study/README.md has the grammar.
struct Claim {
    std::string text;  ///< "skipv1 < baseline by val.loss"
    std::vector<ClaimStep> steps;
    std::string measure = "final";     ///< a Measure, or one of exact_measures()
    std::optional<int64_t> at_tokens;  ///< after so many tokens, not at the end
    bool by_seed =
        false;           ///< a pair need not have seen the same batches, as one trained on has not
    std::string says;    ///< the sentence that it tests, for people; may be empty
    std::string source;  ///< where that stands: "000, table 2"; may be empty

    bool operator==(const Claim&) const = default;
};

/// Reads "skipv1 < baseline by val.loss" and its like. UserError says where `place` goes wrong.
Claim parse_claim(const std::string& text, const std::string& place);

/// The list under "expect": texts, or objects with "claim" and "says", "source", "at", "pair".
/// UserError for a claim about a run that is not among `variants`.
std::vector<Claim> parse_claims(const nlohmann::json& list,
                                const std::vector<std::string>& variants);

}  // namespace headroom
