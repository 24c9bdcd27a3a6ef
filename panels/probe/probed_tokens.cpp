#include "panels/probe/probed_tokens.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/log/array_file.h"
#include "core/probe/probe_file.h"

namespace headroom {

std::string different_tokens_note(std::span<const ProbeSource> sources) {
    std::vector<std::pair<std::string, std::vector<std::string>>> names_by_tokens;
    for (const ProbeSource& source : sources) {
        const std::string tokens = describe_tokens(ArrayFile(source.file));
        auto entry = names_by_tokens.begin();
        while (entry != names_by_tokens.end() && entry->first != tokens) ++entry;
        if (entry == names_by_tokens.end()) entry = names_by_tokens.insert(entry, {tokens, {}});
        entry->second.push_back(source.name);
    }
    if (names_by_tokens.size() < 2) return "";
    std::vector<std::string> parts;
    for (const auto& [tokens, names] : names_by_tokens)
        parts.push_back(fmt::format("{} {}", fmt::join(names, ", "), tokens));
    return fmt::format("not on the same tokens: {}", fmt::join(parts, "; "));
}

}  // namespace headroom
