#include "core/study/study_labels.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/base/printable.h"
#include "core/base/utf8.h"
#include "core/study/folder_lock.h"
#include "core/study/known_keys.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kLabelsSchema[] = "headroom-labels/1";
constexpr size_t kLongestName = 200;
constexpr size_t kLongestNote = 64 << 10;
constexpr size_t kMostTags = 64;

fs::path labels_file(const fs::path& study_dir) {
    return StudyFolder{study_dir}.labels();
}

std::string text_of(const json& value, const std::string& place, size_t longest) {
    if (!value.is_string())
        throw UserError(fmt::format("{} = {} is no text", place, shown(value)), "put it in quotes");
    const size_t characters = count_characters(value.get_ref<const std::string&>());
    if (characters > longest)
        throw UserError(fmt::format("{} has {} characters", place, characters),
                        fmt::format("give it {} at most", longest));
    return value.get<std::string>();
}

RunLabel parse_label(const json& object, const std::string& place) {
    check_keys(object, place, {"color", "name", "tags", "note"});
    RunLabel label;
    if (object.contains("color")) {
        const json& color = object["color"];
        const bool whole = color.is_number_integer() && color >= 0 && color < kMostColors;
        if (!whole)
            throw UserError(fmt::format("{}.color = {} is no colour", place, shown(color)),
                            "give its number in the palette, from 0 on");
        label.color = color.get<int>();
    }
    if (object.contains("name"))
        label.name = text_of(object["name"], place + ".name", kLongestName);
    if (object.contains("note"))
        label.note = text_of(object["note"], place + ".note", kLongestNote);
    if (!object.contains("tags")) return label;
    const json& tags = object["tags"];
    if (!tags.is_array())
        throw UserError(fmt::format("{}.tags = {} is no list of tags", place, shown(tags)),
                        "write [ ... ]");
    if (tags.size() > kMostTags)
        throw UserError(fmt::format("{}.tags has {} tags", place, tags.size()),
                        fmt::format("give it {} at most", kMostTags));
    for (const json& tag : tags) label.tags.push_back(text_of(tag, place + ".tags", kLongestName));
    return label;
}

StudyLabels parse_labels(const json& document) {
    check_keys(document, "the file", {"schema", "runs"});
    if (document.value("schema", json()) != kLabelsSchema)
        throw UserError(fmt::format("\"schema\" = {} is not one that this version reads",
                                    shown(document.value("schema", json()))),
                        fmt::format("write \"schema\": \"{}\"", kLabelsSchema));
    StudyLabels labels;
    const json runs = document.value("runs", json::object());
    if (!runs.is_object())
        throw UserError(fmt::format("runs = {} is not an object", shown(runs)), "write { ... }");
    for (const auto& [id, label] : runs.items())
        labels.runs[id] = parse_label(label, "runs." + shown(id));
    return labels;
}

nlohmann::ordered_json to_json(const RunLabel& label) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    if (label.color) object["color"] = *label.color;
    if (!label.name.empty()) object["name"] = label.name;
    if (!label.tags.empty()) object["tags"] = label.tags;
    if (!label.note.empty()) object["note"] = label.note;
    return object;
}

std::string text_of(const StudyLabels& labels) {
    nlohmann::ordered_json document = {{"schema", kLabelsSchema}};
    document["runs"] = nlohmann::ordered_json::object();
    for (const auto& [id, label] : labels.runs)
        if (label != RunLabel{}) document["runs"][id] = to_json(label);
    return dump_text(document, 2) + "\n";
}

void require_shown_as_given(const std::string& text, const std::string& place) {
    if (printable(text) != text)
        throw UserError(
            fmt::format("{} = {} has control characters or is no UTF-8", place, shown(text)),
            "use letters, digits, blanks and signs");
}

/// What is new must be what read_labels() takes, and stand in a legend or a table as one line.
void check_change(const StudyLabels& before, const StudyLabels& after) {
    for (const auto& [id, label] : after.runs) {
        const auto found = before.runs.find(id);
        const RunLabel old = found == before.runs.end() ? RunLabel{} : found->second;
        if (label == old) continue;
        const std::string place = "label of " + id;
        if (label.name != old.name) require_shown_as_given(label.name, place + ": name");
        for (const std::string& tag : label.tags) {
            if (std::find(old.tags.begin(), old.tags.end(), tag) != old.tags.end()) continue;
            if (tag.empty()) throw UserError(place + ": a tag is empty", "give it a word");
            require_shown_as_given(tag, place + ": tag");
        }
        if (label.note != old.note && printable_lines(label.note) != label.note)
            throw UserError(place + ": the note has control characters or is no UTF-8",
                            "use text, line breaks and tabs");
        parse_label(json(to_json(label)), "label of " + id);
    }
}

}  // namespace

StudyLabels read_labels(const fs::path& study_dir) {
    const fs::path file = labels_file(study_dir);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return {};
    const json document = load_json(file);
    try {
        return parse_labels(document);
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", file.string(), error.what()));
    }
}

void change_labels(const fs::path& study_dir, const std::function<void(StudyLabels&)>& change) {
    const FileDescriptor lock = lock_folder(study_dir);
    const StudyLabels before = read_labels(study_dir);
    StudyLabels after = before;
    change(after);
    check_change(before, after);
    if (after != before) write_file_atomically(labels_file(study_dir), text_of(after));
}

}  // namespace headroom
