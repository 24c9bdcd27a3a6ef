#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/checkpoint/safetensors.h"
#include "core/study/study.h"
#include "core/surgery/surgery.h"
#include "tests/support/command.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;

class SurgeryCommand : public testing::Test {
  protected:
    void write(const json& keys) { write_random_checkpoint(source_, keys); }

    json plan() const {
        const Outcome outcome = headroom({"surgery", "plan", "--checkpoint", source_, "--json"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return json::parse(outcome.out).at("transforms");
    }
    Outcome apply(std::vector<std::string> more) const {
        more.insert(more.begin(),
                    {"surgery", "apply", "--checkpoint", source_, "--out", out_, "--transform"});
        return headroom(more);
    }
    std::vector<double> logits(const std::string& checkpoint, const char* dtype) const {
        const std::string file = folder_ / "logits.safetensors";
        EXPECT_EQ(headroom({"logits", "--checkpoint", checkpoint, "--tokens", "1,7,299,4,7",
                            "--dtype", dtype, "--out", file})
                      .status,
                  0);
        return SafetensorsFile::open(file).read_as<double>("logits");
    }

    TemporaryFolder folder_;
    std::string source_ = folder_ / "source.safetensors", out_ = folder_ / "out.safetensors";
    std::string report_ = folder_ / "report.json";
};

TEST_F(SurgeryCommand, PlanAgreesWithWhatApplyDoes) {
    for (const json& keys : {json{{"arch", "skipless"}, {"pos", "rope"}}, json{{"arch", "no_norm"}},
                             json{{"arch", "parallel"}, {"tie", false}}, json::object()}) {
        write(keys);
        const json rows = plan();
        EXPECT_GT(rows.size(), 20u);
        for (const json& row : rows) {
            SCOPED_TRACE(row.dump());
            std::vector<std::string> words{row.at("name")};
            if (!row.at("matrix").is_null()) {
                words.push_back("--matrix");
                words.push_back(row.at("matrix"));
            }
            if (!row.at("layer").is_null()) {
                words.push_back("--layer");
                words.push_back(std::to_string(row.at("layer").get<int>()));
            }
            if (!row.at("exact").get<bool>()) words.insert(words.end(), {"--tokens", "1,2,3"});
            words.push_back("--json");
            const Outcome outcome = apply(words);
            EXPECT_EQ(outcome.status, row.at("applies").get<bool>() ? 0 : 2) << outcome.err;
            if (!row.at("applies").get<bool>()) {
                EXPECT_NE(row.at("reason"), "");
                continue;
            }
            const json report = json::parse(outcome.out);
            EXPECT_EQ(row.at("reason"), "");
            EXPECT_EQ(report.at("weights_removed"), row.at("weights_removed"));
        }
    }
}

TEST_F(SurgeryCommand, ReportsTheDifferencesThatTheWrittenFileHas) {
    write({{"arch", "skipless"}, {"mlp", "swiglu"}});
    const Outcome outcome =
        apply({"remove-with-output", "--tokens", "1,7,299,4,7", "--report", report_});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json report = json::parse(read_text(report_));
    for (const auto& [name, dtype] : {std::pair{"float64", "f64"}, {"float32", "f32"}}) {
        const std::vector<double> a = logits(source_, dtype), b = logits(out_, dtype);
        double greatest = 0, mean = 0, square = 0;
        for (size_t i = 0; i < a.size(); ++i) {
            greatest = std::max(greatest, std::abs(a[i] - b[i]));
            mean += a[i] / static_cast<double>(a.size());
        }
        for (const double x : a) square += (x - mean) * (x - mean);
        const double relative = greatest / std::sqrt(square / static_cast<double>(a.size()));
        const json found = report.at("precisions").at(name);
        EXPECT_NEAR(found.at("logits").at("relative").get<double>() / relative, 1, 1e-6) << name;
        EXPECT_LT(relative, std::string(name) == "float64" ? 1e-9 : 1e-2);
        ASSERT_EQ(found.at("streams").size(), 3u);
        EXPECT_EQ(found.at("streams")[0].at("layer"), -1) << "before the first layer";
        EXPECT_EQ(found.at("streams")[2].at("layer"), 1);
        for (const json& stream : found.at("streams"))
            EXPECT_LT(stream.at("relative").get<double>(),
                      std::string(name) == "float64" ? 1e-9 : 1e-2);
    }
    EXPECT_EQ(report.at("weights_removed"), 4 * 16 * 16);
    EXPECT_EQ(report.at("inverted").size(), 2u);
    EXPECT_GT(report.at("inverted")[0].at("condition"), 1.0);
    EXPECT_NEAR(report.at("predicted_speedup").get<double>(),
                report.at("params_before").get<double>() / report.at("params_after").get<double>(),
                1e-12);
}

TEST_F(SurgeryCommand, MeasuresTheLossesOnData) {
    write({{"arch", "attn_skip_only"}});
    const std::string text = folder_ / "text.txt";
    write_file_atomically(text, std::string(100, 'a') + std::string(100, 'b'));
    const Outcome outcome =
        apply({"remove-all", "--matrix", "k", "--data", "text:" + text, "--batches", "2",
               "--batch-size", "2", "--seq-len", "9", "--precision", "float64", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json loss = json::parse(outcome.out).at("loss");
    const auto eval = [&](const std::string& checkpoint) {
        const Outcome found = headroom({"eval", "--checkpoint", checkpoint, "--data",
                                        "text:" + text, "--batches", "2", "--batch-size", "2",
                                        "--seq-len", "9", "--precision", "float64", "--json"});
        return json::parse(found.out).at("loss").get<double>();
    };
    EXPECT_DOUBLE_EQ(loss.at("before"), eval(source_));
    EXPECT_DOUBLE_EQ(loss.at("after"), eval(out_));
    EXPECT_NEAR(loss.at("before").get<double>(), loss.at("after").get<double>(), 1e-9);
}

// The embedding of a head of its own is read a row at a time.
TEST_F(SurgeryCommand, AHeadOfItsOwnIsNotSaidToBeSlower) {
    write({{"arch", "gpt2"}, {"tie", true}});
    const Outcome outcome = apply({"fold-norms", "--untie", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_LT(report.at("weights_removed"), 0);
    const std::string more = fewer_text(report.at("weights_removed"));
    EXPECT_THAT(more, testing::EndsWith(" weights more"));
    EXPECT_THAT(apply({"fold-norms", "--untie"}).out, testing::HasSubstr(": " + more + " of "));
    EXPECT_THAT(headroom({"surgery", "plan", "--checkpoint", source_, "--untie"}).out,
                testing::ContainsRegex("fold-norms +" + more));
    EXPECT_NEAR(report.at("predicted_speedup").get<double>(), 1, 0.05);
    EXPECT_GE(report.at("predicted_speedup").get<double>(), 1);
}

// Of the experts a token reads those that it is sent to.
TEST_F(SurgeryCommand, TheSpeedUpCountsTheExpertsThatATokenReads) {
    write({{"arch", "skipless"}, {"mlp", "swiglu"}, {"mlp_experts", 4}, {"mlp_top_k", 1}});
    const auto removing = [&] {
        const Outcome outcome = apply({"remove-with-output", "--json"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return json::parse(outcome.out);
    };
    const json few = removing();
    const double active = few.at("params_before").get<double>() - 3 * 3 * 16 * 32 * 2;
    const double removed = few.at("weights_removed").get<double>();
    EXPECT_NEAR(few.at("predicted_speedup").get<double>(), active / (active - removed), 1e-12);
}

TEST_F(SurgeryCommand, WhatHasNoUseIsRefused) {
    write({{"norm", "layernorm"}, {"tie", false}});
    expect_one_error_line(apply({"fold-norms", "--seed", "2"}), 2, "--seed");
    expect_one_error_line(apply({"fold-norms", "--batches", "2"}), 2, "--batches");
    EXPECT_EQ(apply({"change-head-basis", "--seed", "2"}).status, 0);
}

TEST_F(SurgeryCommand, FreezesNormsByTheDataAndThenRemovesWhatTheyHeld) {
    write({{"norm", "layernorm"}, {"tie", false}});
    expect_one_error_line(apply({"freeze-norms"}), 2, "--data");
    const Outcome outcome = apply({"freeze-norms", "--tokens", "1,7,299,4,7,12,1", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_FALSE(report.at("exact").get<bool>());
    EXPECT_EQ(report.at("norm_scales").size(), 5u);
    EXPECT_GT(report.at("precisions").at("float64").at("logits").at("relative"), 1e-6);
    EXPECT_EQ(report.at("weights_removed"), 5 * 16);
    const std::string last = folder_ / "last.safetensors";
    const Outcome then = headroom({"surgery", "apply", "--checkpoint", out_, "--transform",
                                   "remove-one", "--layer", "1", "--out", last});
    EXPECT_EQ(then.status, 0) << then.err;
}

TEST_F(SurgeryCommand, MakesAStudyThatTakesTheNormsOutLayerByLayer) {
    write({{"arch", "gpt2"}});
    const std::string folder = folder_ / "study";
    const std::vector<std::string> command{"surgery", "recover", "--checkpoint",
                                           source_,   "--data",  "task:grammar",
                                           "--steps", "30",      folder};
    const Outcome made = headroom(command);
    ASSERT_EQ(made.status, 0) << made.err;
    const Study study = load_study(folder + "/study.json");
    ASSERT_EQ(study.runs.size(), 5u);  // as it is, at once, ln_f, two layers
    EXPECT_EQ(study.runs[0].job.model.norm, NormKind::kLayerNorm);
    EXPECT_EQ(study.runs[0].job.train.init_convert, "none");
    EXPECT_EQ(study.runs[1].job.model.norm, NormKind::kNone);
    EXPECT_FALSE(study.runs[1].job.model.tie);
    const Job& middle = study.runs[3].job;
    EXPECT_EQ(middle.model.norm.at(0), NormKind::kNone);
    EXPECT_EQ(middle.model.norm.at(1), NormKind::kLayerNorm);
    EXPECT_EQ(middle.model.norm_f, NormKind::kNone);
    EXPECT_EQ(middle.train.init_convert, "freeze_norms");
    EXPECT_THAT(middle.train.init_from,
                testing::EndsWith("runs/one-by-one-0/checkpoints/step-00000010.safetensors"));
    EXPECT_EQ(study.runs[4].job.model.norm, NormKind::kNone);
    expect_one_error_line(headroom(command), 2, "is there already");
    // Of a run's folder: its newest checkpoint, which a job can name.
    const std::string checkpoints = folder_ / "run/checkpoints";
    std::filesystem::create_directories(checkpoints);
    std::filesystem::copy(source_, checkpoints + "/step-00000003.safetensors");
    std::vector<std::string> of_run = command;
    of_run[3] = folder_ / "run";
    of_run[7] = "31";
    of_run.back() += "-of-run";
    ASSERT_EQ(headroom(of_run).status, 0);
    const Study made_of_run = load_study(of_run.back() + "/study.json");
    EXPECT_EQ(made_of_run.runs[0].job.train.init_from, checkpoints + "/step-00000003.safetensors");
    int64_t steps = 0;
    for (size_t stage = 2; stage < 5; ++stage) steps += made_of_run.runs[stage].job.train.steps;
    EXPECT_EQ(steps, 31) << "each way trains as long";
    // A path is the same from wherever the study is trained.
    std::vector<std::string> of_text = command;
    of_text[5] = "text:book.txt";
    of_text.back() += "-of-text";
    ASSERT_EQ(headroom(of_text).status, 0);
    const json written = json::parse(read_text(of_text.back() + "/study.json"));
    EXPECT_THAT(written["job"]["data"]["train"], testing::StartsWith("text:/"));
    write({{"arch", "no_norm"}, {"norm_f", "none"}});
    expect_one_error_line(headroom({"surgery", "recover", "--checkpoint", source_, "--data",
                                    "task:grammar", folder_ / "other"}),
                          2, "has no norms to take out");
}

TEST_F(SurgeryCommand, WritesTheTypeThatWasAskedFor) {
    write({{"arch", "skipless"}});
    ASSERT_EQ(apply({"remove-all"}).status, 0);
    EXPECT_EQ(SafetensorsFile::open(out_).info("h.0.mlp.up.weight").type, StoredType::kF64);
    ASSERT_EQ(apply({"remove-all", "--dtype", "keep"}).status, 0);
    EXPECT_EQ(SafetensorsFile::open(out_).info("h.0.mlp.up.weight").type, StoredType::kF32);
}

TEST_F(SurgeryCommand, WhatIsRoundedToFewerDigitsIsNotExact) {
    write({{"arch", "skipless"}});
    for (const auto& [type, exact] :
         {std::pair{"bf16", false}, {"f16", false}, {"keep", true}, {"f32", true}, {"f64", true}}) {
        const Outcome outcome = apply({"remove-all", "--dtype", type, "--json"});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        const json report = json::parse(outcome.out);
        EXPECT_EQ(report.at("exact").get<bool>(), exact) << type;
        EXPECT_TRUE(report.at("transform_exact").get<bool>());
        EXPECT_EQ(report.at("rounded_to").is_null(), exact) << type;
    }
    const Outcome outcome = apply({"remove-all", "--dtype", "bf16"});
    EXPECT_THAT(outcome.out, testing::HasSubstr("rounded to BF16: no longer exact"));
    EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("surgery recover")));
    // A file that holds bfloat16 and keeps it rounds what is computed anew.
    write(json::object());
    ASSERT_EQ(apply({"change-head-basis", "--dtype", "bf16"}).status, 0);
    std::filesystem::rename(out_, source_);
    const Outcome kept = apply({"change-head-basis", "--dtype", "keep", "--json"});
    ASSERT_EQ(kept.status, 0) << kept.err;
    EXPECT_EQ(json::parse(kept.out).at("rounded_to"), "BF16");
}

TEST_F(SurgeryCommand, RefusesInOneLineAndWritesNothing) {
    write(json::object());
    expect_one_error_line(apply({"remove-one", "--layer", "0"}), 2, "norm");
    expect_one_error_line(apply({"remove-one"}), 2, "--layer");
    expect_one_error_line(apply({"remove-onne", "--layer", "0"}), 2, "remove-one");
    expect_one_error_line(apply({"remove-all", "--matrix", "x"}), 2, "--matrix x");
    expect_one_error_line(apply({"remove-all", "--tokens", "1", "--data", "task:copy"}), 2,
                          "--tokens and --data");
    expect_one_error_line(apply({"change-head-basis", "--tokens", "1,2,99999"}), 2,
                          "token 99999 is not in the vocabulary");
    EXPECT_FALSE(std::filesystem::exists(out_));
    expect_one_error_line(headroom({"surgery", "apply", "--checkpoint", source_, "--transform",
                                    "change-head-basis", "--out", source_}),
                          2, "the source itself");
    const std::string run = folder_ / "run",
                      newest = run + "/checkpoints/step-00000003.safetensors";
    std::filesystem::create_directories(run + "/checkpoints");
    std::filesystem::copy(source_, newest);
    const Outcome of_run = headroom({"surgery", "apply", "--checkpoint", run, "--transform",
                                     "change-head-basis", "--out", newest});
    EXPECT_EQ(of_run.status, 2);
    EXPECT_THAT(of_run.err, testing::HasSubstr("the source itself"));
    EXPECT_EQ(read_text(newest), read_text(source_));
}

TEST(SurgeryTable, PrintsGraefsIntegers) {
    const Outcome outcome = headroom({"surgery", "table", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json models = json::parse(outcome.out).at("models");
    EXPECT_EQ(models[0].at("total"), 6'855'327'744);
    EXPECT_EQ(models[0].at("total_without_qp"), 5'781'585'920);
    EXPECT_NEAR(models[0].at("speedup").get<double>(), 1.1857, 5e-5);
    EXPECT_FALSE(models[0].at("exact").get<bool>());
    EXPECT_EQ(models[1].at("total"), 7'241'465'856);
    EXPECT_EQ(models[1].at("total_without_qp"), 6'167'724'032);
    EXPECT_NEAR(models[1].at("speedup").get<double>(), 1.1741, 5e-5);
    EXPECT_TRUE(models[1].at("exact").get<bool>());
    for (const json& model : models) EXPECT_EQ(model.at("qp_per_layer"), 33'554'432);
}

TEST(SurgeryTable, CountsPositionsAmongTheEmbeddings) {
    const Outcome outcome = headroom({"surgery", "table", "--preset", "gpt2-124m", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out).at("models")[0].at("embeddings"), (50'304 + 1'024) * 768);
}

TEST(SurgeryPlan, KnowsAPresetWithoutItsNumbers) {
    const Outcome outcome =
        headroom({"surgery", "plan", "--preset", "mistral-7b-skipless", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json plan = json::parse(outcome.out);
    for (const json& row : plan.at("transforms"))
        if (row.at("name") == "remove-with-output" && row.at("matrix") == "q") {
            EXPECT_TRUE(row.at("applies").get<bool>());
            EXPECT_EQ(row.at("weights_removed"), 1'073'741'824);
            EXPECT_TRUE(row.at("condition").is_null());
        }
}

}  // namespace
}  // namespace headroom
