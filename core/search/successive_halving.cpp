#include "core/search/successive_halving.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

std::string candidate_id(size_t number) {
    return fmt::format("w{:02}", number);
}

bool is_candidate_id(const WiringSearch& search, std::string_view variant) {
    const auto count = static_cast<size_t>(search.candidates * search.generations);
    for (size_t number = 1; number <= count; ++number)
        if (variant == candidate_id(number)) return true;
    return false;
}

namespace {

/// Draws for one candidate that turn out to be there already.
constexpr uint64_t kMostRepeats = 200;

size_t survivors(const WiringSearch& search, size_t count) {
    return static_cast<size_t>(
        std::ceil(search.survivors * static_cast<double>(count) * (1 - 1e-12)));
}

class HalvingPlan {
  public:
    HalvingPlan(const WiringSearch& search, const std::vector<Wiring>& taken, const TrialLoss& loss)
        : search_(search), loss_(loss), sampler_(search), taken_(taken) {}

    SearchProgress run() && {
        std::vector<size_t> alive;
        for (int64_t generation = 1; generation <= search_.generations; ++generation) {
            add_generation(generation, alive);
            alive = all();
            progress_.stage =
                fmt::format("generation {} of {}: {} wirings to {} steps", generation,
                            search_.generations, search_.candidates, search_.rungs.front());
            if (!rank(alive, search_.rungs.front())) return std::move(progress_);
        }
        for (size_t rung = 1; rung < search_.rungs.size(); ++rung) {
            alive.resize(survivors_of(alive.size()));
            progress_.stage = fmt::format("rung {} of {}: {} wirings to {} steps", rung + 1,
                                          search_.rungs.size(), alive.size(), search_.rungs[rung]);
            if (!rank(alive, search_.rungs[rung])) return std::move(progress_);
        }
        alive.resize(std::min(alive.size(), static_cast<size_t>(search_.finalists)));
        train_finalists(alive);
        progress_.finalists = std::move(alive);
        return std::move(progress_);
    }

  private:
    std::vector<size_t> all() const {
        std::vector<size_t> indices(progress_.candidates.size());
        std::iota(indices.begin(), indices.end(), size_t{0});
        return indices;
    }

    size_t survivors_of(size_t count) const { return survivors(search_, count); }

    bool is_new(const Wiring& wiring) const {
        return std::find(taken_.begin(), taken_.end(), wiring) == taken_.end() &&
               std::none_of(progress_.candidates.begin(), progress_.candidates.end(),
                            [&](const auto& other) { return other.drawn.wiring == wiring; });
    }

    /// `ranked`: the candidates so far, best first.
    void add_generation(int64_t generation, std::vector<size_t> ranked) {
        if (generation > 1) ranked.resize(survivors_of(ranked.size()));
        for (int64_t i = 0; i < search_.candidates; ++i) {
            const size_t number = progress_.candidates.size() + 1;
            SearchCandidate made{candidate_id(number), generation, "", {}};
            const SearchCandidate* parent =
                ranked.empty()
                    ? nullptr
                    : &progress_.candidates[ranked[static_cast<size_t>(i) % ranked.size()]];
            if (parent) made.parent = parent->id;
            uint64_t repeat = 0;
            do {
                if (repeat == kMostRepeats)
                    throw UserError(fmt::format("search.candidates = {}: after {} there is no "
                                                "other wiring within the budget",
                                                search_.candidates, number - 1),
                                    "ask for fewer candidates, or give a larger budget");
                const uint64_t stream = number * kMostRepeats + repeat++;
                made.drawn =
                    parent ? sampler_.change(parent->drawn, stream) : sampler_.draw(stream);
            } while (!is_new(made.drawn.wiring));
            progress_.candidates.push_back(std::move(made));
        }
    }

    /// Sorts by the loss after `steps`, least first; false where some have not got there.
    bool rank(std::vector<size_t>& alive, int64_t steps) {
        std::vector<double> losses(progress_.candidates.size(), HUGE_VAL);
        for (const size_t index : alive) {
            const SearchTrial trial{index, search_.seed, steps};
            const auto loss = loss_(progress_.candidates[index], trial);
            if (!loss)
                progress_.missing.push_back(trial);
            else if (!std::isnan(*loss))
                losses[index] = *loss;
        }
        std::sort(alive.begin(), alive.end(), [&](size_t a, size_t b) {
            return losses[a] != losses[b] ? losses[a] < losses[b] : a < b;
        });
        return progress_.missing.empty();
    }

    void train_finalists(const std::vector<size_t>& finalists) {
        const int64_t steps = search_.rungs.back();
        for (const int64_t seed : search_.seeds)
            for (const size_t index : finalists) {
                const SearchTrial trial{index, seed, steps};
                if (!loss_(progress_.candidates[index], trial)) progress_.missing.push_back(trial);
            }
        progress_.stage = progress_.missing.empty()
                              ? "done"
                              : fmt::format("{} finalists with every seed", finalists.size());
    }

    const WiringSearch& search_;
    const TrialLoss& loss_;
    WiringSampler sampler_;
    const std::vector<Wiring>& taken_;
    SearchProgress progress_;
};

}  // namespace

int64_t steps_of(const WiringSearch& search) {
    auto alive = static_cast<size_t>(search.candidates * search.generations);
    int64_t steps = 0, reached = 0;
    for (const int64_t rung : search.rungs) {
        if (reached > 0) alive = survivors(search, alive);
        steps += static_cast<int64_t>(alive) * (rung - reached);
        reached = rung;
    }
    int64_t more_seeds = 0;
    for (const int64_t seed : search.seeds) more_seeds += seed != search.seed;
    return steps + std::min(static_cast<int64_t>(alive), search.finalists) * more_seeds * reached;
}

SearchProgress plan_search(const WiringSearch& search, const std::vector<Wiring>& taken,
                           const TrialLoss& loss) {
    return HalvingPlan(search, taken, loss).run();
}

}  // namespace headroom
