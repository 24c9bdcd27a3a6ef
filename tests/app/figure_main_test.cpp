#include "app/figure/figure_main.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/log/run_log_writer.h"
#include "core/probe/linear_probe_file.h"
#include "core/probe/probe_file.h"
#include "core/study/import_log.h"
#include "core/study/run_folder.h"
#include "tests/support/comma_locale.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct DrawnFigure {
    int status;
    std::string out, err;
};

DrawnFigure figure(std::vector<std::string> args) {
    args.insert(args.begin(), {"headroom-studio", "figure"});
    std::vector<char*> argv;
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = figure_main(static_cast<int>(args.size()), argv.data());
    std::fflush(stdout);
    return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

void expect_one_error_line(const DrawnFigure& outcome, int status, const std::string& part) {
    EXPECT_EQ(outcome.status, status);
    EXPECT_THAT(outcome.err, StartsWith("error: "));
    EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
}

/// A study of two finished runs, one queued one, and a folder that is none.
class FigureMain : public testing::Test {
  protected:
    FigureMain() {
        write_run("baseline-s1", {4, 3, 2});
        write_run("skip-s1", {4, 2.5f, 1.5f});
        write_job(create_run_folder(study() + "/runs/queued"), "{\"name\":\"queued\"}");
    }

    std::string study() const { return folder_ / "study"; }
    std::string run(const std::string& id) const { return study() + "/runs/" + id; }
    std::string out(const std::string& name) const { return folder_ / name; }

    void write_run(const std::string& id, const std::vector<float>& losses,
                   RunState state = RunState::kFinished) {
        const std::string job = "{\"name\":\"" + id + "\",\"seed\":1,\"x\":\"" + id + "\"}";
        const RunFolder folder = create_run_folder(run(id));
        write_job(folder, job);
        RunLogWriter log = RunLogWriter::create(
            folder.log(), {job, "headroom test", "host", "cpu", "2025-01-31T12:00:00Z"});
        for (size_t i = 0; i < losses.size(); ++i) {
            const int64_t step = static_cast<int64_t>(i) + 1;
            log.append_train({.step = step, .tokens = 10 * step, .loss = losses[i]});
        }
        if (!losses.empty()) log.append_val({3, 30, losses.back() + 0.25f});
        log.set_state(state);
        log.close();
    }

    /// Linear probes of three layers at step 3.
    std::string write_probe(const std::string& id, const std::vector<double>& losses,
                            int64_t steps = 150) {
        const std::filesystem::path probes = RunFolder{run(id)}.probes();
        std::filesystem::create_directories(probes);
        const std::filesystem::path path = probes / probe_file_name("linear", 3);
        LinearProbeResult result;
        result.layers = {0, 1, 2};
        result.val_loss = result.train_loss = result.lr = losses;
        result.rates = {3e-3};
        result.all_val_loss = losses;
        result.steps = steps;
        result.slope_first = 1;
        result.slope_last = 2;
        ArrayFileWriter file(path);
        write_probe_header(file, {"linear", "", id, 3, "", {}});
        write_linear_probe(file, result);
        file.commit();
        return path.string();
    }

  private:
    TemporaryFolder folder_;
};

TEST_F(FigureMain, WritesEveryFormatOfAStudyInOneCall) {
    const std::vector<std::string> files = {out("l.pdf"), out("l.svg"), out("l.png"), out("l.csv")};
    std::vector<std::string> args = {"loss", study()};
    for (const std::string& file : files) args.insert(args.end(), {"--out", file});
    const DrawnFigure outcome = figure(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(read_text(files[0]), StartsWith("%PDF-1.4"));
    EXPECT_THAT(read_text(files[1]), HasSubstr("<svg"));
    EXPECT_THAT(read_text(files[2]), StartsWith("\x89PNG"));
    EXPECT_THAT(read_text(files[3]), HasSubstr("\nskip val,value,30,1.75,,\n"));
}

// The runs behind it were taken for more of its words.
TEST_F(FigureMain, RunsMayStandBehindTheSeriesThatAreDrawn) {
    const DrawnFigure outcome = figure(
        {"loss", "--series", "val", run("baseline-s1"), run("skip-s1"), "--out", out("v.csv")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(read_text(out("v.csv")), HasSubstr("\nskip,value,30,1.75,,\n"));
}

// In a program of its own: Qt looks at the locale once.
TEST_F(FigureMain, DecimalsHaveAPointUnderALocaleWithCommas) {
    const CommaLocale comma;
    if (!comma.made()) GTEST_SKIP() << "localedef makes no de_DE here";
    write_plainly(study() + "/study.json", R"({"schema": "headroom-study/1", "name": "one",
        "job": {"model": {"preset": "tiny"}, "train": {"steps": 3}},
        "runs": [{"id": "baseline-s1"}],
        "figures": [{"name": "val", "recipe": "loss",
                     "options": {"series": "val", "smooth": 0.5}},
                    {"name": "train", "recipe": "loss"}]})");
    const pid_t drawing = start_program(
        built_program("headroom-studio"),
        {"figure", "panels", study(), "val", "train", "--out", out("p.csv")}, out("log"));
    EXPECT_EQ(wait_for_child(drawing), 0) << read_text(out("log"));
    EXPECT_THAT(read_text(out("p.csv")), HasSubstr("value,30,"));
}

TEST_F(FigureMain, PutsFiguresOfAStudyOnOnePage) {
    write_plainly(study() + "/study.json", R"({"schema": "headroom-study/1", "name": "two",
        "job": {"model": {"preset": "tiny"}, "train": {"steps": 3}}, "seeds": [1, 2],
        "runs": [{"id": "baseline"}, {"id": "skip", "job": {"model": {"arch": "skipv1"}}}],
        "figures": [{"name": "val", "recipe": "loss", "runs": ["baseline-s1", "skip-s1"],
                     "options": {"series": "val", "width": 9}},
                    {"name": "later", "recipe": "loss", "runs": ["skip-s2"]},
                    {"name": "train", "recipe": "loss", "options": {"series": "train"}}]})");
    const std::vector<std::string> files = {out("p.pdf"), out("p.svg"), out("p.png"), out("p.csv")};
    std::vector<std::string> args = {"panels", study(), "train", "val", "--width", "6", "--json"};
    for (const std::string& file : files) args.insert(args.end(), {"--out", file});
    const DrawnFigure outcome = figure(args);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report["width_in"], 6);
    for (const auto& panel : report["panels"]) EXPECT_NEAR(panel["width_in"], 2.9375, 1e-9);
    EXPECT_THAT(read_text(files[0]), HasSubstr("/MediaBox [0 0 432"));  // 6 inches of 72 points
    for (const char* letter : {">(a)<", ">(b)<"})
        EXPECT_THAT(read_text(files[1]), HasSubstr(letter));
    EXPECT_THAT(read_text(files[2]), StartsWith("\x89PNG"));
    const std::string csv = read_text(files[3]);
    EXPECT_LT(csv.find("# panel (a)"), csv.find("skip"));
    EXPECT_THAT(csv.substr(csv.find("# panel (b)")), HasSubstr("value,30,1.75,,\n"));

    const auto page = [&](std::vector<std::string> names) {
        names.insert(names.begin(), {"panels", study()});
        names.insert(names.end(), {"--out", out("q.csv")});
        return figure(names);
    };
    expect_one_error_line(page({"train", "vla"}), 2, "did you mean \"val\"?");
    expect_one_error_line(page({"train", "train"}), 2, "stands there twice");
    expect_one_error_line(page({"train"}), 2, "has 1 panels");
    expect_one_error_line(page({"train", "later"}), 2, "the panel later: none of its runs");
    expect_one_error_line(page({"train", "val", "--width", "1.5"}), 2, "the panel train: --width");
}

TEST_F(FigureMain, JsonSaysWhatWasDrawn) {
    const DrawnFigure outcome =
        figure({"loss", run("baseline-s1"), run("skip-s1"), "--x", "steps", "--series", "val",
                "--relative-to", "baseline", "--unit", "percent", "--json", "--out", out("l.csv")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report["recipe"], "loss");
    ASSERT_EQ(report["curves"].size(), 1u);
    EXPECT_EQ(report["curves"][0]["name"], "skip");
    EXPECT_EQ(report["curves"][0]["last_step"], 3);
    EXPECT_NEAR(report["curves"][0]["last_value"].get<double>(), 100 * (1.75 / 2.25 - 1), 1e-9);
    EXPECT_THAT(read_text(out("l.csv")), HasSubstr("series,role,step,loss_percent,"));
}

TEST_F(FigureMain, ARunNamedTwiceIsDrawnOnce) {
    const DrawnFigure outcome = figure({"loss", study(), run("skip-s1") + "/", "--series", "train",
                                        "--json", "--out", out("l.csv")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["curves"].size(), 2u);
}

TEST_F(FigureMain, MistakesAreNamedInOneLine) {
    const std::string csv = out("l.csv");
    expect_one_error_line(figure({"los", study(), "--out", csv}), 2, "did you mean \"loss\"?");
    expect_one_error_line(figure({"loss", study()}), 2, "--out");
    expect_one_error_line(figure({"loss", study() + "x", "--out", csv}), 2, "does not exist");
    expect_one_error_line(figure({"loss", run("queued"), "--out", csv}), 2, "has no log.h5 yet");
    expect_one_error_line(figure({"loss", study(), "--out", out("l.jpg")}), 2, ".pdf, .svg");
    expect_one_error_line(figure({"loss", study(), "--out", csv, "--x", "step"}), 2,
                          "did you mean \"steps\"?");
    expect_one_error_line(figure({"loss", study(), "--out", csv, "--series", "trian"}), 2,
                          "did you mean \"train\"?");
    expect_one_error_line(figure({"loss", study(), "--out", csv, "--relative-to", "skp-s1"}), 2,
                          "did you mean \"skip-s1\"?");
    expect_one_error_line(figure({"loss", study(), "--out", csv, "--smooth", "1"}), 2, "--smooth");
    expect_one_error_line(figure({"loss", study(), "--out", csv, "--width", "0.1"}), 2, "--width");
    expect_one_error_line(figure({"loss", study(), "--out", csv, "--theme", "blue"}), 2, "--theme");
    expect_one_error_line(figure({"loss", study(), "--out", csv, "--band", "t90"}), 2, "t95");
    const auto profile = [&](const char* what, const char* option, const char* value) {
        return figure({"profile", study(), "--what", what, option, value, "--out", csv});
    };
    expect_one_error_line(profile("entropy", "--tensor", "key"), 2, "--tensor does not go with");
    expect_one_error_line(profile("lens_loss", "--heads", "max"), 2, "--heads does not go with");
}

TEST_F(FigureMain, DrawsLinearProbesOfRunsAndFiles) {
    const std::string csv = out("p.csv"), base = write_probe("baseline-s1", {4, 3, 2.5});
    expect_one_error_line(figure({"probe", study(), "--out", csv}), 2,
                          "headroom probe linear " + run("skip-s1"));
    const std::string skip = write_probe("skip-s1", {4, 2.75, 2});
    const DrawnFigure outcome = figure({"probe", study(), "--json", "--out", csv});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const nlohmann::json lines = nlohmann::json::parse(outcome.out).at("lines");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0]["name"], "baseline");
    EXPECT_EQ(lines[0]["slope"], -0.5);
    EXPECT_EQ(lines[1]["slope"], -0.75);
    EXPECT_THAT(read_text(csv), HasSubstr("\nskip,fit,2,2,,\n"));
    EXPECT_EQ(figure({"probe", base, skip, "--out", csv}).status, 0);
    EXPECT_THAT(read_text(csv), HasSubstr("\nskip-s1,value,1,2.75,,\n"));
    expect_one_error_line(figure({"probe", study(), "--step", "9", "--out", csv}), 2,
                          "has no linear probe of step 9");
    expect_one_error_line(figure({"probe", csv, "--out", out("q.csv")}), 2, "p.csv");
    expect_one_error_line(figure({"probe", base, "--fit", "2,1", "--out", csv}), 2, "--fit 2,1");
}

// Lines of probes that were trained for longer lie lower, whatever the models are.
TEST_F(FigureMain, SaysWhichLinearProbesWereTrainedOtherwise) {
    const std::string csv = out("p.csv");
    write_probe("baseline-s1", {4, 3, 2.5});
    const std::string skip = write_probe("skip-s1", {4, 2.75, 2});
    ASSERT_EQ(figure({"probe", study(), "--out", csv}).status, 0);
    EXPECT_THAT(read_text(csv), testing::Not(HasSubstr("trained alike")));
    std::filesystem::remove(skip);
    write_probe("skip-s1", {4, 2.75, 2}, 30);
    ASSERT_EQ(figure({"probe", study(), "--out", csv}).status, 0);
    EXPECT_THAT(read_text(csv), HasSubstr("probes not trained alike: baseline (150 steps at lr "
                                          "0.003); skip (30 steps at lr 0.003)"));
}

TEST_F(FigureMain, SaysWhichCurvesACutOfTheAxesHides) {
    const std::string csv = out("cut.csv");
    const std::vector<std::string> cut{"loss", study(), "--series", "train",    "--smooth",
                                       "0",    "--out", csv,        "--y-range"};
    auto drawn = [&](const std::string& range) {
        std::vector<std::string> args = cut;
        args.insert(args.end(), {range, "--json"});
        const DrawnFigure outcome = figure(args);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    };
    EXPECT_THAT(drawn("1.4:1.6"), HasSubstr("outside these axes: baseline"));
    EXPECT_THAT(drawn("1:5"), testing::Not(HasSubstr("outside these axes")));
    std::vector<std::string> wrong = cut;
    wrong.emplace_back("5:1");
    expect_one_error_line(figure(wrong), 2, "--y-range 5:1 is no range of an axis");
}

// One run that diverged, and never will be probed, took the figure from all others.
TEST_F(FigureMain, LeavesOutRunsOfAStudyThatNeverCameToTheirProbe) {
    const std::string csv = out("p.csv");
    write_probe("baseline-s1", {4, 3, 2.5});
    write_probe("skip-s1", {4, 2.75, 2});
    write_run("wild", {4, 300}, RunState::kDiverged);
    const DrawnFigure outcome = figure({"probe", study(), "--json", "--out", csv});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report.at("lines").size(), 2u);
    EXPECT_EQ(report.at("left_out"), nlohmann::json({"wild"}));
    EXPECT_THAT(read_text(csv), HasSubstr("left out, as not probed: wild"));
    expect_one_error_line(figure({"probe", study(), run("wild"), "--out", csv}), 2,
                          "wild has no linear probe");
}

