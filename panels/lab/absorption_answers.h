#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "panels/figure/figure.h"

namespace headroom {

/// What `headroom absorb decide` found of one MLP.
struct AbsorptionAnswer {
    int layer = -1;        ///< counted from 0; -1: a file of one MLP
    std::string decision;  ///< yes, no, undecided or impossible
    /// What the decision would be without the norm in front of it; "" where there is none.
    std::string mlp_alone = {};
    double relative_residual = 0;
    double distance = 0;  ///< root mean square of the coefficients' distances from 0 and 1
    std::vector<double> coefficients = {};  ///< of the neurons, rising
    std::string theorem, reason;
};

/// Reads the document as one of a stranger. UserError saying what is missing.
std::vector<AbsorptionAnswer> read_absorption(std::string_view json);

/// The coefficients of every layer's neurons in rising order, with lines at 0 and 1: an MLP absorbs
/// its skip exactly if they all lie on these and nothing remains (Mijoski & Karbevski 2026,
/// Theorems 8 and 10).
Figure build_absorption_figure(const std::vector<AbsorptionAnswer>& answers);

}  // namespace headroom
