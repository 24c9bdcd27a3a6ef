#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "panels/figure/figure.h"

namespace headroom {

/// What `headroom surgery apply --report` measured of one surgery.
struct SurgeryReport {
    /// How far the residual streams are apart in one precision, relative to their spread.
    struct Precision {
        std::string name;             ///< "float64"
        double logits = 0;            ///< of the logits
        std::vector<int> layers;      ///< -1: before the first block
        std::vector<double> streams;  ///< after each of `layers`
    };
    std::string surgery;         ///< "remove-one q"
    std::optional<int> layer{};  ///< counted from 0; none: all layers
    double largest_condition = 0;
    std::vector<Precision> precisions{};      ///< those that were measured
    double predicted_speedup = std::nan("");  ///< NaN: not told
    double loss_before = std::nan(""), loss_after = std::nan("");
    bool has_loss = false;
    bool transform_exact = true;  ///< before its numbers were rounded to `rounded_to`
    std::string rounded_to{};     ///< "bfloat16"; "" if every number is as it was computed

    /// "remove-one q, layer 1", in the numbers that people see.
    std::string title() const;
    /// "remove-one q 0", for programs.
    std::string key() const;
    /// How fast, how far from the original and at what loss the result is, in one line.
    std::string measured_text() const;
};

/// Reads it as a file of a stranger. UserError naming `source` and what is missing or no number.
SurgeryReport read_surgery_report(const nlohmann::json& document, const std::string& source);

/// Differences of the residual stream against the layer, a line for every precision, the surgeries
/// told apart by dashes: Karbevski & Mijoski, section 8.5, X_i Theta against the reduced X_i.
Figure build_surgery_figure(const std::vector<SurgeryReport>& reports);

}  // namespace headroom
