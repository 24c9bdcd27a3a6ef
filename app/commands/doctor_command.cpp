#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/doctor/probes.h"
#include "app/doctor/report.h"
#include "core/base/build_info.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

void print_table(const std::vector<Finding>& findings) {
    fmt::print("{}\n", program_version());
    int missing = 0;
    for (const Finding& finding : findings) {
        fmt::print("{:<13} {:<8} {}\n", finding.name, name_of(finding.status), finding.value);
        if (!finding.hint.empty()) fmt::print("{:<22} -> {}\n", "", finding.hint);
        if (finding.status == Finding::Status::kMissing) ++missing;
    }
    fmt::print("{}\n", missing == 0 ? "Ready to train." : "Something is missing: see above.");
}

void print_json(const std::vector<Finding>& findings) {
    nlohmann::ordered_json document = {
        {"version", HEADROOM_VERSION}, {"cores", usable_cores()}, {"memory_bytes", memory_bytes()}};
    for (const Finding& finding : findings)
        document["findings"][finding.name] = {
            {"status", name_of(finding.status)}, {"value", finding.value}, {"hint", finding.hint}};
    fmt::print("{}\n", dump_text(document, 2));
}

}  // namespace

/// `headroom doctor [--json | --report]`: what this machine offers, what is missing and how to get
/// it.
void add_doctor_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("doctor", "Say what this machine offers and lacks");
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print one JSON document");
    const auto report = std::make_shared<bool>(false);
    command
        ->add_flag("--report", *report,
                   "One text for an issue, without paths and names of people and machines")
        ->excludes("--json");
    command->callback([json, report] {
        const std::vector<Finding> findings = examine_machine();
        if (*report) return fmt::print("{}", doctor_report(findings, personal_words()));
        *json ? print_json(findings) : print_table(findings);
    });
}

}  // namespace headroom
