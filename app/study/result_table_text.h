#pragma once

#include <string>

#include "panels/study/result_table.h"
#include "panels/study/table_markup.h"

namespace headroom {

/// As it is printed: the variant, then for each measure its mean ± deviation and, but for what
/// follows from the job, the difference to the baseline with p. Below it the baseline, what bold
/// means, and what was left out.
PrintedTable printed_table(const ResultTable& table);

/// RFC 4180, every number in full; "" where there is none.
std::string csv_table(const ResultTable& table);

}  // namespace headroom
