#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/study/study_argument.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/base/printable.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "core/study/study_folder.h"
#include "core/study/trash.h"

namespace headroom {
namespace {

struct TrashArguments {
    std::string study_dir;
    std::vector<std::string> runs;
    std::string restore, erase;
    bool json = false;
};

/// No run goes while another one is misspelt.
void require_runs(const std::filesystem::path& folder, const std::vector<std::string>& ids) {
    std::vector<std::string> known;
    for (const RunFolder& run : list_runs(folder)) known.push_back(run.root.filename().string());
    if (std::filesystem::exists(StudyFolder{folder}.plan()))
        for (const StudyRun& run : load_study(StudyFolder{folder}.plan()).runs)
            known.push_back(run.id);
    for (const std::string& id : ids)
        if (std::find(known.begin(), known.end(), id) == known.end())
            throw UserError(fmt::format("{} has no run {}{}", folder.string(), printable(id),
                                        suggestion(id, known)),
                            "headroom study runs lists them");
}

void remove(const TrashArguments& arguments) {
    const std::filesystem::path folder = study_folder(arguments.study_dir);
    require_runs(folder, arguments.runs);
    const std::string name = trash_runs(folder, arguments.runs);
    if (name.empty())
        throw UserError("nothing is removed: the runs are gone by now",
                        "headroom study runs lists what there is");
    eprint("removed; headroom study trash --restore {} {} brings them back\n", name,
           arguments.study_dir);
}

std::string trash_json(const std::vector<TrashEntry>& entries) {
    nlohmann::json list = nlohmann::json::array();
    for (const TrashEntry& entry : entries)
        list.push_back({{"name", entry.name}, {"runs", entry.runs}, {"bytes", entry.bytes}});
    return dump_text(nlohmann::json{{"trash", list}}, 2);
}

void trash(const TrashArguments& arguments) {
    const std::filesystem::path folder = study_folder(arguments.study_dir);
    if (!arguments.restore.empty()) return restore_trash(folder, arguments.restore);
    if (!arguments.erase.empty()) return delete_trash(folder, arguments.erase);
    const std::vector<TrashEntry> entries = list_trash(folder);
    if (arguments.json) return fmt::print("{}\n", trash_json(entries));
    if (entries.empty()) fmt::print("the trash is empty\n");
    for (const TrashEntry& entry : entries)
        fmt::print("{}  {:.1f} MB  {}\n", entry.name, static_cast<double>(entry.bytes) / 1e6,
                   printable(fmt::format("{}", fmt::join(entry.runs, ", "))));
}

}  // namespace

/// `headroom study remove STUDY_DIR RUN…` and `headroom study trash STUDY_DIR`.
void add_study_trash(CLI::App& study) {
    const auto arguments = std::make_shared<TrashArguments>();
    CLI::App* remove_verb = study.add_subcommand(
        "remove", "Move runs to the study's trash, out of study.json and the queue");
    remove_verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    remove_verb->add_option("RUN", arguments->runs, "Runs, by their folders' names")->required();
    remove_verb->callback([arguments] { remove(*arguments); });

    CLI::App* verb =
        study.add_subcommand("trash", "What was removed, newest first; bring it back or delete it");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    CLI::Option* restore =
        verb->add_option("--restore", arguments->restore, "Bring this removal back");
    CLI::Option* erase =
        verb->add_option("--delete", arguments->erase, "Delete this removal for good");
    erase->excludes(restore);
    verb->add_flag("--json", arguments->json, "Print one JSON document");
    verb->callback([arguments] { trash(*arguments); });
}

}  // namespace headroom
