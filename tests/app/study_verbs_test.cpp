#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/study/study_expand.h"
#include "core/base/file.h"
#include "core/config/job_json.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr char kStudy[] = R"({ "schema": "headroom-study/1", "name": "seeds <of> table 5",
  "description": "Does the seed matter?",
  "job": { "model": { "preset": "demo", "vocab_size": 256 }, "train": { "steps": 4 } },
  "seeds": [42, 100, 2025],
  "runs": [ { "id": "baseline" },
            { "id": "skipv1", "job": { "name": "SkipV1Former", "model": { "arch": "skipv1" } } } ],
  "expect": [ { "claim": "skipv1 < baseline by val.loss", "says": "It is better.",
                "source": "004, table 5" },
              "skipv1 = baseline by val.loss within 0.001",
              "skipv1 / baseline = 0.8125 by kv_bytes_per_token" ] })";

/// A study whose runs came to the losses of Wu et al., table 5, given by hand.
class StudyVerbs : public testing::Test {
  protected:
    StudyVerbs() {
        write_plainly(folder_.path() / "study.json", kStudy);
        const Study study = load_study(folder_.path() / "study.json");
        expand_study(study, folder_.path(), [](const std::string&) {});
        const float losses[] = {2.723f, 2.711f, 2.753f, 2.743f, 2.744f, 2.732f};
        for (size_t i = 0; i < study.runs.size(); ++i) train(study.runs[i], losses[i]);
    }

    void train(const StudyRun& run, float loss) const {
        const RunFolder place{folder_.path() / "runs" / run.id};
        RunLogWriter log = RunLogWriter::create(
            place.log(),
            {to_json(run.job).dump(), "headroom 1", "here", "a CPU", "2026-01-01T10:00:00Z"});
        log.set_state(RunState::kRunning);
        for (int64_t step = 1; step <= 4; ++step)
            log.append_train({step, 100 * step, 3, 1e-3f, 1, static_cast<double>(step),
                              static_cast<uint64_t>(run.job.seed * 10 + step)});
        log.append_val({4, 400, loss});
        log.set_state(RunState::kFinished);
        log.close();
    }

    std::string dir() const { return folder_.path().string(); }
    std::string file(const char* name) const { return (folder_.path() / name).string(); }

    TemporaryFolder folder_;
};

TEST_F(StudyVerbs, AScaleIsOfATemplate) {
    for (const char* verb : {"run", "predict"})
        expect_one_error_line(headroom({"study", verb, dir(), "--scale", "gpu"}), 2,
                              "--scale requires --from");
}

TEST_F(StudyVerbs, ANumberThatIsNoneIsRefusedInWords) {
    const std::vector<std::string> compare{"study", "compare", dir(), "--baseline", "baseline"};
    for (const auto& [at, part] : {std::pair("0", "compare later, with a greater --at"),
                                   std::pair("-1", "--at: -1 is not 0 or more; see headroom"),
                                   std::pair("soon", "--at: soon is no number")}) {
        std::vector<std::string> args = compare;
        args.insert(args.end(), {"--at", at});
        expect_one_error_line(headroom(args), 2, part);
    }
}

TEST_F(StudyVerbs, CheckAnswersEveryClaim) {
    const Outcome table = headroom({"study", "check", dir()});
    ASSERT_EQ(table.status, 0) << table.err;
    EXPECT_THAT(table.out, HasSubstr("skipv1 < baseline by val.loss: held\n  It is better. (004, "
                                     "table 5)"));
    EXPECT_THAT(table.out, HasSubstr("2 held, 1 did not hold, 0 not decided"));
    const Outcome document = headroom({"study", "check", dir(), "--json"});
    const json claims = json::parse(document.out);
    EXPECT_EQ(claims.at("held"), 2);
    const json& step = claims.at("claims").at(0).at("steps").at(0);
    EXPECT_NEAR(step.at("estimate"), -0.0113333, 1e-6);
    EXPECT_NEAR(step.at("p"), 0.0034423, 1e-6);
    EXPECT_EQ(step.at("seeds_needed"), 3);
    EXPECT_EQ(claims.at("claims").at(1).at("verdict"), "did not hold");
    EXPECT_EQ(claims.at("claims").at(2).at("steps").at(0).at("p"), nullptr);
}

