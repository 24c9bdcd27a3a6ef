#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/data/data_spec.h"
#include "datasets/sequence_source.h"

namespace headroom {

/// One whole-number option of a synthetic task, with its default and its allowed range.
struct TaskOption {
    std::string key;
    int64_t value, least, most;
    std::string meaning;
};

using TaskOptions = std::map<std::string, int64_t>;

/// A built-in synthetic task.
struct TaskInfo {
    std::string name, summary;
    std::vector<TaskOption> options;
    std::unique_ptr<SequenceSource> (*make)(const TaskOptions&);
    bool is_text = false;  ///< its tokens are bytes of readable text
};

/// Every built-in task. To add one: write its source file in datasets/tasks/ and list it here.
std::vector<TaskInfo> list_tasks();

/// Opens task:NAME?KEY=VALUE&... Throws UserError (naming `key`) for an unknown name or option and
/// for a value out of range.
std::unique_ptr<SequenceSource> open_task(const DataSpec& spec, const std::string& key);

/// Throws UserError, naming the option, unless `holds`.
void require_task_option(bool holds, const std::string& task, const std::string& option,
                         int64_t value, const std::string& how_to_mend);

/// What all tasks share: evaluation rows come from a stream that no training seed reaches.
class TaskSource : public SequenceSource {
  public:
    int64_t tokens() const override { return -1; }
    void eval_row(int64_t index, std::span<int32_t> inputs,
                  std::span<int32_t> targets) const override;
    void check_seq_len(int64_t) const override {}

  protected:
    /// Throws UserError unless seq_len > least, the tokens that `what` needs before the first
    /// target.
    void require_seq_len(int64_t seq_len, int64_t least, const std::string& what) const;
};

}  // namespace headroom
