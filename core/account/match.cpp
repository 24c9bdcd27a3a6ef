#include "core/account/match.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/account/match_space.h"
#include "core/account/match_text.h"
#include "core/account/parameter_count.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

using nlohmann::json;

/// Sizes that do not fit together stand between others that do; further than this none are looked
/// for.
constexpr int64_t kFarthestNeighbour = 64;

/// One key's range of models, searched for one measure.
class Search {
  public:
    Search(const MatchSpace& space, MatchKey key, const ModelConfig& baseline,
           const MatchRequest& request)
        : space_(space),
          baseline_(baseline),
          request_(request),
          target_(measured_count(baseline, request.measure, request)) {
        attempt_.key = key;
    }

    MatchAttempt run() && {
        attempt_.refused = space_.refusal();
        if (!attempt_.refused.empty() || !find_ends()) return std::move(attempt_);
        note_dependence();
        if (attempt_.depends[static_cast<size_t>(request_.measure)])
            search();
        else
            take_constant();
        return std::move(attempt_);
    }

  private:
    int64_t measure(const ModelConfig& model) const {
        return measured_count(model, request_.measure, request_);
    }

    /// space_.model(index); the last one is kept, for what fits is measured next.
    const std::optional<ModelConfig>& model_at(int64_t index) const {
        if (index != last_index_) last_model_ = space_.model(index);
        last_index_ = index;
        return last_model_;
    }

    /// The nearest index from `index` on, in the direction of `step`, whose sizes fit together.
    std::optional<int64_t> fitting(int64_t index, int64_t step) const {
        for (int64_t i = 0; i < kFarthestNeighbour; ++i, index += step) {
            if (index < 0 || index >= space_.size()) return std::nullopt;
            if (model_at(index)) return index;
        }
        return std::nullopt;
    }

    bool find_ends() {
        const std::optional<int64_t> first = fitting(0, 1);
        std::optional<int64_t> last;
        for (int64_t end = space_.size() - 1; !last && end > 0; end /= 2) last = fitting(end, -1);
        if (!first || !last) {
            attempt_.refused = no_other_value();
            return false;
        }
        first_ = *first;
        last_ = *last;
        return true;
    }

    std::string no_other_value() const {
        return fmt::format("no other value of model.{} fits this model", name_of(attempt_.key));
    }

    void note_dependence() {
        const ModelConfig low = *model_at(first_), high = *model_at(last_);
        for (const MatchMeasure m : kMatchMeasures)
            attempt_.depends[static_cast<size_t>(m)] =
                measured_count(low, m, request_) != measured_count(high, m, request_);
    }

    void take_constant() {
        const int64_t index = fitting(space_.start(), 1).value_or(first_);
        const int64_t constant = measure(*model_at(index));
        if (constant == target_)
            attempt_.exact = point(index);
        else if (first_ == last_)
            attempt_.refused = no_other_value();
        else
            attempt_.refused =
                does_not_depend_text(request_.measure, attempt_.key, {constant, target_});
    }

    /// An index with a model that fits, and its count.
    struct Known {
        int64_t index, count;
    };
    Known known(int64_t index) const { return {index, measure(*model_at(index))}; }

    /// The first index in [from, last_] whose next fitting model counts more than `limit`; last_ +
    /// 1 if none does. Along most keys counts grow on a straight line, or nearly: the place is
    /// guessed on the line between two models, and every third time the range is halved. REQUIRES:
    /// counts grow with the index; before `from` none is above the limit.
    int64_t first_above(int64_t limit, int64_t from) const {
        Known under = known(first_), over = known(last_);
        if (under.count > limit) return from;
        if (over.count <= limit) return last_ + 1;
        int64_t low = from, high = last_;
        for (int tries = 1; low < high; ++tries) {
            const int64_t middle =
                tries % 3 == 0 ? low + (high - low) / 2 : on_line(under, over, limit, low, high);
            const std::optional<int64_t> at = fitting(middle, 1);
            const std::optional<Known> there = at ? std::optional(known(*at)) : std::nullopt;
            if (there && there->count <= limit) {
                low = there->index + 1;
                under = *there;
                continue;
            }
            high = middle;
            over = there.value_or(over);
        }
        return low;
    }

    /// Where a line through both counts first exceeds the limit, in [low, high).
    static int64_t on_line(const Known& under, const Known& over, int64_t limit, int64_t low,
                           int64_t high) {
        const double steps = static_cast<double>(over.index - under.index) *
                             static_cast<double>(limit - under.count) /
                             static_cast<double>(over.count - under.count);
        return std::clamp(under.index + static_cast<int64_t>(steps) + 1, low, high - 1);
    }

