#pragma once

#include "panels/study/run_table.h"
#include "panels/study/table_markup.h"

namespace headroom {

/// The table with the texts that people read, numbers to the right. Groups have their n at the end.
PrintedTable printed_table(const RunTable& table);

}  // namespace headroom