TEST_F(StudyVerbs, CheckNeedsClaims) {
    json document = json::parse(kStudy);
    document.erase("expect");
    write_plainly(file("study.json"), document.dump());
    const Outcome refused = headroom({"study", "check", dir()});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("expects nothing; write claims under \"expect\""));
}

TEST_F(StudyVerbs, TableIsWrittenInThreeFormats) {
    const Outcome written = headroom({"figure", "table", dir(), "--out", file("t.md"), "--out",
                                      file("t.tex"), "--out", file("t.csv")});
    ASSERT_EQ(written.status, 0) << written.err;
    EXPECT_THAT(read_text(file("t.md")),
                HasSubstr("| SkipV1Former | 3 | 812,160 | 1,664 | **2.7287 ± 0.0163** | −0.0113 "
                          "[−0.0142, −0.0085] | 0.0034 |"));
    EXPECT_THAT(read_text(file("t.md")), HasSubstr("| 2.7400 ± 0.0154 | baseline |"));
    EXPECT_THAT(read_text(file("t.tex")), HasSubstr("\\toprule"));
    EXPECT_THAT(read_text(file("t.csv")), HasSubstr("variant,baseline,params,"));
    const Outcome printed = headroom({"figure", "table", dir(), "--measures", "perplexity"});
    EXPECT_THAT(printed.out, HasSubstr("| Variant | n | Perplexity |"));
    EXPECT_EQ(headroom({"figure", "table", dir(), "--out", file("t.docx")}).status, 2);
    expect_one_error_line(headroom({"figure", "table", dir(), "--csv"}), 2, "--csv");
    expect_one_error_line(headroom({"figure", "table", dir(), dir()}), 2, dir());
    EXPECT_THAT(headroom({"figure", "table", "--help"}).out, HasSubstr("--measures"));
}

TEST_F(StudyVerbs, ReportIsOneFile) {
    const Outcome written =
        headroom({"study", "report", dir(), "--out", file("report.html"), "--keep-figures"});
    ASSERT_EQ(written.status, 0) << written.err;
    const std::string html = read_text(file("report.html"));
    for (const char* part :
         {"<h1>seeds &lt;of&gt; table 5</h1>", "Does the seed matter?", "<h2>Claims</h2>",
          "It is better.", "<td class=\"good\">held</td>", "<td class=\"bad\">did not hold</td>",
          "<strong>2.7287 ± 0.0163</strong>", "42, 100, 2025", "3 finished", "On a CPU",
          "headroom study run STUDY", "&quot;schema&quot;: &quot;headroom-study/1&quot;"})
        EXPECT_THAT(html, HasSubstr(part));
    EXPECT_THAT(html, Not(HasSubstr("http:"))) << "nothing is fetched";
    EXPECT_THAT(html, Not(HasSubstr("https:")));
    ASSERT_EQ(headroom({"study", "report", dir(), "--out", file("r.md"), "--keep-figures"}).status,
              0);
    EXPECT_THAT(read_text(file("r.md")), HasSubstr("# seeds \\<of> table 5"));
    EXPECT_EQ(headroom({"study", "report", dir(), "--out", file("r.pdf")}).status, 2);
}

// "Trained by imported from CSV", on "-", to be repeated by a command that trains nothing.
TEST_F(StudyVerbs, AReportOfImportedRunsPromisesNothing) {
    write_plainly(file("a.csv"), "step,train/loss,val/loss\n1,5,4\n2,4,3\n");
    ASSERT_EQ(headroom({"log", "import", file("a.csv"), "--study", file("logs"),
                        "--tokens-per-step", "10"})
                  .status,
              0);
    const Outcome written =
        headroom({"study", "report", file("logs"), "--out", file("i.md"), "--keep-figures"});
    ASSERT_EQ(written.status, 0) << written.err;
    const std::string text = read_text(file("i.md"));
    EXPECT_THAT(text, HasSubstr("Logs imported from CSV"));
    EXPECT_THAT(text, HasSubstr("| a | a |")) << "the table of variants";
    for (const char* none : {"Trained by", "On -", "study run"})
        EXPECT_THAT(text, Not(HasSubstr(none)));
}

