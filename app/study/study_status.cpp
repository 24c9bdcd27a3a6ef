#include "app/study/study_status.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/study/study_expand.h"
#include "core/base/json_numbers.h"
#include "core/base/printable.h"
#include "core/study/study_lock.h"
#include "panels/base/number_format.h"
#include "panels/study/study_reader.h"

namespace headroom {
namespace {

std::string number_or_dash(double value, int digits) {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

}  // namespace

std::vector<StudyRow> study_rows(const std::filesystem::path& study_dir) {
    const StudyPointer study =
        StudyReader(study_dir, {.rows = RunReader::Rows::kEnd, .colors = false}).look();
    std::vector<StudyRow> rows;
    for (const RunFolder& folder : list_runs_in_order(study_dir, run_order(study_dir))) {
        const RunPointer run = study->find(folder.root.filename().string());
        if (!run) continue;
        rows.push_back({run->id, run->status});
        rows.back().status.phase = effective_phase(run->status.phase, run->request);
    }
    return rows;
}

std::string status_table(const std::vector<StudyRow>& rows) {
    size_t width = 3;
    for (const StudyRow& row : rows) width = std::max(width, printable(row.run_id).size());
    const bool tells = std::any_of(rows.begin(), rows.end(), [](const StudyRow& row) {
        return !std::isnan(row.status.val_accuracy);
    });
    const auto accuracy = [&](const std::string& text) {
        return tells ? fmt::format(" {:>8}", text) : "";
    };
    std::string table =
        fmt::format("{:<{}}  {:<9} {:>13} {:>8} {:>8}{} {:>9}  {}\n", "RUN", width, "STATE", "STEP",
                    "LOSS", "VAL", accuracy("ACCURACY"), "TOKENS/S", "REMAINING");
    for (const auto& [run_id, status] : rows) {
        const bool busy = status.tokens_per_second > 0;
        table += fmt::format(
            "{:<{}}  {:<9} {:>13} {:>8} {:>8}{} {:>9}  {}\n", printable(run_id), width,
            name_of(status.phase), fmt::format("{}/{}", status.step, status.steps),
            number_or_dash(status.loss, 4), number_or_dash(status.val_loss, 4),
            accuracy(number_or_dash(status.val_accuracy, 4)),
            busy ? fmt::format("{:.0f}", status.tokens_per_second) : "-",
            status.remaining_seconds > 0 ? format_duration(status.remaining_seconds) : "-");
        if (!status.problem.empty()) table += fmt::format("  {}\n", printable(status.problem));
    }
    return table;
}

nlohmann::ordered_json status_json(const std::filesystem::path& study_dir,
                                   const std::vector<StudyRow>& rows) {
    nlohmann::ordered_json document = {{"study", study_dir.string()}, {"scheduler_pid", nullptr}};
    if (const auto holder = StudyLock::holder(study_dir)) document["scheduler_pid"] = *holder;
    document["runs"] = nlohmann::ordered_json::array();
    for (const auto& [run_id, status] : rows) {
        const bool known_rate = status.tokens_per_second > 0;
        document["runs"].push_back(
            {{"run", run_id},
             {"name", status.name},
             {"state", name_of(status.phase)},
             {"step", status.step},
             {"steps", status.steps},
             {"loss", number_or_null(status.loss)},
             {"val_loss", number_or_null(status.val_loss)},
             {"val_accuracy", number_or_null(status.val_accuracy)},
             {"seconds", status.seconds},
             {"tokens_per_second",
              known_rate ? number_or_null(status.tokens_per_second) : nlohmann::ordered_json()},
             {"remaining_seconds", status.remaining_seconds > 0
                                       ? number_or_null(status.remaining_seconds)
                                       : nlohmann::ordered_json()},
             {"problem", status.problem}});
    }
    return document;
}

}  // namespace headroom
