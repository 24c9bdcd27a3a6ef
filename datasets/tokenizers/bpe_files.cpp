// Reads the files of GPT-2's release.
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "datasets/tokenizers/bpe_vocabulary.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kLargestMerges = uint64_t{64} << 20;

[[noreturn]] void refuse_bpe_file(const std::string& path, const std::string& what,
                                  const std::string& mend) {
    throw UserError(fmt::format("vocabulary {}: {}", path, what), mend);
}

fs::path one_of(const fs::path& folder, const std::string& name, const std::string& other) {
    std::error_code ignored;
    for (const std::string& candidate : {name, other})
        if (fs::exists(folder / candidate, ignored)) return folder / candidate;
    refuse_bpe_file(folder.string(), fmt::format("has neither {} nor {}", name, other),
                    "name the folder that holds encoder.json and vocab.bpe");
}

std::map<std::string, int64_t> read_ids(const json& object, const std::string& path) {
    if (!object.is_object())
        refuse_bpe_file(path, "the vocabulary is not a JSON object", "expect {\"token\": id}");
    std::map<std::string, int64_t> ids;
    for (const auto& [spelling, id] : object.items()) {
        if (!id.is_number_integer())
            refuse_bpe_file(path, fmt::format("the id of \"{}\" is {}", spelling, shown(id)),
                            "ids are whole numbers");
        ids[spelling] = id.get<int64_t>();
    }
    return ids;
}

std::pair<std::string, std::string> split_merge(std::string_view line, size_t rank,
                                                const std::string& path) {
    const size_t space = line.find(' ');
    if (space == 0 || space == std::string_view::npos || space + 1 == line.size() ||
        line.find(' ', space + 1) != std::string_view::npos)
        refuse_bpe_file(path, fmt::format("merge {} is not two tokens and a space between", rank),
                        "expect lines such as \"Ġ t\"");
    return {std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

std::vector<std::pair<std::string, std::string>> read_merges(const fs::path& path) {
    const std::string text = read_text(path, kLargestMerges);
    std::vector<std::pair<std::string, std::string>> merges;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line(text.data() + at, end - at);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        const bool is_header = at == 0 && line.substr(0, 8) == "#version";
        if (!is_header && !line.empty())
            merges.push_back(split_merge(line, merges.size(), path.string()));
        at = end + 1;
    }
    return merges;
}

}  // namespace

Gpt2Files gpt2_files(const fs::path& folder) {
    return {one_of(folder, "encoder.json", "vocab.json"),
            one_of(folder, "vocab.bpe", "merges.txt")};
}

BpeVocabulary load_gpt2_vocabulary(const std::string& folder) {
    const Gpt2Files files = gpt2_files(folder);
    const fs::path& ids_path = files.ids;
    BpeFile file;
    file.path = folder;
    file.ids = read_ids(load_json(ids_path), ids_path.string());
    file.merges = read_merges(files.merges);
    std::set<std::string> made;
    for (const auto& [left, right] : file.merges) made.insert(left + right);
    for (int byte = 0; byte < 256; ++byte) made.insert(spelling_of_byte(byte));
    for (const auto& [spelling, id] : file.ids)
        if (!made.count(spelling)) file.special[spelling] = id;
    return build_vocabulary(file);
}

}  // namespace headroom
