#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "panels/inspector/map_source.h"

namespace headroom {

/// Looks for the attention records of runs and opens them. Touches files: not for the UI thread.
/// One thread at a time.
class AttentionRecords {
  public:
    /// What to look for in one run.
    struct Question {
        std::filesystem::path run;
        std::string name;   ///< of the run, for people
        int64_t step = -1;  ///< -1: the newest that there is
        /// Where records of a text of the person's lie, by step; empty: the run's own.
        std::map<int64_t, std::filesystem::path> files;
        bool own_text = false;  ///< only `files` count
    };
    struct Answer {
        std::vector<int64_t> steps;  ///< of checkpoints and records, ascending
        std::vector<int64_t> checkpoints;
        int64_t step = -1;  ///< that is shown, or would be probed; -1: there is none
        MapSourcePointer source;
        std::string problem;  ///< why a record that is there cannot be shown
    };

    Answer look(const Question& question);

  private:
    struct Opened {
        std::filesystem::file_time_type time{};
        MapSourcePointer source;
        std::string problem;
    };
    void open(const std::filesystem::path& file, const std::string& title, Answer& answer);

    std::map<std::filesystem::path, Opened> opened_;
};

/// Steps of the records in RUN_DIR/probes, ascending.
std::vector<int64_t> recorded_steps(const std::filesystem::path& run);

}  // namespace headroom
