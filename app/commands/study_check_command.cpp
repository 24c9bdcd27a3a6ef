#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/study/claims_text.h"
#include "app/study/study_argument.h"
#include "app/study/study_expand.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

struct CheckArguments {
    std::string study_dir;
    bool json = false;
};

void check(const CheckArguments& arguments) {
    const std::filesystem::path folder = study_folder(arguments.study_dir);
    const Study plan = read_plan(folder, "claims");
    if (plan.expect.empty())
        throw UserError(fmt::format("{} expects nothing", StudyFolder{folder}.plan().string()),
                        "write claims under \"expect\", such as \"a < b by val.loss\"");
    const auto answers = answer_claims(plan, *read_study(folder));
    if (arguments.json)
        fmt::print("{}\n", dump_text(claims_json(answers), 2));
    else
        fmt::print("{}", claims_table(answers));
    if (const std::string note = note_of_changed_runs(folder); !note.empty())
        eprint("note: {}\n", note);
}

}  // namespace

/// `headroom study check STUDY_DIR`: the claims under "expect", answered from the runs.
void add_study_check(CLI::App& study) {
    const auto arguments = std::make_shared<CheckArguments>();
    CLI::App* verb = study.add_subcommand(
        "check",
        "Answer the claims of a study: held, did not hold, or not decided with so many "
        "seeds");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    verb->add_flag("--json", arguments->json, "Print one JSON document");
    verb->callback([arguments] { check(*arguments); });
}

}  // namespace headroom
