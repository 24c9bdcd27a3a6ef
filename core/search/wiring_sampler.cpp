#include "core/search/wiring_sampler.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/wiring/wiring_edit.h"

namespace headroom {
namespace {

/// Edits of one wiring before it is given up for another start.
constexpr int kMostEdits = 64;
/// Proposals for one edit before the wiring is given up.
constexpr int kProposals = 48;
/// Starts; after each tenth of them the budget is allowed to be missed by twice as much.
constexpr int kStarts = 400;
constexpr int kPatience = kStarts / 10;

/// Whole numbers that follow from a seed and a stream.
class DrawnNumbers {
  public:
    DrawnNumbers(uint64_t seed, uint64_t stream) : seed_(seed), stream_(stream) {}

    /// From 0 to below `count`.
    int below(int count) {
        const auto block =
            Philox::block({static_cast<uint32_t>(at_), static_cast<uint32_t>(at_ >> 32),
                           static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)},
                          static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
        ++at_;
        return static_cast<int>(uint64_t{block[0]} * static_cast<uint64_t>(count) >> 32);
    }
    int between(int first, int last) { return first + below(last - first + 1); }
    bool one_in(int count) { return below(count) == 0; }

  private:
    uint64_t seed_, stream_, at_ = 0;
};

std::string range_text(int first, int last) {
    return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

/// None where it cannot be done, or to the weights that the runs of `job` start from.
std::optional<Wiring> edited_by(const Wiring& wiring, const std::string& line, const Job& job) {
    WiringEditResult result =
        apply(wiring, parse_wiring_edit(line, wiring, job.model.wiring_choice));
    if (result.wiring && job.train.starts_from_file() &&
        !misplaced(*result.wiring, result.projected).empty())
        return std::nullopt;
    return std::move(result.wiring);
}

}  // namespace

/// One wiring on its way.
class WiringSampler::Walk {
  public:
    Walk(const WiringSampler& sampler, const DrawnWiring& start, uint64_t number)
        : search_(sampler.search_),
          budget_(sampler.budget_),
          numbers_(static_cast<uint64_t>(sampler.search_.seed), number),
          start_(start),
          now_(start) {}

    /// Another try from the start, with the numbers that follow.
    void restart() {
        now_ = start_;
        count_ = budget_.count(now_.wiring);
    }

    int64_t count() const { return count_; }
    bool moved() const { return now_.wiring != start_.wiring; }
    DrawnNumbers& numbers() { return numbers_; }
    const DrawnWiring& drawn() const { return now_; }

    bool fits(int64_t floor) const { return count_ <= budget_.limit() && count_ >= floor; }

    /// Down to the budget, but not below `floor`.
    bool tighten(int64_t floor) {
        for (int edit = 0; count_ > budget_.limit(); ++edit) {
            const auto is_step = [&](int64_t count) { return count < count_ && count >= floor; };
            if (edit == kMostEdits || !propose([&] { return taking_line(); }, is_step))
                return false;
        }
        return true;
    }

    bool loosen() {
        return propose([&] { return giving_line(); },
                       [&](int64_t count) { return count > count_; });
    }

    /// Another wiring of about the same size.
    bool shuffle(int64_t floor) {
        return propose([&] { return taking_line(); },
                       [&](int64_t count) {
                           return count >= floor && count <= std::max(budget_.limit(), count_);
                       });
    }

    /// Values of a layer half their own, half another layer's: costs no cache.
    bool mix() {
        if (search_.tables == "keys") return false;
        const int layer = numbers_.between(1, n_layer() - 1);
        const std::string first = fmt::format("values {} weigh own 0.5", layer);
        const std::string second =
            fmt::format("values {} add {} 0.5", layer, numbers_.below(layer));
        const auto weighed = edited_by(now_.wiring, first, search_.job);
        if (!weighed) return false;
        const auto added = edited_by(*weighed, second, search_.job);
        if (!added || budget_.count(*added) > std::max(budget_.limit(), count_)) return false;
        take(second, *added);
        now_.edits.insert(now_.edits.end() - 1, first);
        return true;
    }

    /// Leaves out the edits without which the wiring is the same.
    DrawnWiring pruned(const Wiring& baseline) const {
        DrawnWiring result = now_;
        // From the last on, again after each: one may be needed only because of another.
        for (size_t i = result.edits.size(); i-- > 0;) {
            std::vector<std::string> fewer = result.edits;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            std::optional<Wiring> made = baseline;
            for (const std::string& line : fewer)
                if (made) made = edited_by(*made, line, search_.job);
            if (!made || *made != result.wiring) continue;
            result.edits = std::move(fewer);
            i = result.edits.size();
        }
        return result;
    }

