#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "panels/memory/memory_figure.h"

namespace headroom {

/// A run whose memory is shown. Jobs are shared and do not change.
struct MemoryRun {
    std::string name;
    std::shared_ptr<const Job> job;
    std::optional<int> color{};  ///< in every view

    bool operator==(const MemoryRun&) const = default;
};

/// The ledgers of several models beside each other.
struct MemoryTable {
    struct Row {
        std::string name;
        std::vector<std::string> cells;  ///< one for each column
    };
    struct Section {
        std::string title;
        std::vector<Row> rows;  ///< only headings that some model has
    };
    std::vector<std::string> columns;  ///< a model's name; "measured" beside it where it was
    std::vector<Section> sections;     ///< inference, training
};

/// One section of the table: the models and what is asked about them. Models are the same in all.
struct MemoryTableQuestion {
    std::vector<MemoryModel> models;
    MemoryFigureSettings settings;
};

/// Predictions, some milliseconds per model, and what was measured.
MemoryTable build_memory_table(const std::vector<MemoryTableQuestion>& questions);

}  // namespace headroom
