#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "panels/architecture/architecture_view.h"

namespace headroom {

/// One line of the comparison, ready to be shown.
struct CompareRow {
    std::string name, model, baseline, difference;
    bool differs = false;
    std::string hint;  ///< tool tip

    bool operator==(const CompareRow&) const = default;
};

struct CompareSection {
    std::string title;
    std::vector<CompareRow> rows;

    bool operator==(const CompareSection&) const = default;
};

/// Two architectures side by side: what was changed, where parameters went, what it costs.
struct CompareView {
    std::string model_name, baseline_name;
    std::vector<CompareSection> sections;
    ArchitectureView model, baseline;
    std::string note;  ///< what to know about the numbers

    bool empty() const { return sections.empty(); }
};

struct ComparedModel {
    std::string name;
    ModelConfig model;
    std::shared_ptr<const Job> job{};  ///< how it is trained; null: nothing is said of that
};

/// Pure; takes a few milliseconds. FLOPs are counted over `seq_len` tokens. A vocabulary that only
/// one model knows is taken for both; one that neither knows counts as that of bytes.
CompareView build_compare(ComparedModel model, ComparedModel baseline, int64_t seq_len);

}  // namespace headroom
