#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// Steps beyond are damage: ten times as many tokens as steps can still be counted.
inline constexpr int64_t kMostForeignSteps = 900'000'000'000'000'000;

/// A number that another tool logged.
struct ForeignPoint {
    int64_t step = 0;
    double wall_time = 0;  ///< Unix time in seconds; 0 where the tool does not say
    double value = 0;

    bool operator==(const ForeignPoint&) const = default;
};

/// What another tool knows of a run: its scalars by the names that it gave them, steps ascending.
struct ForeignLog {
    std::string tool;  ///< "TensorBoard", "nanoGPT", …
    std::map<std::string, std::vector<ForeignPoint>> scalars{};
    int64_t tokens_per_step = 0;       ///< 0: the log does not say
    std::string name{};                ///< of the run, for people; "" where the tool does not say
    std::vector<std::string> notes{};  ///< what was left out or assumed, for people
    int64_t overtaken = 0;             ///< points that add() took away for other numbers
    int64_t misplaced = 0;  ///< points that add() did not take: no step has such a number
    /// All scalars are written in the order of time and at the steps of one counter, as lines are.
    bool in_one_order = false;

    /// Adds a point. A step that is not above the one before means that the run was taken up again
    /// there: what was logged from that step on counts no more, as in TensorBoard, nor, where the
    /// scalars are in one order, what the others have of later steps; the same number at the same
    /// step is nothing new. A time that no calendar has is none.
    void add(const std::string& scalar, const ForeignPoint& point);
};

/// A whole number or not, NaN, an infinity, as tools print them; none for anything else.
std::optional<double> logged_number(std::string_view text);

}  // namespace headroom
