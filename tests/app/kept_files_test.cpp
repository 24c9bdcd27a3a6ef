#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/build_info.h"
#include "core/base/file.h"
#include "core/probe/attention_record.h"
#include "core/study/study_labels.h"
#include "datasets/evaluations/scores_file.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// The versions whose files are kept.
std::vector<std::string> kept_versions() {
    std::vector<std::string> versions;
    for (const auto& entry : fs::directory_iterator(source_tree() / "tests/kept"))
        versions.push_back(entry.path().filename().string());
    return versions;
}

/// A copy of a version's study that may be changed.
class KeptFiles : public testing::TestWithParam<std::string> {
  protected:
    KeptFiles() {
        fs::copy(source_tree() / "tests/kept" / GetParam(), study_, fs::copy_options::recursive);
    }
    fs::path run() const { return study_ / "runs/baseline"; }
    fs::path checkpoint() const { return run() / "checkpoints/step-00000006.safetensors"; }

    /// What a command prints as JSON; it must succeed.
    static json printed(const std::vector<std::string>& args) {
        const Outcome outcome = headroom(args);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return json::parse(outcome.out);
    }
    std::vector<double> losses() const {
        const json dump =
            printed({"log", "dump", run().string(), "--series", "train/loss", "--json"});
        return dump.at("series").at("train/loss").get<std::vector<double>>();
    }

    std::string file(const std::string& name) const { return (place_ / name).string(); }

  private:
    TemporaryFolder place_;

  protected:
    fs::path study_ = place_ / "study";
};

TEST_P(KeptFiles, StudyAndLabelsOpen) {
    const json status = printed({"study", "status", study_.string(), "--json"});
    ASSERT_EQ(status.at("runs").size(), 1u);
    EXPECT_EQ(status.at("runs")[0].at("state"), "finished");
    EXPECT_EQ(status.at("runs")[0].at("step"), 6);
    const StudyLabels labels = read_labels(study_);
    EXPECT_EQ(labels.runs.at("baseline").note, "as 0.1.0 wrote it");
}

TEST_P(KeptFiles, LogHasItsLosses) {
    const std::vector<double> all = losses();
    ASSERT_EQ(all.size(), 6u);
    EXPECT_FLOAT_EQ(all.front(), 3.4490845F);
    EXPECT_FLOAT_EQ(all.back(), 3.4916387F);
}

/// As programs outside write it (the contract of `headroom log`), and as people do.
TEST_P(KeptFiles, LogGoesOutAndComesBackIn) {
    const std::string csv = file("log.csv");
    ASSERT_EQ(headroom({"log", "export", run().string(), "--format", "csv", "--out", csv}).status,
              0);
    const std::string text = read_text(csv);
    EXPECT_TRUE(text.starts_with("train/step,train/tokens,train/loss,")) << text.substr(0, 80);
    const std::string board = file("board");
    ASSERT_EQ(headroom({"log", "export", run().string(), "--out", board}).status, 0);
    const Outcome imported = headroom({"log", "import", "--from", board, "--out", study_.string(),
                                       "--run", "back", "--tokens-per-step", "1"});
    ASSERT_EQ(imported.status, 0) << imported.err;
    EXPECT_TRUE(fs::exists(study_ / "runs/back/log.h5"));

    ASSERT_EQ(headroom({"log", "import", "--from", csv, "--out", study_.string()}).status, 0);
    const auto of = [&](const std::string& id, const std::string& series) {
        return headroom(
                   {"log", "dump", (study_ / "runs" / id).string(), "--series", series, "--csv"})
            .out;
    };
    for (const char* series : {"train/loss", "train/lr", "train/tokens", "train/seconds"})
        EXPECT_EQ(of("log", series), of(run().filename().string(), series)) << series;

    const std::string fresh = file("fresh");
    EXPECT_EQ(headroom({"log", "import", "--from", board + "-not", "--out", fresh}).status, 2);
    EXPECT_FALSE(fs::exists(fresh));
    ASSERT_EQ(headroom({"log", "import", "--from", board, "--out", fresh, "--run", "one"}).status,
              0);
    ASSERT_EQ(headroom({"log", "import", "--from", board, "--out", fresh, "--run", "two"}).status,
              0);
    EXPECT_EQ(printed({"study", "status", fresh, "--json"}).at("runs").size(), 2u);
    expect_one_error_line(headroom({"log", "import", "--from", board, "--out", board}), 2,
                          "is no study");
}

