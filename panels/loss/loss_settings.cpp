#include "panels/loss/loss_settings.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace headroom {
namespace {

constexpr std::array kAxes = {
    std::pair{LossX::kSteps, "steps"}, std::pair{LossX::kTokens, "tokens"},
    std::pair{LossX::kSeconds, "seconds"}, std::pair{LossX::kWall, "wall"},
    std::pair{LossX::kComputeShare, "compute-share"}};
constexpr std::array kUnits = {std::pair{RelativeUnit::kNats, "nats"},
                               std::pair{RelativeUnit::kPercent, "percent"}};

template <class Names, class Value>
std::string name_in(const Names& names, Value value) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const auto& each) { return each.first == value; });
    CHECK(found != names.end(), "a setting without a name");
    return found->second;
}

template <class Names>
std::vector<std::string> all_names(const Names& names) {
    std::vector<std::string> words;
    for (const auto& [value, name] : names) words.emplace_back(name);
    return words;
}

template <class Names>
auto value_in(const Names& names, const std::string& word, const std::string& what) {
    for (const auto& [value, name] : names)
        if (word == name) return value;
    throw UserError(what + " " + word + " is not known" + suggestion(word, all_names(names)));
}

}  // namespace

std::string name_of(LossX x) {
    return name_in(kAxes, x);
}

std::string name_of(RelativeUnit unit) {
    return name_in(kUnits, unit);
}

LossX parse_loss_x(const std::string& word) {
    return value_in(kAxes, word, "the x axis");
}

RelativeUnit parse_relative_unit(const std::string& word) {
    return value_in(kUnits, word, "the unit");
}

std::vector<std::string> loss_x_names() {
    return all_names(kAxes);
}

std::vector<std::string> relative_unit_names() {
    return all_names(kUnits);
}

}  // namespace headroom
