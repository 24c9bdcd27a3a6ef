#include "app/data/token_manifest.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/build_info.h"
#include "core/base/file.h"
#include "core/base/json_text.h"

namespace headroom {

TokenSource token_source(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return {path, error ? 0 : static_cast<int64_t>(size)};
}

void write_manifest(const std::string& out, const TokenManifest& manifest) {
    nlohmann::ordered_json document{
        {"schema", "headroom-tokens/1"},
        {"program", program_version()},
        {"format", name_of(manifest.format)},
        {"tokens", manifest.written.tokens},
        {"documents", manifest.documents},
        {"text_bytes", manifest.text_bytes},
        {"vocab_size", manifest.tokenizer.vocab_size()},
        {"end_of_text", end_of_text(manifest.tokenizer)},
        {"tokenizer", manifest.tokenizer.to_json()},
        {"checksum", fmt::format("fnv1a64:{:016x}", manifest.written.checksum)},
        {"sources", nlohmann::ordered_json::array()}};
    for (const TokenSource& source : manifest.sources)
        document["sources"].push_back({{"path", source.path}, {"bytes", source.bytes}});
    if (!manifest.field.empty()) document["field"] = manifest.field;
    if (manifest.duplicates) document["duplicates"] = *manifest.duplicates;
    write_file_atomically(out + ".manifest.json", dump_text(document, 2) + "\n");
}

}  // namespace headroom
