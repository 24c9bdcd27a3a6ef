#include "panels/playground/try_settings.h"

#include <fmt/format.h>

#include "panels/base/number_format.h"

namespace headroom {
namespace {

/// Past the end where the run has none.
size_t newest_of(const std::vector<TryCheckpoint>& checkpoints, const std::string& run_id) {
    size_t newest = checkpoints.size();
    for (size_t i = 0; i < checkpoints.size(); ++i) {
        if (checkpoints[i].run_id != run_id) continue;
        if (newest == checkpoints.size() || checkpoints[i].step > checkpoints[newest].step)
            newest = i;
    }
    return newest;
}

}  // namespace

std::string checkpoint_title(const TryCheckpoint& checkpoint) {
    if (checkpoint.step < 0) return checkpoint.run_name;
    return fmt::format("{}, step {}", checkpoint.run_name, format_integer(checkpoint.step));
}

std::vector<std::string> generate_arguments(const std::string& checkpoint,
                                            const TrySettings& settings,
                                            const std::vector<std::string>& sets) {
    std::vector<std::string> words{
        "generate",      "--stream", "--checkpoint", checkpoint,
        "--prompt-file", "-",        "--max-new",    std::to_string(settings.max_new)};
    const SamplingOptions& sampling = settings.sampling;
    const auto add = [&words](const char* option, std::string value) {
        words.emplace_back(option);
        words.push_back(std::move(value));
    };
    for (const std::string& set : sets) add("--set", set);
    add("--temperature", settings.greedy ? "0" : fmt::format("{}", sampling.temperature));
    if (settings.greedy) return words;
    add("--top-k", std::to_string(sampling.top_k));
    add("--top-p", fmt::format("{}", sampling.top_p));
    add("--seed", std::to_string(sampling.seed));
    return words;
}

std::vector<size_t> newest_checkpoints(const std::vector<TryCheckpoint>& checkpoints,
                                       const std::vector<std::string>& run_ids, size_t most) {
    std::vector<size_t> chosen;
    for (const std::string& id : run_ids) {
        const size_t newest = newest_of(checkpoints, id);
        if (newest < checkpoints.size() && chosen.size() < most) chosen.push_back(newest);
    }
    if (chosen.empty() && !checkpoints.empty())
        chosen.push_back(newest_of(checkpoints, checkpoints.front().run_id));
    return chosen;
}

}  // namespace headroom
