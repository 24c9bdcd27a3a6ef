#include "core/study/job_changes.h"

#include <functional>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/study/job_paths.h"
#include "core/study/study.h"

namespace headroom {
namespace {

using nlohmann::json;
using namespace nlohmann::literals;

/// What `wanted` has otherwise than `given`; objects key by key, the rest as a whole.
json difference(const json& given, const json& wanted) {
    json changes = json::object();
    for (const auto& [key, value] : wanted.items()) {
        if (given.contains(key) && given.at(key) == value) continue;
        const bool both = given.contains(key) && given.at(key).is_object() && value.is_object();
        changes[key] = both ? difference(given.at(key), value) : value;
    }
    return changes;
}

/// Takes out of `changes` every key without which `still_good` holds: those that follow from
/// others.
void prune(json& part, const std::function<bool()>& still_good) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : part.items()) keys.push_back(key);
    for (const std::string& key : keys) {
        const json kept = part[key];
        if (kept.is_object()) prune(part[key], still_good);
        if (kept.is_object() && !part[key].empty()) continue;
        part.erase(key);
        if (!still_good()) part[key] = kept;
    }
}

json document_of(Job job, const std::filesystem::path& study_dir) {
    make_paths_absolute(job, study_dir);
    make_paths_movable(job, study_dir, study_dir);
    json document = to_json(job);
    document.erase("name");
    document.erase("seed");
    return document;
}

}  // namespace

json job_changes(const json& common, const Job& wanted, const std::filesystem::path& study_dir) {
    const json goal = document_of(wanted, study_dir);
    json changes = json::object();
    // Half-way configurations may be impossible; they count as nothing reached.
    const auto reached = [&] {
        try {
            return document_of(parse_job(merged(common, changes), ""), study_dir);
        } catch (const UserError&) {
            return json::object();
        }
    };
    // The architecture first: it decides the defaults of the keys that follow.
    if (reached().value("/model/arch"_json_pointer, json()) != goal["model"]["arch"])
        changes["model"]["arch"] = goal["model"]["arch"];
    // A key may move the default of another, so look again; two rounds are the usual number.
    for (int round = 0; round < 4; ++round) {
        const json missing = difference(reached(), goal);
        if (missing.empty()) {
            prune(changes, [&] { return reached() == goal; });
            return changes;
        }
        changes = merged(changes, missing);
    }
    if (reached() != goal)
        throw UserError("the run differs from the study's \"job\" in what no key can say",
                        "give it a study of its own");
    return changes;
}

}  // namespace headroom