TEST_F(StudyVerbs, WhatIsRemovedIsListedNowhereAndComesBack) {
    const std::string plan = read_text(file("study.json"));
    const Outcome gone = headroom({"study", "remove", dir(), "skipv1-s100"});
    ASSERT_EQ(gone.status, 0) << gone.err;
    EXPECT_THAT(headroom({"study", "runs", dir(), "--csv"}).out, Not(HasSubstr("skipv1-s100")));
    EXPECT_THAT(headroom({"study", "status", dir()}).out, Not(HasSubstr("skipv1-s100")));
    const json trash = json::parse(headroom({"study", "trash", dir(), "--json"}).out).at("trash");
    ASSERT_EQ(trash.size(), 1u);
    EXPECT_EQ(trash[0].at("runs"), json({"skipv1-s100"}));
    EXPECT_THAT(headroom({"study", "trash", dir()}).out, HasSubstr("skipv1-s100"));
    const std::string name = trash[0].at("name");
    ASSERT_EQ(headroom({"study", "trash", dir(), "--restore", name}).status, 0);
    EXPECT_EQ(read_text(file("study.json")), plan);
    EXPECT_THAT(headroom({"study", "runs", dir(), "--csv"}).out, HasSubstr("skipv1-s100"));
    expect_one_error_line(headroom({"study", "trash", dir(), "--delete", name}), 2, "has no");
    expect_one_error_line(headroom({"study", "remove", dir(), "skipv1-s100", "skipv1-s10"}), 2,
                          "has no run skipv1-s10");
    EXPECT_THAT(headroom({"study", "runs", dir(), "--csv"}).out, HasSubstr("skipv1-s100"));
}

/// One command from a template to the answers; the second time there is nothing to make.
TEST(StudyRunFromATemplate, MakesTrainsAndAnswers) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "quick");
    write_plainly(folder / "quick/study.json", R"({"schema": "headroom-study/1", "name": "quick",
        "job": {"model": {"preset": "demo", "n_layer": 2, "n_head": 2, "d_model": 16},
                "data": {"train": "task:grammar"},
                "train": {"steps": 3, "batch_size": 2, "seq_len": 16, "eval_every": 3},
                "probes": [{"kind": "eval", "tasks": "grammar_agreement; grammar_recall",
                            "limit": 4}]},
        "seeds": [1, 2], "measures": ["val.loss", "scalars/average.acc"],
        "runs": [{"id": "a"}, {"id": "b", "job": {"model": {"arch": "skipv1"}}}],
        "expect": [{"claim": "b > a by scalars/average.acc", "says": "It knows more."}]})");
    const std::string study = (folder / "study").string();
    const std::vector<std::string> command{
        "study", "run", study, "--from", (folder / "quick").string(), "--slots", "2"};
    const Outcome first = headroom(command);
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_THAT(first.out, HasSubstr("It knows more."));
    EXPECT_THAT(first.err, Not(HasSubstr("going on")));
    const Outcome again = headroom(command);
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(again.err, HasSubstr("is there already; going on with it"));
    EXPECT_THAT(again.err, Not(HasSubstr("differs")));
    expect_one_error_line(headroom({"study", "run", study, "--from", "000-table2"}), 2,
                          "holds another study, \"quick\"");
    write_plainly(folder / "study/study.json", read_text(folder / "study/study.json") + "\n");
    EXPECT_THAT(headroom(command).err, HasSubstr("differs from the template's"));
    const Outcome table = headroom({"figure", "table", study});
    ASSERT_EQ(table.status, 0) << table.err;
    EXPECT_THAT(table.out, HasSubstr("| Validation loss | Difference [95 %] | p (Holm) | "
                                     "average.acc | Difference [95 %] | p (Holm) |"));
    EXPECT_THAT(headroom({"study", "run", study, "--from", "000-table9"}).err,
                HasSubstr("000-table2"));
}

}  // namespace
}  // namespace headroom
