#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// Parses JSON from outside. `source` names the text in errors. Throws UserError for a syntax error
/// (with line and column), a key that stands twice in one object, numbers out of range, or nesting
/// deeper than 64.
nlohmann::json parse_json(std::string_view text, std::string_view source);
/// The same with the keys in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text, std::string_view source);
/// parse_json for what may as well be missing: null in place of an error.
nlohmann::json parse_json_or_null(std::string_view text);

/// A file's contents. Throws UserError for one that is missing, unreadable or larger than 64 MiB.
std::string load_json_text(const std::filesystem::path& path);
/// parse_json on them.
nlohmann::json load_json(const std::filesystem::path& path);

/// load_json with the keys in the order of the file, for what is to be changed and written again.
nlohmann::ordered_json load_ordered_json(const std::filesystem::path& path);

/// A document as text, also where it holds names that are no UTF-8: those bytes are replaced.
std::string dump_text(const nlohmann::json& document, int indent = -1);
std::string dump_text(const nlohmann::ordered_json& document, int indent = -1);

/// A value on one line of at most `most` characters, for messages: control characters escaped, the
/// end cut off with "...". Never throws.
std::string shown(const nlohmann::json& value, size_t most = 60);

}  // namespace headroom
