#include "datasets/formats/token_manifest.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/build_info.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr char kManifestSchema[] = "headroom-tokens/1";

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

std::string manifest_beside(const std::string& token_file) {
    return token_file + ".manifest.json";
}

TokenSource token_source(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return {path, error ? 0 : static_cast<int64_t>(size)};
}

std::string checksum_text(uint64_t checksum) {
    return fmt::format("fnv1a64:{:016x}", checksum);
}

void write_manifest(const std::string& out, const TokenManifest& manifest) {
    nlohmann::ordered_json document{{"schema", kManifestSchema},
                                    {"program", program_version()},
                                    {"format", name_of(manifest.format)},
                                    {"tokens", manifest.written.tokens},
                                    {"documents", manifest.documents},
                                    {"text_bytes", manifest.text_bytes},
                                    {"vocab_size", manifest.tokenizer.vocab_size()},
                                    {"end_of_text", end_of_text(manifest.tokenizer)},
                                    {"tokenizer", manifest.tokenizer.to_json()},
                                    {"checksum", checksum_text(manifest.written.checksum)},
                                    {"sources", nlohmann::ordered_json::array()}};
    for (const TokenSource& source : manifest.sources)
        document["sources"].push_back({{"path", source.path}, {"bytes", source.bytes}});
    if (!manifest.field.empty()) document["field"] = manifest.field;
    if (manifest.duplicates) document["duplicates"] = *manifest.duplicates;
    write_file_atomically(manifest_beside(out), dump_text(document, 2) + "\n");
}

std::optional<TokenOrigin> read_token_origin(const std::string& token_file, int64_t tokens) {
    const std::string path = manifest_beside(token_file);
    if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return std::nullopt;
    const json document = load_json(path);
    if (!document.is_object() || document.value("schema", json()) != kManifestSchema)
        refuse(path, fmt::format("is no {}", kManifestSchema));
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