TEST_P(KeptFiles, CheckpointComputes) {
    const json counts = printed({"describe", "--checkpoint", checkpoint().string(), "--json"});
    EXPECT_EQ(counts.at("layers").size(), 2u);
    const Outcome outcome = headroom({"logits", "--checkpoint", checkpoint().string(), "--tokens",
                                      "1,2,3", "--out", (study_ / "logits.safetensors").string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_P(KeptFiles, TrainingGoesOnFromWhereItStopped) {
    const Outcome outcome = headroom({"train", "--job", (run() / "job.json").string(), "--out",
                                      run().string(), "--resume", "--set", "train.steps=8", "--set",
                                      "train.decay_steps=6", "--device", "cpu"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::vector<double> all = losses();
    ASSERT_EQ(all.size(), 8u);
    EXPECT_FLOAT_EQ(all[5], 3.4916387F);
}

TEST_P(KeptFiles, ProbesOpen) {
    const AttentionRecord record(run() / "probes/attention-step-00000006.h5");
    EXPECT_EQ(record.n_layer(), 2);
    EXPECT_EQ(record.n_head(), 2);
    EXPECT_EQ(record.header().step, 6);
    EXPECT_EQ(ArrayFile(run() / "probes/similarity-step-00000006.h5").attribute("kind"),
              "similarity");
}

TEST_P(KeptFiles, ScoresAreComparedWithNewOnes) {
    const EvaluationScores kept = read_scores(study_ / "scores.h5");
    ASSERT_EQ(kept.tasks.size(), 1u);
    EXPECT_EQ(kept.step, 30);
    EXPECT_EQ(kept.tokenizer, "byte");
    EXPECT_NEAR(kept.tasks[0].items[1].log_probabilities[0], -7.100532856205475, 1e-12);
    const fs::path model = study_ / "model.safetensors";
    write_random_checkpoint(model, {{"vocab_size", 256}});
    const json now = printed({"eval", "--checkpoint", model.string(), "--task",
                              "piqa:" + (study_ / "piqa.jsonl").string(), "--against",
                              (study_ / "scores.h5").string(), "--json"});
    EXPECT_EQ(now.at("items"), 2);
    EXPECT_TRUE(now.at("against").at("mcnemar_p").is_number());
}

TEST_P(KeptFiles, TokensOpenWithTheirManifest) {
    const std::string tokens = "tokens:" + (study_ / "tokens/text.bin").string();
    const Outcome outcome = headroom(
        {"data", "inspect", tokens, "--val", tokens, "--seq-len", "8", "--batch-size", "1"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("27"));
    EXPECT_THAT(outcome.out, HasSubstr("byte"));
}

INSTANTIATE_TEST_SUITE_P(Versions, KeptFiles, testing::ValuesIn(kept_versions()),
                         [](const auto& version) {
                             return "V" + std::regex_replace(version.param, std::regex("\\."), "_");
                         });

/// Every "headroom-NAME/N" in a text, as NAME and the largest N.
void add_schemas(const std::string& text, std::map<std::string, int>& newest) {
    const std::regex schema("headroom-([a-z]+)/([0-9]+)");
    for (std::sregex_iterator at(text.begin(), text.end(), schema), end; at != end; ++at)
        newest[(*at)[1]] = std::max(newest[(*at)[1]], std::stoi((*at)[2]));
}

TEST(FormatsPage, ListsEverySchemaAndFilesOfEachAreKept) {
    std::map<std::string, int> written;
    for (const char* room : {"core", "app", "datasets", "panels"})
        for (const auto& entry : fs::recursive_directory_iterator(source_tree() / room))
            if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
                add_schemas(read_text(entry.path()), written);
    ASSERT_GE(written.size(), 6u);
    const std::string page = read_text(source_tree() / "core/FORMATS.md");
    std::string kept;
    for (const auto& entry : fs::recursive_directory_iterator(source_tree() / "tests/kept"))
        if (entry.is_regular_file()) kept += read_text(entry.path());
    for (const auto& [name, newest] : written) {
        EXPECT_THAT(page, HasSubstr("`headroom-" + name + "/" + std::to_string(newest) + "`"));
        for (int version = 1; version <= newest; ++version)
            EXPECT_NE(kept.find("headroom-" + name + "/" + std::to_string(version)),
                      std::string::npos)
                << name << " " << version << ": keep a file of it in tests/kept";
    }
}

TEST(FormatsPage, GoesWithTheVersionOfTheProgram) {
    const std::string version = version_number();
    EXPECT_TRUE(fs::exists(source_tree() / "tests/kept" / version));
    EXPECT_THAT(read_text(source_tree() / "CITATION.cff"),
                HasSubstr("\nversion: " + version + "\n"));
    EXPECT_THAT(read_text(source_tree() / "CHANGELOG.md"), HasSubstr("\n## " + version + ","));
    EXPECT_THAT(read_text(source_tree() / "resources/package/org.headroom.Studio.metainfo.xml"),
                HasSubstr("<release version=\"" + version + "\""));
}

}  // namespace
}  // namespace headroom
