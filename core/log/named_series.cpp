#include "core/log/named_series.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <type_traits>

namespace headroom {
namespace {

constexpr bool is_index(std::string_view column) {
    return column == "step" || column == "tokens" || column == "seconds" || column == "batch_hash";
}

/// Whether a column has rows and no number in any of them.
template <class Column>
bool says_nothing(const Column& column) {
    using T = typename Column::value_type;
    if constexpr (std::is_floating_point_v<T>)
        return !column.empty() &&
               std::all_of(column.begin(), column.end(), [](T value) { return std::isnan(value); });
    return false;
}

/// Calls visit(name, column, unit) for every column that can be drawn and that is `wanted(name)`.
template <class Wanted, class Visit>
void visit_drawn(const RunSeries& log, const Wanted& wanted, Visit&& visit) {
    const auto in = [&](const std::string& group) {
        return [&visit, &wanted, group](const char* name, const auto& column, const char* unit) {
            if (is_index(name) || !wanted(group + "/" + name)) return;
            // A loss that is never a number is one that diverged at once.
            if (std::string_view(name) == "loss" || !says_nothing(column))
                visit(group + "/" + name, column, unit);
        };
    };
    visit_train_columns(log.train, in("train"));
    visit_val_columns(log.val, in("val"));
    visit_system_columns(log.system, in("system"));
    for (const auto& [name, scalar] : log.scalars)
        if (wanted("scalars/" + name) && !says_nothing(scalar.value))
            visit("scalars/" + name, scalar.value, scalar.unit.c_str());
}

/// A column as a function that shares its rows.
template <class Column>
auto reading(const Column& column) {
    return [column](size_t row) { return column[row]; };
}

/// For a column without steps: the training step that was logged last at each of `seconds`.
std::vector<uint32_t> rows_at_seconds(const TrainSeries& train,
                                      const SharedColumn<double>& seconds) {
    std::vector<uint32_t> rows;
    rows.reserve(seconds.size());
    uint32_t at = 0;
    for (const double time : seconds) {
        while (at + 1 < train.seconds.size() && train.seconds[at + 1] <= time) ++at;
        rows.push_back(at);
    }
    return rows;
}

void place_by_seconds(const RunSeries& log, NamedSeries& series) {
    const auto rows =
        std::make_shared<std::vector<uint32_t>>(rows_at_seconds(log.train, log.system.seconds));
    if (log.train.step.empty()) {
        series.size = 0;
        return;
    }
    series.step = [rows, step = log.train.step](size_t row) { return step[(*rows)[row]]; };
    series.tokens = [rows, tokens = log.train.tokens](size_t row) { return tokens[(*rows)[row]]; };
}

/// Finds the row of a step, or of the last one before it; quick where the steps that are asked for
/// rise, as the rows do but for those of a resumed run.
class RowOfStep {
  public:
    explicit RowOfStep(const SharedColumn<int64_t>& steps) : steps_(steps) {}

    std::optional<size_t> operator()(int64_t step) {
        while (at_ < steps_.size() && steps_[at_] < step) ++at_;
        while (at_ > 0 && (at_ == steps_.size() || steps_[at_] > step)) --at_;
        if (at_ == steps_.size() || steps_[at_] > step) return std::nullopt;
        return at_;
    }

  private:
    const SharedColumn<int64_t>& steps_;
    size_t at_ = 0;
};

/// Tokens seen by each of a scalar's steps, as the log gives them for steps of training and for
/// evaluations, which an imported one may have alone.
void place_by_step(const RunSeries& log, const std::string& scalar, NamedSeries& series) {
    const ScalarSeries& of = log.scalars.at(scalar);
    series.help = of.help;
    series.size = std::min(of.step.size(), of.value.size());
    series.step = reading(of.step);
    auto tokens = std::make_shared<std::vector<int64_t>>();
    RowOfStep trained(log.train.step), evaluated(log.val.step);
    for (const int64_t step : of.step) {
        const auto train = trained(step), val = evaluated(step);
        tokens->push_back(
            std::max(train ? log.train.tokens[*train] : 0, val ? log.val.tokens[*val] : 0));
    }
    series.tokens = [tokens](size_t row) { return (*tokens)[row]; };
}

}  // namespace

std::optional<NamedSeries> find_series(const RunSeries& log, const std::string& name) {
    std::optional<NamedSeries> found;
    const auto is_asked = [&](const std::string& each) { return each == name; };
    visit_drawn(log, is_asked, [&](const std::string& each, const auto& column, const char* unit) {
        found = NamedSeries{each, unit, "", column.size(), nullptr, nullptr, nullptr};
        found->value = [column](size_t row) { return static_cast<double>(column[row]); };
    });
    if (!found) return found;
    if (name.starts_with("scalars/")) {
        place_by_step(log, name.substr(std::string("scalars/").size()), *found);
    } else if (name.starts_with("system/")) {
        found->size = std::min(found->size, log.system.seconds.size());
        place_by_seconds(log, *found);
    } else if (name.starts_with("val/")) {
        found->step = reading(log.val.step);
        found->tokens = reading(log.val.tokens);
    } else {
        found->step = reading(log.train.step);
        found->tokens = reading(log.train.tokens);
    }
    return found;
}

std::vector<SeriesName> list_series(const RunSeries& log) {
    std::vector<SeriesName> names;
    const auto all = [](const std::string&) { return true; };
    visit_drawn(log, all, [&](const std::string& name, const auto&, const char* unit) {
        names.push_back({name, unit});
    });
    return names;
}

std::vector<std::string> series_of_every_log() {
    std::vector<std::string> names;
    for (const SeriesName& series : list_series({})) names.push_back(series.name);
    return names;
}

KeptRows kept_rows(size_t size, const std::function<int64_t(size_t)>& step) {
    KeptRows result;
    auto& kept = result.kept;
    kept.reserve(size);
    for (size_t row = 0; row < size; ++row) {
        const int64_t here = step(row);
        if (!kept.empty() && step(kept.back()) >= here) {
            const auto repeated = std::lower_bound(
                kept.begin(), kept.end(), here,
                [&](uint32_t earlier, int64_t value) { return step(earlier) < value; });
            result.superseded.emplace_back(repeated, kept.end());
            kept.erase(repeated, kept.end());
            result.resumed.push_back(static_cast<uint32_t>(row));
        }
        kept.push_back(static_cast<uint32_t>(row));
    }
    return result;
}

bool more_is_better(std::string_view name) {
    for (const std::string_view word : {"accuracy", "acc", "acc_norm"}) {
        if (!name.ends_with(word)) continue;
        const std::string_view before = name.substr(0, name.size() - word.size());
        if (before.empty() ||
            std::string_view("/._- ").find(before.back()) != std::string_view::npos)
            return true;
    }
    return false;
}

}  // namespace headroom
