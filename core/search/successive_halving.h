#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/search/wiring_sampler.h"
#include "core/study/wiring_search.h"

namespace headroom {

/// What a search calls the n-th wiring in all, from 1: "w07".
std::string candidate_id(size_t number);
/// Whether the search calls one of its wirings so.
bool is_candidate_id(const WiringSearch& search, std::string_view variant);

/// A wiring that a search tries: the variant candidate_id() of its study.
struct SearchCandidate {
    std::string id;          ///< "w07": 7th in all, from 1
    int64_t generation = 1;  ///< from 1
    std::string parent;      ///< the candidate that it was made of, or ""
    DrawnWiring drawn;
};

/// A training that a search wants: the first `steps` steps of a run.
struct SearchTrial {
    size_t candidate = 0;  ///< an index into SearchProgress::candidates
    int64_t seed = 0;
    int64_t steps = 0;

    bool operator==(const SearchTrial&) const = default;
};

/// The validation loss after exactly those steps; infinite where training diverged, none where it
/// has not got so far.
using TrialLoss = std::function<std::optional<double>(const SearchCandidate& candidate,
                                                      const SearchTrial& trial)>;

/// How far a search is.
struct SearchProgress {
    std::vector<SearchCandidate> candidates;  ///< of the generations that are known by now
    std::vector<SearchTrial> missing;         ///< what must be trained next; empty at the end
    std::vector<size_t> finalists;            ///< the best after the last rung, best first
    std::string stage;                        ///< "rung 2 of 3: 8 wirings to 200 steps"
};

/// Training steps of a whole search, those of its finalists included.
int64_t steps_of(const WiringSearch& search);

/// What to train next, from nothing but the plan and the losses so far: so a search that was killed
/// goes on where it was, and one of the same seed and losses does the same again. Candidates of the
/// first generation are drawn; those of each further one are changes of the best so far, by the
/// loss after the first rung. Then the best `survivors` of all go on from rung to rung, ties to the
/// lower number, and the `finalists` best of the last rung are trained with every seed of the
/// study. No candidate has the wiring of another, nor one of `taken`. UserError as WiringSampler,
/// and where there are fewer wirings than candidates.
SearchProgress plan_search(const WiringSearch& search, const std::vector<Wiring>& taken,
                           const TrialLoss& loss);

}  // namespace headroom
