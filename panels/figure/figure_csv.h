#pragma once

#include <string>

#include "panels/figure/figure.h"

namespace headroom {

/// The figure's numbers as CSV (RFC 4180, UTF-8, LF): first comment lines `# …` that name the
/// figure, its notes and the jobs whose numbers these are, then one row for each point that is
/// shown:
///
///     series,role,X,Y,Y_lower,Y_upper
///
/// X and Y are the axes' column names. Only points inside the range of the x axis are written, and
/// none of a hidden series. Numbers are written so that they read back bit for bit; a gap is empty.
std::string figure_csv(const Figure& figure);

}  // namespace headroom
