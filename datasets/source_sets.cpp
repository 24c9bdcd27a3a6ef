#include "datasets/source_sets.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/study/known_keys.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Unpack = SourceFile::Unpack;

[[noreturn]] void refuse_list(const std::string& place, const std::string& what) {
    throw UserError(place + ": " + what, "resources/data/sources.json shows how it is written");
}

std::string text_of(const json& object, const char* key, const std::string& place) {
    const json value = object.value(key, json(""));
    if (!value.is_string()) refuse_list(place, fmt::format("\"{}\" is no text", key));
    return printable(value.get<std::string>());
}

std::string needed_text(const json& object, const char* key, const std::string& place) {
    std::string text = text_of(object, key, place);
    if (text.empty()) refuse_list(place, fmt::format("\"{}\" is missing", key));
    return text;
}

/// A name that stays in its folder.
std::string plain_name(const std::string& name, const std::string& place) {
    const bool leads_away = name.empty() || name.front() == '.' || name.front() == '-' ||
                            name.find('/') != std::string::npos;
    if (leads_away) refuse_list(place, fmt::format("\"{}\" is no name of a file", name));
    return name;
}

bool is_sha256(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

SourceFile file_of(const json& object, const std::string& place) {
    check_keys(object, place, {"url", "bytes", "sha256", "unpack", "gives"});
    SourceFile file;
    file.url = needed_text(object, "url", place);
    if (!file.url.starts_with("https://") && !file.url.starts_with("file:///"))
        refuse_list(place, fmt::format("{} is no https address", file.url));
    file.name = plain_name(file.url.substr(file.url.rfind('/') + 1), place);
    file.sha256 = text_of(object, "sha256", place);
    if (!file.sha256.empty() && !is_sha256(file.sha256))
        refuse_list(place, "\"sha256\" has not 64 hexadecimal digits");
    const json bytes = object.value("bytes", json(0u));
    if (!bytes.is_number_unsigned() || bytes.get<uint64_t>() >> 62 != 0)
        refuse_list(place, "\"bytes\" is no size");
    file.bytes = bytes.get<int64_t>();
    const std::string unpack = text_of(object, "unpack", place);
    if (unpack.empty()) return file;
    if (unpack != "tar" && unpack != "zip") refuse_list(place, "\"unpack\" is neither tar nor zip");
    file.unpack = unpack == "tar" ? Unpack::kTar : Unpack::kZip;
    file.gives = plain_name(text_of(object, "gives", place), place);
    return file;
}

SourceSet set_of(const json& object, const std::string& place) {
    check_keys(object, place, {"name", "summary", "page", "licence", "files", "use"});
    SourceSet set;
    set.name = plain_name(needed_text(object, "name", place), place);
    set.summary = text_of(object, "summary", place);
    set.page = text_of(object, "page", place);
    set.licence = text_of(object, "licence", place);
    const json files = object.value("files", json()), use = object.value("use", json::array());
    if (!files.is_array() || files.empty()) refuse_list(place, "\"files\" has none");
    std::set<std::string> names;
    for (const json& file : files) {
        set.files.push_back(file_of(file, fmt::format("{}, {}", place, set.name)));
        if (!names.insert(set.files.back().name).second)
            refuse_list(place, fmt::format("two files are called {}", set.files.back().name));
    }
    if (!use.is_array()) refuse_list(place, "\"use\" is no list");
    for (const json& command : use) {
        if (!command.is_string()) refuse_list(place, "\"use\" has something that is no text");
        set.use.push_back(printable(command.get<std::string>()));
    }
    return set;
}

}  // namespace

int64_t SourceSet::bytes() const {
    int64_t sum = 0;
    for (const SourceFile& file : files) {
        if (file.bytes == 0) return 0;
        sum += file.bytes;
    }
    return sum;
}

std::vector<SourceSet> load_source_sets(const fs::path& file) {
    const json document = load_json(file);
    check_keys(document, file.string(), {"sources"});
    const json sources = document.value("sources", json());
    if (!sources.is_array()) refuse_list(file.string(), "\"sources\" is no list");
    std::vector<SourceSet> sets;
    for (const json& source : sources) sets.push_back(set_of(source, file.string()));
    return sets;
}

}  // namespace headroom
