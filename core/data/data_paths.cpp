#include "core/data/data_paths.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace headroom {
namespace {

constexpr std::array<std::string_view, 6> kWithPath{"text", "tokens", "images",
                                                    "gpt2", "json",   "sp"};
constexpr std::string_view kMixture = "mix";

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

std::vector<MixturePart> split_mixture(std::string_view parts) {
    std::vector<MixturePart> split;
    for (bool more = true; more;) {
        const size_t end = parts.find(';');
        const std::string_view part = trimmed(parts.substr(0, end));
        const size_t space = part.find(' ');
        if (space == std::string_view::npos)
            split.push_back({"", std::string(part)});
        else
            split.push_back(
                {std::string(part.substr(0, space)), std::string(trimmed(part.substr(space)))});
        more = end != std::string_view::npos;
        if (more) parts.remove_prefix(end + 1);
    }
    return split;
}

std::string change_paths(const std::string& spec,
                         const std::function<std::string(const std::string&)>& change) {
    const size_t colon = spec.find(':');
    if (colon == std::string::npos) return spec;
    const std::string_view kind(spec.data(), colon);
    if (kind == kMixture) {
        std::string changed;
        for (const MixturePart& part : split_mixture(std::string_view(spec).substr(colon + 1)))
            changed += fmt::format("{}{}{}{}", changed.empty() ? "" : "; ", part.weight,
                                   part.weight.empty() ? "" : " ", change_paths(part.spec, change));
        return fmt::format("{}:{}", kMixture, changed);
    }
    if (std::find(kWithPath.begin(), kWithPath.end(), kind) == kWithPath.end()) return spec;
    const std::string rest = spec.substr(colon + 1);
    const bool has_options = kind == "tokens" || kind == "images";
    const size_t options = has_options ? rest.rfind('?') : std::string::npos;
    const std::string path = rest.substr(0, options);
    if (path.empty()) return spec;
    return fmt::format("{}:{}{}", kind, change(path),
                       options == std::string::npos ? "" : rest.substr(options));
}

std::vector<std::string> split_tasks(std::string_view tasks) {
    std::vector<std::string> split;
    for (bool more = true; more;) {
        const size_t end = tasks.find(';');
        if (const std::string_view task = trimmed(tasks.substr(0, end)); !task.empty())
            split.emplace_back(task);
        more = end != std::string_view::npos;
        if (more) tasks.remove_prefix(end + 1);
    }
    return split;
}

std::string change_task_paths(const std::string& tasks,
                              const std::function<std::string(const std::string&)>& change) {
    std::string changed;
    for (const std::string& task : split_tasks(tasks)) {
        const size_t colon = task.find(':');
        const bool has_file = colon != std::string::npos && colon + 1 < task.size();
        changed += changed.empty() ? "" : "; ";
        changed += has_file ? task.substr(0, colon + 1) + change(task.substr(colon + 1)) : task;
    }
    return changed;
}

}  // namespace headroom
