#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/account/compare_models.h"
#include "core/base/dtype.h"
#include "core/config/model_config.h"

namespace headroom {

/// What two models should have equal.
enum class MatchMeasure { kParams, kNonEmbedding, kFlops, kCache };
inline constexpr std::array kMatchMeasures{MatchMeasure::kParams, MatchMeasure::kNonEmbedding,
                                           MatchMeasure::kFlops, MatchMeasure::kCache};

/// Which size may be changed for it. What goes along with it:
///   d_ff      nothing
///   d_model   heads stay as many and tile the new width; d_ff, nq_rank and the widths of latent
///             heads keep their proportion to it, rounded
///   n_layer   nothing
///   n_head    d_model and d_head stay; key/value heads keep their proportion (one stays one)
///   n_kv_head nothing; the divisors of n_head
enum class MatchKey { kDff, kDModel, kNLayer, kNHead, kNKvHead };
inline constexpr std::array kMatchKeys{MatchKey::kDff, MatchKey::kDModel, MatchKey::kNLayer,
                                       MatchKey::kNHead, MatchKey::kNKvHead};

std::string_view name_of(MatchMeasure measure);  ///< params | non-embedding | flops | cache
std::string_view text_of(MatchMeasure measure);  ///< "parameters", "training FLOPs per token", …
std::string_view name_of(MatchKey key);          ///< d_ff | d_model | n_layer | n_head | n_kv_head
/// Throw UserError naming the option for any other word.
MatchMeasure parse_match_measure(std::string_view text);
MatchKey parse_match_key(std::string_view text);

struct MatchRequest {
    MatchMeasure measure = MatchMeasure::kParams;
    std::optional<MatchKey> vary{};  ///< none: all of them
    int64_t multiple_of = 1;         ///< only values that this divides, for kernels that like 64
    int64_t seq_len = 0;             ///< for FLOPs; 0 = the baseline's block_size
    DType cache_dtype = DType::kBF16;
};

/// What a model comes to by `measure`: FLOPs at the request's seq_len, the cache in its dtype.
int64_t measured_count(const ModelConfig& model, MatchMeasure measure, const MatchRequest& request);

/// One value of the varied key.
struct MatchPoint {
    int64_t value = 0;
    ModelConfig model{};
    std::array<CountPair, 4> counts{};  ///< in the order of kMatchMeasures
    /// What to set in the document that was matched, as for --set: {"model.d_ff", "3456"}.
    std::vector<std::pair<std::string, std::string>> settings{};

    const CountPair& count(MatchMeasure measure) const {
        return counts[static_cast<size_t>(measure)];
    }
};

/// What one key can do.
struct MatchAttempt {
    MatchKey key = MatchKey::kDff;
    std::optional<MatchPoint> exact;
    std::optional<MatchPoint> below, above;  ///< the nearest on both sides where none is exact
    std::string refused;            ///< why the key cannot change the measure; "" if it can
    std::array<bool, 4> depends{};  ///< whether each of kMatchMeasures changes with the key

    /// The exact point or the nearer of the two, nullptr if the key was refused.
    const MatchPoint* best(MatchMeasure measure) const;
};

struct MatchResult {
    MatchMeasure measure = MatchMeasure::kParams;
    CountPair start;  ///< before anything is changed
    std::vector<MatchAttempt> attempts;
    size_t best = 0;       ///< an index into attempts
    std::string sentence;  ///< what the best attempt made equal, and what it could not

    const MatchAttempt& best_attempt() const { return attempts[best]; }
    const MatchPoint* best_point() const { return best_attempt().best(measure); }
};

/// Solves for the sizes of the model in `document` (a job document; vocab_size known) that make a
/// count equal to the baseline's. All counts grow with each key, so bisection over the whole range
/// finds the exact value if there is one. Throws UserError if no such count exists (the cache of an
/// encoder) or the document is wrong. Some ten milliseconds.
MatchResult match_baseline(const nlohmann::json& document, const ModelConfig& baseline,
                           const MatchRequest& request);

/// "no d_model makes the parameters equal: 732 leaves -2,546,820 (-2.17 %), …".
std::string attempt_text(const MatchAttempt& attempt, MatchMeasure measure);

/// As `headroom describe --match … --json` prints it: by, target, before, sentence; best (vary,
/// exact, value, difference, set: ["model.d_ff=3456"], counts; null if every key was refused);
/// attempts[]: vary, exact, below, above (the same, or null), refused, text.
nlohmann::json to_json(const MatchResult& result);

}  // namespace headroom