    void search() {
        const int64_t from = first_above(target_ - 1, first_), to = first_above(target_, from);
        // All of [from, to) count exactly the target; the one nearest to the present size is taken.
        if (from < to) {
            const int64_t wanted = std::clamp(space_.start(), from, to - 1);
            const int64_t index = fitting(wanted, 1).value_or(from);
            attempt_.exact = point(index < to ? index : *fitting(from, 1));
            return;
        }
        if (const auto below = fitting(from - 1, -1); below && *below >= first_)
            attempt_.below = point(*below);
        if (const auto above = fitting(from, 1); above && *above <= last_)
            attempt_.above = point(*above);
    }

    MatchPoint point(int64_t index) const {
        MatchPoint p{.value = space_.value(index),
                     .model = *model_at(index),
                     .settings = space_.settings(index)};
        for (const MatchMeasure m : kMatchMeasures)
            p.counts[static_cast<size_t>(m)] = {measured_count(p.model, m, request_),
                                                measured_count(baseline_, m, request_)};
        return p;
    }

    const MatchSpace& space_;
    const ModelConfig& baseline_;
    const MatchRequest& request_;
    int64_t target_;
    int64_t first_ = 0, last_ = 0;
    MatchAttempt attempt_;
    mutable int64_t last_index_ = -1;
    mutable std::optional<ModelConfig> last_model_;
};

/// Smaller is better: exact, then between two, then at the end of the range; then the difference.
std::pair<int, int64_t> rank(const MatchAttempt& attempt, MatchMeasure measure) {
    const MatchPoint* best = attempt.best(measure);
    if (best == nullptr) return {3, 0};
    const int kind = attempt.exact ? 0 : attempt.below && attempt.above ? 1 : 2;
    return {kind, std::abs(best->count(measure).difference())};
}

/// The document in its short form, so that keys which follow from a size follow it when it changes.
json short_document(const json& document) {
    json copy = document;
    const int64_t n_layer = parse_job(document, "").model.n_layer;
    apply_set(copy, fmt::format("model.n_layer={}", n_layer));
    return copy;
}

void check_decodable(const ModelConfig& model, std::string_view which) {
    if (count_cache(model).decodable) return;
    throw UserError(
        fmt::format("{} is an encoder (model.causal = false) and keeps no cache", which),
        "match by params, non-embedding or flops");
}

}  // namespace

int64_t measured_count(const ModelConfig& model, MatchMeasure measure,
                       const MatchRequest& request) {
    switch (measure) {
        case MatchMeasure::kParams:
            return count_parameters(model).total;
        case MatchMeasure::kNonEmbedding:
            return count_parameters(model).non_embedding;
        case MatchMeasure::kFlops:
            return count_flops(model, request.seq_len).training();
        case MatchMeasure::kCache:
            return count_cache(model).bytes_per_token(request.cache_dtype);
    }
    CHECK(false, "unknown measure");
}

const MatchPoint* MatchAttempt::best(MatchMeasure measure) const {
    if (exact) return &*exact;
    if (!below || !above) return below ? &*below : above ? &*above : nullptr;
    const int64_t under = -below->count(measure).difference();
    return under <= above->count(measure).difference() ? &*below : &*above;
}

MatchResult match_baseline(const json& document, const ModelConfig& baseline,
                           const MatchRequest& asked) {
    MatchRequest request = asked;
    if (request.seq_len <= 0) request.seq_len = baseline.block_size;
    const json source = short_document(document);
    if (request.measure == MatchMeasure::kCache) {
        check_decodable(parse_job(source, "").model, "the model");
        check_decodable(baseline, "the baseline");
    }
    MatchResult result;
    result.measure = request.measure;
    result.start = {measured_count(parse_job(source, "").model, request.measure, request),
                    measured_count(baseline, request.measure, request)};
    for (const MatchKey key : kMatchKeys) {
        if (request.vary && *request.vary != key) continue;
        const MatchSpace space(source, key, request.multiple_of);
        result.attempts.push_back(Search(space, key, baseline, request).run());
    }
    const auto best = std::min_element(
        result.attempts.begin(), result.attempts.end(), [&](const auto& a, const auto& b) {
            return rank(a, request.measure) < rank(b, request.measure);
        });
    result.best = static_cast<size_t>(best - result.attempts.begin());
    result.sentence = match_sentence(result);
    return result;
}

}  // namespace headroom
