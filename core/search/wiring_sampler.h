#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/search/search_budget.h"
#include "core/study/wiring_search.h"
#include "core/wiring/wiring.h"

namespace headroom {

/// A wiring and the edits (parse_wiring_edit) that make it of the baseline's.
struct DrawnWiring {
    std::vector<std::string> edits;
    Wiring wiring;
};

/// Draws wirings within a search's budget. What is drawn follows from the search's seed and the
/// number that is given alone.
class WiringSampler {
  public:
    /// UserError as SearchBudget.
    explicit WiringSampler(const WiringSearch& search);

    const SearchBudget& budget() const { return budget_; }

    /// The baseline after random edits: stretches of layers and heads that read earlier layers or
    /// each other, rules of source_rules.h, patterns copied upwards, and now and then values mixed
    /// with another layer's. It counts at most the budget, and where the model's sizes allow it at
    /// least the budget less a tenth of what can be saved at all.
    DrawnWiring draw(uint64_t number) const;

    /// `parent` after a few more edits, some of which give heads back before others take their
    /// place; it counts the same way and differs from the parent.
    DrawnWiring change(const DrawnWiring& parent, uint64_t number) const;

  private:
    class Walk;
    DrawnWiring walk(const DrawnWiring& start, uint64_t number, bool changes) const;

    WiringSearch search_;
    SearchBudget budget_;
};

/// "values 4-7 read 1; keys 2 read 0 and more": at most three of them.
std::string short_text(const std::vector<std::string>& edits);

}  // namespace headroom