TEST_F(FigureMain, DrawsAPresetInEveryFormat) {
    const std::vector<std::string> files = {out("a.pdf"), out("a.svg"), out("a.png"), out("a.csv")};
    std::vector<std::string> args = {"architecture",      "--preset", "gpt2-124m", "--set",
                                     "model.arch=skipv1", "--width",  "3.3"};
    for (const std::string& file : files) args.insert(args.end(), {"--out", file});
    const DrawnFigure outcome = figure(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(read_text(files[0]), StartsWith("%PDF"));
    EXPECT_THAT(read_text(files[1]), HasSubstr("Causal attention"));
    EXPECT_THAT(read_text(files[2]), StartsWith("\x89PNG"));
    EXPECT_THAT(read_text(files[3]), HasSubstr("h.11.attn.v.weight,768x384,294912"));
}

TEST_F(FigureMain, DrawsTheWiringOfAPreset) {
    const std::string csv = out("wiring.csv"), svg = out("wiring.svg");
    const DrawnFigure outcome =
        figure({"wiring", "--preset", "tiny", "--set", "model.arch=skipv1", "--table", "values",
                "--color", "owner", "--width", "3.25", "--out", csv, "--out", svg, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NEAR(nlohmann::json::parse(outcome.out)["width_in"], 3.25, 1e-9);
    EXPECT_THAT(read_text(csv), HasSubstr("\nvalues,2,5,0,5,1,0\n"));
    EXPECT_THAT(read_text(svg), HasSubstr("Values by head"));
    EXPECT_THAT(read_text(svg), Not(HasSubstr("Keys by head")));
    expect_one_error_line(figure({"wiring", "--preset", "tiny", "--preset", "demo", "--out", csv}),
                          2, "one model");
    expect_one_error_line(figure({"wiring", "--preset", "tiny", "--color", "red", "--out", csv}), 2,
                          "--color");
}

TEST_F(FigureMain, DrawsTheDifferentModelsOfAStudyOnce) {
    const std::string job = R"({"name":"m","model":{"preset":"demo"}})";
    for (const char* id : {"m-s1", "m-s2"}) write_job(create_run_folder(run(id)), job);
    write_job(create_run_folder(run("q-s1")),
              R"({"name":"q","model":{"preset":"demo","arch":"wq_identity"}})");
    const DrawnFigure outcome = figure({"architecture", run("m-s1"), run("m-s2"), run("q-s1") + "/",
                                        "--mark-differences", "--json", "--out", out("a.csv")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto models = nlohmann::json::parse(outcome.out)["models"];
    ASSERT_EQ(models.size(), 2u);
    EXPECT_EQ(models[0]["name"], "m");
    EXPECT_EQ(models[1]["name"], "q");
}

TEST_F(FigureMain, MistakesAboutModelsAreNamedInOneLine) {
    const std::string csv = out("a.csv");
    expect_one_error_line(figure({"architecture", "--out", csv}), 2, "--preset NAME");
    expect_one_error_line(figure({"architecture", "--preset", "tinny", "--out", csv}), 2, "tiny");
    expect_one_error_line(figure({"architecture", out("none"), "--out", csv}), 2, "no folder");
    expect_one_error_line(
        figure({"architecture", "--preset", "tiny", "--layer", "6", "--out", csv}), 2, "0 to 5");
    expect_one_error_line(
        figure({"architecture", "--preset", "tiny", "--mark-differences", "--out", csv}), 2,
        "two different models");
    expect_one_error_line(figure({"architecture", "--preset", "tiny", "--preset", "demo", "--width",
                                  "1", "--out", csv}),
                          2, "larger --width");
}

TEST_F(FigureMain, DrawsWhereMemoryGoesInEveryFormat) {
    const std::vector<std::string> files = {out("m.pdf"), out("m.svg"), out("m.png"), out("m.csv")};
    std::vector<std::string> args = {"memory",  "llama-60m", "--arch", "llama,skipv1",
                                     "--batch", "2",         "--plot", "breakdown"};
    for (const std::string& file : files) args.insert(args.end(), {"--out", file});
    const DrawnFigure outcome = figure(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(read_text(files[0]), StartsWith("%PDF"));
    EXPECT_THAT(read_text(files[1]), HasSubstr("workspace, inputs, results"));
    EXPECT_THAT(read_text(files[2]), StartsWith("\x89PNG"));
    EXPECT_THAT(read_text(files[3]), HasSubstr("\nKV cache,bar,llama-60m skipv1,"));
}

TEST_F(FigureMain, DrawsTheLedgerAsATreemapInEveryFormat) {
    const std::vector<std::string> files = {out("m.pdf"), out("m.svg"), out("m.png"), out("m.csv")};
    std::vector<std::string> args = {"memory",  "tiny",    "--arch",    "gpt2,skipv1",
                                     "--plot",  "treemap", "--for",     "training",
                                     "--batch", "2",       "--context", "64"};
    for (const std::string& file : files) args.insert(args.end(), {"--out", file});
    const DrawnFigure outcome = figure(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(read_text(files[0]), StartsWith("%PDF"));
    EXPECT_THAT(read_text(files[1]), HasSubstr("optimizer state"));
    EXPECT_THAT(read_text(files[2]), StartsWith("\x89PNG"));
    EXPECT_THAT(read_text(files[3]), HasSubstr("\ntiny skipv1,gradients,1,MLP,"));
    EXPECT_THAT(read_text(files[3]), HasSubstr("batch 2, 64 tokens"));
}

TEST_F(FigureMain, DrawsTheCacheOfRunsAndPresets) {
    write_job(create_run_folder(run("m-s1")), R"({"name":"m","model":{"preset":"demo-llama"}})");
    const DrawnFigure outcome = figure(
        {"memory", "llama-60m", run("m-s1"), "--context", "4096", "--json", "--out", out("m.csv")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto models = nlohmann::json::parse(outcome.out)["models"];
    ASSERT_EQ(models.size(), 2u);
    EXPECT_EQ(models[0]["cache_bytes_per_token"], 16'384);
    EXPECT_THAT(models[1]["name"], StartsWith("m"));
    EXPECT_THAT(read_text(out("m.csv")), HasSubstr("\nllama-60m,predicted,4096,64,,\n"));
}

TEST_F(FigureMain, MistakesAboutMemoryAreNamedInOneLine) {
    const auto refused = [&](std::vector<std::string> args, const std::string& part) {
        args.insert(args.begin(), "memory");
        args.insert(args.end(), {"--out", out("m.csv")});
        expect_one_error_line(figure(args), 2, part);
    };
    refused({}, "MODEL");
    refused({"llama-60n"}, "did you mean \"llama-60m\"?");
    refused({"tiny", "--plot", "pie"}, "--plot");
    refused({"tiny", "--dtype", "int32"}, "--dtype int32");
    refused({"tiny", "--plot", "breakdown", "--dtype", "f16"}, "use f32, f64 or bf16");
    refused({"tiny", "--plot", "breakdown", "--scale", "log"}, "stacked columns");
    refused({"tiny", "--for", "training"}, "--plot breakdown or --plot treemap");
    refused({"tiny", "--plot", "treemap", "--dtype", "f16"}, "use f32, f64 or bf16");
    refused({"tiny", "--scale", "log", "--context", "16"}, "give more tokens");
    refused({"tiny", "--plot", "bytes-per-token", "--context", "64"}, "bytes are per token");
    refused({"tiny", "--set", "model.causal=false"}, "nothing to draw");
    refused({study(), "--arch", "skipv1"}, "give the run's job.json");
}

TEST_F(FigureMain, ADamagedLogIsNamed) {
    write_file_atomically(run("skip-s1") + "/log.h5", "this is not HDF5");
    expect_one_error_line(figure({"loss", run("skip-s1"), "--out", out("l.csv")}), 2,
                          "skip-s1/log.h5");
}

TEST_F(FigureMain, ADamagedLogOfAStudyIsLeftOutAndTheFigureSaysSo) {
    std::filesystem::resize_file(run("skip-s1") + "/log.h5", 1000);
    const DrawnFigure drawn = figure({"loss", study(), "--json", "--out", out("f.csv")});
    ASSERT_EQ(drawn.status, 0) << drawn.err;
    EXPECT_EQ(nlohmann::json::parse(drawn.out)["left_out"], nlohmann::json({"skip-s1"}));
    EXPECT_THAT(read_text(out("f.csv")), HasSubstr("its log cannot be read: skip-s1"));
    expect_one_error_line(figure({"loss", run("skip-s1"), study(), "--out", out("f.csv")}), 2,
                          "skip-s1/log.h5 is not a readable log");
    std::filesystem::resize_file(run("baseline-s1") + "/log.h5", 1000);
    expect_one_error_line(figure({"loss", study(), "--out", out("f.csv")}), 2,
                          "is not a readable log");
}

// One imported run kept the figures of a whole study from being drawn.
TEST_F(FigureMain, AnImportedRunOfAStudyIsLeftOutWhereItDoesNotKnowTheKey) {
    for (const char* id : {"baseline-s1", "skip-s1"}) std::filesystem::remove_all(run(id));
    write_run("m-s1", {4, 3, 2});
    write_job(RunFolder{run("m-s1")}, R"({"name":"m","model":{"preset":"demo-llama"}})");
    ForeignLog log{"CSV", {}};
    for (const int step : {1, 2, 3}) log.add("val/loss", {step, 0, 2.0});
    import_log(log, {.name = "theirs", .tokens_per_step = 10}, run("a-theirs"));
    const auto left_out = [](const DrawnFigure& drawn) {
        EXPECT_EQ(drawn.status, 0) << drawn.err;
        return nlohmann::json::parse(drawn.out)["left_out"];
    };
    const nlohmann::json imported({"a-theirs"}), none = nlohmann::json::array();
    const std::string csv = out("i.csv");
    EXPECT_EQ(left_out(figure({"pareto", study(), "--json", "--out", csv})), imported);
    EXPECT_THAT(read_text(csv), HasSubstr("as imported without kv_bytes_per_token: a-theirs"));
    EXPECT_EQ(left_out(figure({"results", study(), "--x", "n_layer", "--json", "--out", csv})),
              imported);
    EXPECT_THAT(read_text(csv), HasSubstr("as imported without model.n_layer: a-theirs"));
    EXPECT_EQ(left_out(figure({"results", study(), "--x", "step", "--json", "--out", csv})), none)
        << "it knows how many steps it has made";
    EXPECT_EQ(left_out(figure({"results", study(), "--x", "n_layer", "--reference", "theirs",
                               "--json", "--out", csv})),
              none)
        << "it is named, and a rule stands nowhere on x";
    expect_one_error_line(figure({"pareto", study(), run("a-theirs"), "--out", csv}), 2,
                          "kv_bytes_per_token of a-theirs is no number: nothing is known of its "
                          "model; leave the run out, or name another --reference");
    expect_one_error_line(
        figure({"results", study(), "--x", "n_layer", "--relative-to", "theirs", "--out", csv}), 2,
        "nothing to draw: no other run has a seed of theirs; take another --relative-to, or draw "
        "the losses themselves");
    expect_one_error_line(figure({"pareto", study(), "--reference", "theirs", "--out", csv}), 2,
                          "nothing is known of its model; leave the run out, or name another "
                          "--reference");
    expect_one_error_line(
        figure({"pareto", study(), "--relative-to", "theirs", "--x", "step_seconds", "--out", csv}),
        2,
        "step_seconds of a-theirs is no number: its log has no times of steps; "
        "leave the run out, or name another --relative-to");
}

TEST_F(FigureMain, NothingToDrawIsSaid) {
    write_run("empty", {});
    expect_one_error_line(
        figure({"loss", run("empty"), "--series", "train", "--out", out("l.csv")}), 2,
        "nothing to draw: No step logged yet");
}

}  // namespace
}  // namespace headroom
