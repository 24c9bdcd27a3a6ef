#include "core/data/data_paths.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/data/data_spec.h"
#include "core/data/tokenizer_spec.h"

namespace headroom {
namespace {

/// What stands before the colon of a spec that names a path, of data or of a tokenizer.
struct PathKind {
    bool names_path = false, has_options = false;
};

PathKind path_kind(std::string_view word) {
    for (const DataSpecKind& kind : data_spec_kinds())
        if (kind.word == word) return {kind.names_path, kind.has_options};
    for (const TokenizerSpecKind& kind : tokenizer_spec_kinds())
        if (kind.word == word) return {kind.names_path};
    return {};
}

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
    if (const std::string_view mix = info_of(DataSpec::Kind::kMix).word; kind == mix) {
        std::string changed;
        for (const MixturePart& part : split_mixture(std::string_view(spec).substr(colon + 1)))
            changed += fmt::format("{}{}{}{}", changed.empty() ? "" : "; ", part.weight,
                                   part.weight.empty() ? "" : " ", change_paths(part.spec, change));
        return fmt::format("{}:{}", mix, changed);
    }
    const PathKind is = path_kind(kind);
    if (!is.names_path) return spec;
    const std::string rest = spec.substr(colon + 1);
    const size_t options = is.has_options ? rest.rfind('?') : std::string::npos;
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
