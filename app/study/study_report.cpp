#include "app/study/study_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/study/claims_text.h"
#include "app/study/result_table_text.h"
#include "app/study/study_expand.h"
#include "core/base/build_info.h"
#include "core/study/measure.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/study/study_folder.h"
#include "panels/base/number_format.h"
#include "panels/study/claim_answers.h"
#include "panels/study/run_facts.h"

namespace headroom {
namespace {

using Cells = std::vector<ReportCell>;
using Tone = ReportCell::Tone;

Tone tone_of(Verdict verdict) {
    return verdict == Verdict::kHeld         ? Tone::kGood
           : verdict == Verdict::kDidNotHold ? Tone::kBad
                                             : Tone::kOpen;
}

std::string number_or_nothing(const std::optional<double>& value) {
    return value ? fmt::format("{:.4g}", *value) : "";
}

void add_claims(ReportDocument& report, const std::vector<ClaimAnswer>& answers) {
    if (answers.empty()) return;
    report.heading("Claims");
    std::vector<Cells> rows;
    std::vector<std::string> notes;
    for (const ClaimAnswer& answer : answers) {
        const Claim& claim = answer.claim;
        const std::string says = claim.says.empty() ? claim.text : claim.says;
        for (const std::string& condition : conditions_of(claim))
            notes.push_back(fmt::format("{}: {}", claim.text, condition));
        for (const StepAnswer& step : answer.steps) {
            const bool first = &step == &answer.steps.front();
            rows.push_back({{first ? says : ""},
                            {first ? claim.source : ""},
                            {first ? claim.text : ""},
                            {first ? verdict_text(answer) : "", tone_of(answer.verdict)},
                            {std::to_string(step.n)},
                            {step.estimate ? estimate_text(step) : ""},
                            {number_or_nothing(step.p)},
                            {number_or_nothing(step.p_holm)}});
            for (const std::string& note : step.notes)
                if (std::find(notes.begin(), notes.end(), note) == notes.end())
                    notes.push_back(note);
        }
    }
    report.table({{"What is said", false},
                  {"Where", false},
                  {"Claim", false},
                  {"Here", false},
                  {"Pairs", true},
                  {"Estimate [95 %]", true},
                  {"p", true},
                  {"p (Holm)", true}},
                 std::move(rows));
    report.text(
        "Pairs are runs of one seed that saw the same batches, unless a note says otherwise. A "
        "claim held where the 95 % "
        "interval of the paired t test lies on its side, did not hold where it lies on the other, "
        "and is not decided otherwise; p is two-sided, Holm's is over all claims.");
    if (!notes.empty()) report.text(fmt::format("Note: {}", fmt::join(notes, "; ")));
}

void add_results(ReportDocument& report, const Study& plan, const StudySnapshot& study) {
    report.heading("Results");
    const PrintedTable table = printed_table(build_result_table(&plan, study, {}));
    std::vector<Cells> rows;
    for (const auto& texts : table.rows) {
        rows.emplace_back();
        for (const PrintedCell& cell : texts)
            rows.back().push_back({cell.text, cell.strong ? Tone::kStrong : Tone::kPlain});
    }
    report.table(table.columns, std::move(rows));
    report.list(table.notes);
}

void add_figures(ReportDocument& report, const Study& plan, const StudySnapshot& study) {
    if (plan.figures.empty()) return;
    report.heading("Figures");
    for (const StudyFigure& figure : plan.figures) {
        const std::filesystem::path svg =
            StudyFolder{study.folder}.figures() / (figure.name + ".svg");
        std::error_code ignored;
        if (std::filesystem::exists(svg, ignored))
            report.picture(svg, figure.name);
        else
            report.text(fmt::format("{}: not drawn yet", figure.name));
    }
}

/// "3 finished, 1 diverged".
std::string states_text(const std::vector<RunPointer>& runs) {
    std::map<std::string, int> counts;
    for (const RunPointer& run : runs)
        ++counts[run->planned ? "planned" : std::string(name_of(run->status.phase))];
    std::string text;
    for (const auto& [state, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
    return text;
}

/// The runs of every variant, in the order of study.json; behind them those that it does not list,
/// by their names.
std::vector<std::pair<std::string, std::vector<RunPointer>>> variants_of(
    const Study& plan, const StudySnapshot& study) {
    std::vector<std::pair<std::string, std::vector<RunPointer>>> variants;
    for (const StudyRun& planned : plan.runs) {
        const auto known = std::find_if(variants.begin(), variants.end(),
                                        [&](const auto& v) { return v.first == planned.variant; });
        auto& runs = known == variants.end()
                         ? variants.emplace_back(planned.variant, std::vector<RunPointer>{}).second
                         : known->second;
        if (RunPointer run = study.find(planned.id)) runs.push_back(std::move(run));
    }
    for (const RunPointer& run : study.runs)
        if (std::none_of(plan.runs.begin(), plan.runs.end(),
                         [&](const StudyRun& planned) { return planned.id == run->id; }))
            variants.push_back({run->id, {run}});
    return variants;
}

void add_variants(ReportDocument& report, const Study& plan, const StudySnapshot& study) {
    report.heading("Variants");
    RunFacts facts;
    facts.set_runs(study.runs);
    constexpr std::array kCounts{"params", "kv_bytes_per_token", "flops_per_token"};
    std::vector<Cells> rows;
    for (const auto& [variant, runs] : variants_of(plan, study)) {
        Cells row{{variant}};
        row.push_back({runs.empty() ? "" : runs.front()->group});
        const auto add = [&, &its_runs = runs](const char* column) {
            row.push_back({its_runs.empty() ? "" : facts.value(*its_runs.front(), column).text});
        };
        add("model.arch");
        for (const char* count : kCounts) add(count);
        std::vector<int64_t> seeds;
        for (const RunPointer& run : runs)
            if (run->job) seeds.push_back(run->seed);  // else nobody knows it
        row.push_back({fmt::format("{}", fmt::join(seeds, ", "))});
        row.push_back({states_text(runs)});
        rows.push_back(std::move(row));
    }
    std::vector<PrintedTable::Column> heads{
        {"Id", false}, {"Name", false}, {"Architecture", false}};
    for (const char* count : kCounts)
        heads.push_back({std::string(find_exact_measure(count)->title), true});
    heads.push_back({"Seeds", false});
    heads.push_back({"Runs", false});
    report.table(std::move(heads), std::move(rows));
}

void add_environment(ReportDocument& report, const StudySnapshot& study) {
    report.heading("Environment");
    std::set<std::string> programs, imported, devices, started;
    double seconds = 0;
    int64_t tokens = 0;
    for (const RunPointer& run : study.runs) {
        const RunLogAttributes& log = run->series->attributes;
        if (!log.program.empty())
            (is_imported(RunFolder{run->folder}) ? imported : programs).insert(log.program);
        if (!log.device.empty()) devices.insert(log.device);
        if (!log.started.empty()) started.insert(log.started);
        seconds += run->status.seconds;
        if (!run->series->train.tokens.empty()) tokens += run->series->train.tokens.back();
    }
    const auto joined = [](const std::set<std::string>& words) {
        return fmt::format("{}", fmt::join(words, "; "));
    };
    std::vector<std::string> lines;
    if (!programs.empty()) lines.push_back("Trained by " + joined(programs));
    if (!imported.empty()) lines.push_back("Logs " + joined(imported));
    if (!devices.empty()) lines.push_back("On " + joined(devices));
    lines.push_back(fmt::format("{} of training, {} tokens", format_duration(seconds),
                                format_count(static_cast<double>(tokens))));
    if (!started.empty())
        lines.push_back(
            fmt::format("Begun between {} and {}", *started.begin(), *started.rbegin()));
    lines.push_back("Report by " + program_version());
    report.list(std::move(lines));
}

void add_commands(ReportDocument& report, const StudySnapshot& study,
                  const std::string& study_json) {
    report.heading("To repeat it");
    if (const std::string note = note_of_changed_runs(study.folder); !note.empty())
        report.text("Mind that " + note + ".");
    report.text("Save the study below as STUDY/study.json, and then:");
    report.code(
        "headroom study run STUDY       # trains every run, then draws the figures\n"
        "headroom study check STUDY     # the claims\n"
        "headroom figure table STUDY    # the results\n"
        "headroom study report STUDY --out report.html\n");
    report.code(study_json);
}

}  // namespace

ReportDocument report_study(const Study& plan, const StudySnapshot& study,
                            const std::string& study_json) {
    ReportDocument report;
    report.title = plan.name;
    if (!plan.description.empty()) report.text(plan.description);
    add_claims(report, answer_claims(plan, study));
    if (!study.runs.empty()) add_results(report, plan, study);
    add_figures(report, plan, study);
    add_variants(report, plan, study);
    add_environment(report, study);
    if (!plan.runs.empty()) add_commands(report, study, study_json);
    return report;
}

}  // namespace headroom
