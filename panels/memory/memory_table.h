#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "panels/memory/memory_figure.h"

namespace headroom {

/// A run whose memory is shown. Jobs are shared and do not change.
struct MemoryRun {
    std::string name;
    std::shared_ptr<const Job> job;

    bool operator==(const MemoryRun&) const = default;
};

/// The ledgers of several runs beside each other.
struct MemoryTable {
    struct Row {
        std::string name;
        std::vector<std::string> cells;  ///< one for each run
    };
    struct Section {
        std::string title;
        std::vector<Row> rows;  ///< only headings that some run has
    };
    std::vector<std::string> names;
    std::vector<Section> sections;  ///< inference, training
};

/// Inference as `settings` says (block_size where its context is 0 or beyond the positions),
/// training as each job says. Predictions, some milliseconds per run.
MemoryTable build_memory_table(const std::vector<MemoryRun>& runs,
                               const MemoryFigureSettings& settings);

}  // namespace headroom
