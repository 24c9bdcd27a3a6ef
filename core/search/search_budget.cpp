#include "core/search/search_budget.h"

#include <cmath>

#include <fmt/format.h>

#include "core/account/kv_cache.h"
#include "core/base/error.h"
#include "core/wiring/wiring_edit.h"

namespace headroom {
namespace {

/// Every head that may change reads head 0 of layer 0.
Wiring smallest_wiring(const WiringSearch& search) {
    const Wiring& start = search.job.model.wiring;
    const WiringEdit edit =
        parse_wiring_edit(search.tables + " * read 0.0", start, search.job.model.wiring_choice);
    const WiringEditResult result = apply(start, edit);
    CHECK(result.wiring, "all heads can read head 0 of layer 0: " + result.refusal);
    return *result.wiring;
}

}  // namespace

ModelConfig with_wiring(ModelConfig model, const Wiring& wiring) {
    model.wiring = wiring;
    model.custom_wiring = true;
    return model;
}

SearchBudget::SearchBudget(const WiringSearch& search)
    : measure_(parse_match_measure(search.by)), model_(search.job.model) {
    if (measure_ == MatchMeasure::kCache && !count_cache(model_).decodable)
        throw UserError("search.budget: an encoder keeps no cache",
                        "give a budget of params, non-embedding or flops");
    baseline_ = count(model_);
    least_ = count(smallest_wiring(search));
    // A budget of 0.7 that 0.7 * 10 = 6.999… rounds down would refuse 7 of 10.
    limit_ = static_cast<int64_t>(
        std::floor(search.share * static_cast<double>(baseline_) * (1 + 1e-12)));
    if (limit_ < least_) {
        const double share = static_cast<double>(least_) / static_cast<double>(baseline_);
        throw UserError(
            fmt::format("search.budget: {} = {:g} is below what any wiring of this model comes to",
                        search.by, search.share),
            fmt::format("give {:g} or more", std::ceil(share * 1000) / 1000));
    }
}

int64_t SearchBudget::count(const ModelConfig& model) const {
    return measured_count(model, measure_, {.seq_len = model.block_size});
}

int64_t SearchBudget::count(const Wiring& wiring) const {
    return count(with_wiring(model_, wiring));
}

}  // namespace headroom