  private:
    int n_layer() const { return now_.wiring.n_layer; }
    int n_head() const { return now_.wiring.n_kv_head; }

    void take(const std::string& line, Wiring wiring) {
        now_.edits.push_back(line);
        now_.wiring = std::move(wiring);
        count_ = budget_.count(now_.wiring);
    }

    template <class Line, class IsStep>
    bool propose(Line line_of, IsStep is_step) {
        for (int i = 0; i < kProposals; ++i) {
            const std::string line = line_of();
            std::optional<Wiring> made = edited_by(now_.wiring, line, search_.job);
            if (!made || *made == now_.wiring || !is_step(budget_.count(*made))) continue;
            take(line, *std::move(made));
            return true;
        }
        return false;
    }

    std::string table() {
        if (search_.tables != "both") return search_.tables;
        constexpr const char* kTables[] = {"keys", "values", "both"};
        return kTables[numbers_.below(3)];
    }

    /// All heads more often than some.
    std::string heads() {
        if (n_head() == 1 || !numbers_.one_in(3)) return "";
        const int first = numbers_.below(n_head());
        return fmt::format(".{}", range_text(first, numbers_.between(first, n_head() - 1)));
    }

    std::string taking_line() {
        const std::string which = table();
        const int first = numbers_.between(1, n_layer() - 1);
        const int last = numbers_.between(first, n_layer() - 1);
        const std::string layers = range_text(first, last);
        switch (numbers_.below(8)) {
            case 0: {  // heads of a layer share one, as in GQA
                if (n_head() == 1) break;
                const int head = numbers_.below(n_head());
                const int from = numbers_.between(0, first);
                return fmt::format("{} {}.{} read own.{}", which, range_text(from, last), head,
                                   numbers_.below(n_head()));
            }
            case 1: {
                constexpr const char* kRules[] = {"skip", "cla", "yoco"};
                return fmt::format("{} {} rule {}", which, layers, kRules[numbers_.below(3)]);
            }
            case 2: {
                const int from = numbers_.below(first);
                return fmt::format("{} {}{} copy {}", which, layers, heads(),
                                   range_text(from, first - 1));
            }
            default:
                break;
        }
        const std::string some = heads();  // drawn before the source
        return fmt::format("{} {}{} read {}", which, layers, some, numbers_.below(first));
    }

    std::string giving_line() {
        const std::string which = table();
        const int first = numbers_.between(0, n_layer() - 1);
        const int last = std::min(n_layer() - 1, first + numbers_.below(2));
        return fmt::format("{} {}{} own", which, range_text(first, last), heads());
    }

    const WiringSearch& search_;
    const SearchBudget& budget_;
    DrawnNumbers numbers_;
    const DrawnWiring& start_;
    DrawnWiring now_;
    int64_t count_ = 0;
};

WiringSampler::WiringSampler(const WiringSearch& search) : search_(search), budget_(search) {}

DrawnWiring WiringSampler::walk(const DrawnWiring& start, uint64_t number, bool changes) const {
    Walk walk(*this, start, number);
    int64_t slack = std::max<int64_t>(1, (budget_.baseline() - budget_.least()) / 10);
    for (int i = 1; i <= kStarts; ++i) {
        if (i % kPatience == 0) slack *= 2;
        const int64_t floor = budget_.limit() - slack;
        walk.restart();
        if (changes && walk.numbers().one_in(2)) walk.loosen();
        if (!walk.tighten(floor)) continue;
        if (changes || !walk.moved()) walk.shuffle(floor);
        if (walk.numbers().one_in(6)) walk.mix();
        if (walk.moved() && walk.fits(floor)) return walk.pruned(search_.job.model.wiring);
    }
    throw UserError(fmt::format("search.budget: no wiring was found that counts at most {:g} of "
                                "the baseline's {}",
                                search_.share, search_.by),
                    "give a larger budget, or a model with more layers or heads");
}

DrawnWiring WiringSampler::draw(uint64_t number) const {
    return walk({{}, search_.job.model.wiring}, number, false);
}

DrawnWiring WiringSampler::change(const DrawnWiring& parent, uint64_t number) const {
    return walk(parent, number, true);
}

std::string short_text(const std::vector<std::string>& edits) {
    constexpr size_t kMost = 3;
    std::string text;
    for (size_t i = 0; i < std::min(edits.size(), kMost); ++i)
        text += (i > 0 ? "; " : "") + edits[i];
    return edits.size() > kMost ? text + " and more" : text;
}

}  // namespace headroom
