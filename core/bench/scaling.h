#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// One size of the work: how long it took, and what it should have cost.
struct ScalingPoint {
    double size = 0;
    double seconds = 0;  ///< the median of the rounds
    double cost = 0;     ///< in units of the line, such as floating-point operations
};

/// How what somebody waits for grows with one size of it.
struct ScalingLine {
    std::string name;                  ///< "training step"
    std::string size_name;             ///< "seq_len"
    std::string cost_name;             ///< "FLOPs": what it should grow with
    std::string setting;               ///< what stays as it is: "4 layers, d_model 128"
    std::vector<ScalingPoint> points;  ///< by size, growing
};

/// The power of the size with which something grows: the slope of the least-squares line through
/// the logarithms of the three largest sizes (of two, where there are no more), for small ones tell
/// of what is paid once.
struct ScalingExponents {
    double measured = 0;  ///< of the seconds
    double expected = 0;  ///< of the costs
};
/// REQUIRES: two points or more, of different sizes, seconds and costs above zero.
ScalingExponents exponents_of(const ScalingLine& line);

/// What `headroom bench scaling --json` prints.
struct ScalingResult {
    std::string device;
    std::vector<ScalingLine> lines;
};
nlohmann::ordered_json to_json(const ScalingResult& result);
/// Read as a file of a stranger: UserError naming `source`, and the line, for what is missing or
/// out of range.
ScalingResult read_scaling_result(const nlohmann::json& document, const std::string& source);

}  // namespace headroom
