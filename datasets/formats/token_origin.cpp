#include "datasets/formats/token_origin.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
    throw UserError(fmt::format("{} {}", path, what), "prepare the file again or delete it");
}

int64_t number_under(const json& manifest, const char* key, const std::string& path) {
    const json value = manifest.value(key, json());
    if (!value.is_number_unsigned()) refuse(path, fmt::format("has no {}", key));
    return static_cast<int64_t>(value.get<uint64_t>());
}

std::string text_under(const json& object, const char* key) {
    const json value = object.is_object() ? object.value(key, json()) : json();
    return value.is_string() ? value.get<std::string>() : "";
}

void open_reader(const json& tokenizer, TokenOrigin& origin) {
    try {
        origin.reader = tokenizer_from_json(tokenizer);
    } catch (const UserError& error) {
        origin.reader_problem = error.what();
    }
}

}  // namespace

std::optional<TokenOrigin> read_token_origin(const std::string& token_file, int64_t tokens) {
    const std::string path = token_file + ".manifest.json";
    if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return std::nullopt;
    const json document = load_json(path);
    if (!document.is_object()) refuse(path, "is no manifest");
    TokenOrigin origin;
    origin.tokens = number_under(document, "tokens", path);
    if (origin.tokens != tokens)
        refuse(path, fmt::format("is of another file: it has {} tokens", tokens));
    origin.vocab_size = number_under(document, "vocab_size", path);
    if (origin.vocab_size < 1 || origin.vocab_size > kMostTokens)
        refuse(path, fmt::format("has the vocab_size {}", origin.vocab_size));
    origin.documents = number_under(document, "documents", path);
    origin.text_bytes = number_under(document, "text_bytes", path);
    if (document.contains("duplicates"))
        origin.duplicates = number_under(document, "duplicates", path);
    origin.checksum = text_under(document, "checksum");
    const json tokenizer = document.value("tokenizer", json());
    origin.tokenizer = text_under(tokenizer, "spec");
    if (origin.tokenizer.empty()) origin.tokenizer = text_under(tokenizer, "kind");
    if (document.contains("tokenizer")) open_reader(tokenizer, origin);
    for (const json& source : document.value("sources", json::array()))
        origin.sources.push_back(text_under(source, "path"));
    return origin;
}

}  // namespace headroom
