#include "panels/loss/loss_cache.h"

#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/log/pyramid_cache.h"
#include "core/study/run_folder.h"

namespace headroom {

const SeriesPyramid* LossCache::pyramid(const Run& run, const std::string& series, double weight) {
    Entry& entry = entries_[{run.folder.string(), series}];
    entry.used = true;
    bring_up_to_date(entry, run, series, weight);
    return entry.is_of_use ? &entry.pyramid : nullptr;
}

void LossCache::still_wants(const Run& run, const std::string& series) {
    const auto entry = entries_.find({run.folder.string(), series});
    if (entry != entries_.end()) entry->second.used = true;
}

void LossCache::bring_up_to_date(Entry& entry, const Run& run, const std::string& series,
                                 double weight) {
    const TrainSeries& train = run.series->train;
    const auto rows = static_cast<int64_t>(train.step.size());
    SeriesPyramid& pyramid = entry.pyramid;
    const bool same_log = entry.generation == run.series->generation;
    if (same_log && pyramid.weight == weight && entry.rows == rows) return;
    const bool goes_on = same_log && pyramid.weight == weight && pyramid.rows < rows;
    if (!goes_on) {
        std::optional<SeriesPyramid> found;
        if (!same_log) found = load_pyramid(RunFolder{run.folder}.log(), series, weight, train);
        entry.kept = found.has_value() || same_log;
        pyramid = found ? std::move(*found) : SeriesPyramid{};
        pyramid.series = series;
        pyramid.weight = weight;
        entry.generation = run.series->generation;
    }
    entry.is_of_use = extend_pyramid(pyramid, train);
    entry.rows = rows;  // also where it could not follow: it would not next time
}

void LossCache::settle() {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        if (!entry->second.used) {
            entry = entries_.erase(entry);
            continue;
        }
        entry->second.used = false;
        ++entry;
    }
    for (auto& [key, entry] : entries_) {
        if (std::exchange(entry.kept, true) || !entry.is_of_use) continue;
        const std::filesystem::path folder = key.first;
        try {
            require_own_folder(folder);
            save_pyramid(RunFolder{folder}.log(), entry.pyramid);
        } catch (const std::exception&) {
            // A run that a link leads out of the study stays as it is.
        }
    }
}

}  // namespace headroom
