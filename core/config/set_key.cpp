#include "core/config/set_key.h"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/config/field_binding.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

using nlohmann::json;

[[noreturn]] void refuse_unknown(const std::string& path) {
    std::vector<std::string> paths;
    for (const Field& field : job_schema()) {
        if (field.key() == path && !field.section().empty())
            throw UserError(
                fmt::format("unknown key {}; did you mean \"{}\"?", shown(path), field.path));
        paths.push_back(field.path);
    }
    const std::string best = nearest(path, paths);
    throw UserError(fmt::format("unknown key {}; {}", shown(path),
                                best.empty() ? "headroom describe --keys lists all of them"
                                             : fmt::format("did you mean \"{}\"?", best)));
}

bool is_utf8(const std::string& text) {
    try {
        (void)json(text).dump();
        return true;
    } catch (const json::exception&) {
        return false;
    }
}

/// The text after "=" as the key's type asks: words need no quotes, everything else is JSON.
json typed_value(const Field& field, const std::string& text) {
    if (!is_utf8(text))
        throw UserError(fmt::format("{} = {} is not valid UTF-8", field.path, shown(text)),
                        "check the encoding of your shell");
    const bool is_list = field.per_layer && text.starts_with('[');
    if (!is_list && (field.type == FieldType::kText || field.type == FieldType::kChoice))
        return text;
    try {
        return parse_json(text, field.path);
    } catch (const UserError&) {
        return text;
    }
}

/// Whether the section gives every key that the program writes: the program wrote it.
bool is_written_out(const json& document, const std::string& section) {
    if (!document.is_object() || !document.contains(section)) return false;
    const json& keys = document.at(section);
    if (!keys.is_object()) return false;
    for (const Field& field : job_schema())
        if (field.section() == section && !field.input_only && !field.newer &&
            field.key() != "wiring" && !keys.contains(field.key()))
            return false;
    return true;
}

/// Takes out of one section ("": the document itself) what the rest of the job implies.
void shorten(json& document, const std::string& section) {
    if (!section.empty() && !document.contains(section)) return;
    const Job meant = parse_job(document, "");
    for (const Field& field : job_schema()) {
        if (field.section() != section) continue;
        json attempt = document;
        json& keys = section.empty() ? attempt : attempt[section];
        if (keys.erase(field.key()) == 0) continue;
        try {
            if (parse_job(attempt, "") == meant) document = std::move(attempt);
        } catch (const UserError&) {
            // Without this key the rest does not fit together, so it stays.
        }
    }
}

/// In a section that the program wrote out in full, keys that stand at what the others imply follow
/// the change. Of the model every key has followers, of the training those that stand for others.
void make_follow(json& document, const Field& field) {
    const std::string section = field.section();
    const bool has_followers = section == "model" || (section == "train" && field.input_only);
    if (!has_followers || !is_written_out(document, section)) return;
    shorten(document, section);
}

/// Two ways to say one thing: the one said last counts.
void drop_other_way(json& section, const Field& said) {
    for (const Field& field : job_schema())
        if (field.path == said.instead_of || field.instead_of == said.path)
            section.erase(field.key());
}

}  // namespace

void apply_set(nlohmann::json& document, const std::string& assignment) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        throw UserError(fmt::format("{} is not an assignment", shown(assignment)),
                        "write --set KEY=VALUE, such as --set model.n_layer=6");
    const std::string path = assignment.substr(0, equals);
    const Field* field = find_field(path);
    if (field == nullptr) refuse_unknown(path);
    const json value = typed_value(*field, assignment.substr(equals + 1));
    check_value(*field, value);
    if (document.is_null()) document = json::object();
    if (!document.is_object())
        throw UserError("the document is not a job", "write { \"model\": { ... }, ... }");
    make_follow(document, *field);
    if (field->section().empty()) {
        document[field->key()] = value;
        return;
    }
    json& section = document[field->section()];
    if (!section.is_null() && !section.is_object())
        throw UserError(
            fmt::format("\"{}\" = {} is not a section", field->section(), shown(section)),
            "write { ... }");
    if (section.is_object()) drop_other_way(section, *field);
    section[field->key()] = value;
}

void apply_sets(nlohmann::json& document, std::span<const std::string> assignments) {
    for (const std::string& assignment : assignments) apply_set(document, assignment);
}

}  // namespace headroom
