// Reads the two forms in which byte-pair vocabularies come: GPT-2's release and Hugging Face's.
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

[[noreturn]] void refuse(const std::string& path, const std::string& what,
                         const std::string& mend) {
    throw UserError(fmt::format("vocabulary {}: {}", path, what), mend);
}

fs::path one_of(const fs::path& folder, const std::string& name, const std::string& other) {
    std::error_code ignored;
    for (const std::string& candidate : {name, other})
        if (fs::exists(folder / candidate, ignored)) return folder / candidate;
    refuse(folder.string(), fmt::format("has neither {} nor {}", name, other),
           "name the folder that holds encoder.json and vocab.bpe");
}

std::map<std::string, int64_t> read_ids(const json& object, const std::string& path) {
    if (!object.is_object())
        refuse(path, "the vocabulary is not a JSON object", "expect {\"token\": id}");
    std::map<std::string, int64_t> ids;
    for (const auto& [spelling, id] : object.items()) {
        if (!id.is_number_integer())
            refuse(path, fmt::format("the id of \"{}\" is {}", spelling, shown(id)),
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
        refuse(path, fmt::format("merge {} is not two tokens and a space between", rank),
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

/// A member that may be absent or null.
const json* member(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool says(const json& object, const char* key, const json& value) {
    const json* found = member(object, key);
    return found != nullptr && *found == value;
}

void check_pre_tokenizer(const json& file, const std::string& path) {
    const json* pre = member(file, "pre_tokenizer");
    if (pre == nullptr || !pre->is_object() || !says(*pre, "type", "ByteLevel"))
        refuse(path, fmt::format("its pre_tokenizer is {}", pre ? shown(*pre) : "absent"),
               "only GPT-2's ByteLevel is read");
    if (says(*pre, "use_regex", false) || !says(*pre, "add_prefix_space", false))
        refuse(path, "its pre_tokenizer does not split as GPT-2 does",
               "use_regex must be true and add_prefix_space false");
    if (const json* normalizer = member(file, "normalizer"))
        refuse(path, fmt::format("it has the normalizer {}", shown(*normalizer)),
               "only files without one are read");
}

void check_model(const json& model, const std::string& path) {
    const json empty = "";
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix", "dropout",
                            "ignore_merges", "byte_fallback", "unk_token"}) {
        const json* value = member(model, key);
        const bool harmless = value == nullptr || *value == empty || *value == false ||
                              std::string_view(key) == "unk_token" || (*value == 0.0);
        if (!harmless)
            refuse(path, fmt::format("model.{} is {}", key, shown(*value)),
                   "only plain byte-level BPE is read");
    }
}

std::vector<std::pair<std::string, std::string>> read_json_merges(const json& model,
                                                                  const std::string& path) {
    const json* list = member(model, "merges");
    if (list == nullptr || !list->is_array())
        refuse(path, "model.merges is not a list",
               "expect [\"a b\", ...] or [[\"a\", \"b\"], ...]");
    std::vector<std::pair<std::string, std::string>> merges;
    for (const json& item : *list) {
        if (item.is_string()) {
            merges.push_back(split_merge(item.get_ref<const std::string&>(), merges.size(), path));
        } else if (item.is_array() && item.size() == 2 && item[0].is_string() &&
                   item[1].is_string()) {
            merges.emplace_back(item[0].get<std::string>(), item[1].get<std::string>());
        } else {
            refuse(path, fmt::format("merge {} is {}", merges.size(), shown(item)),
                   "expect \"a b\" or [\"a\", \"b\"]");
        }
    }
    return merges;
}

std::map<std::string, int64_t> read_added_tokens(const json& file, const std::string& path) {
    std::map<std::string, int64_t> added;
    const json* list = member(file, "added_tokens");
    if (list == nullptr) return added;
    if (!list->is_array()) refuse(path, "added_tokens is not a list", "see the file's format");
    for (const json& token : *list) {
        const json* id = token.is_object() ? member(token, "id") : nullptr;
        const json* content = token.is_object() ? member(token, "content") : nullptr;
        if (id == nullptr || content == nullptr || !id->is_number_integer() ||
            !content->is_string())
            refuse(path, fmt::format("added token {} has no id or content", shown(token)),
                   "expect {\"id\": 50256, \"content\": \"<|endoftext|>\"}");
        if (!added.emplace(content->get<std::string>(), id->get<int64_t>()).second)
            refuse(path, fmt::format("added token {} stands there twice", shown(*content)),
                   "keep one of them");
    }
    return added;
}

}  // namespace

BpeVocabulary load_gpt2_vocabulary(const std::string& folder) {
    const fs::path ids_path = one_of(folder, "encoder.json", "vocab.json");
    BpeFile file;
    file.path = folder;
    file.ids = read_ids(load_json(ids_path), ids_path.string());
    file.merges = read_merges(one_of(folder, "vocab.bpe", "merges.txt"));
    std::set<std::string> made;
    for (const auto& [left, right] : file.merges) made.insert(left + right);
    for (int byte = 0; byte < 256; ++byte) made.insert(spelling_of_byte(byte));
    for (const auto& [spelling, id] : file.ids)
        if (!made.count(spelling)) file.special[spelling] = id;
    return build_vocabulary(file);
}

BpeVocabulary load_tokenizer_json(const std::string& path) {
    const json document = load_json(path);
    const json* model = document.is_object() ? member(document, "model") : nullptr;
    if (model == nullptr || !model->is_object() || !says(*model, "type", "BPE"))
        refuse(path, "it is not a tokenizer.json with a BPE model",
               "only byte-level BPE tokenizers are read");
    check_pre_tokenizer(document, path);
    check_model(*model, path);
    BpeFile file;
    file.path = path;
    file.special = read_added_tokens(document, path);
    const json* vocab = member(*model, "vocab");
    file.ids = read_ids(vocab ? *vocab : json(), path);
    file.merges = read_json_merges(*model, path);
    return build_vocabulary(file);
}

}  // namespace headroom
