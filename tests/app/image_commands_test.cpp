// A model of images as a user meets it: trained on CIFAR's files, evaluated, probed, resumed,
// refused where it reads no tokens.
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/log/run_log_reader.h"
#include "core/probe/attention_record.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::Not;

/// Records of CIFAR-10: class n is bright in the n-th of ten stripes, with noise.
std::string striped_records(int count, uint32_t seed) {
    std::mt19937 random(seed);
    std::string bytes;
    for (int i = 0; i < count; ++i) {
        const auto label = static_cast<int>(random() % 10);
        bytes += static_cast<char>(label);
        for (int n = 0; n < 3072; ++n) {
            const int row = n % 1024 / 32;
            const int light = row / 3 == label ? 200 : 60;
            bytes += static_cast<char>(light + static_cast<int>(random() % 50));
        }
    }
    return bytes;
}

/// A run of two layers that trained for a hundred and fifty steps.
class ImageCommands : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = new TemporaryFolder;
        write_plainly(*folder_ / "data_batch_1.bin", striped_records(300, 1));
        write_plainly(*folder_ / "test_batch.bin", striped_records(50, 2));
        write_plainly(*folder_ / "job.json", R"({
            "name": "vit", "model": {"input": "images", "n_layer": 2, "n_head": 2, "d_model": 32,
                                     "patch_size": 8, "bias": true},
            "data": {"train": "images:.", "val": "images:.", "augment": "none"},
            "train": {"steps": 150, "batch_size": 16, "lr": 3e-3, "warmup_steps": 15,
                      "eval_every": 50, "eval_batches": 4, "checkpoint_every": 75},
            "probes": [{"kind": "attention"}, {"kind": "heads"}]})");
        trained_ = new Outcome(headroom({"train", "--job", job(), "--out", run().string()}));
        ASSERT_EQ(trained_->status, 0) << trained_->err;
    }
    static void TearDownTestSuite() {
        delete trained_;
        delete folder_;
        trained_ = nullptr;
        folder_ = nullptr;
    }

    static std::string job() { return (*folder_ / "job.json").string(); }
    static std::string data() { return "images:" + folder_->path().string(); }
    static std::filesystem::path run() { return *folder_ / "run"; }
    static std::string checkpoint() {
        return (run() / "checkpoints" / "step-00000150.safetensors").string();
    }

    static TemporaryFolder* folder_;
    static Outcome* trained_;
};

TemporaryFolder* ImageCommands::folder_ = nullptr;
Outcome* ImageCommands::trained_ = nullptr;

TEST_F(ImageCommands, TrainingLearnsAndSaysHowManyAreRight) {
    EXPECT_THAT(trained_->err, HasSubstr("300 images of 10 classes"));
    EXPECT_THAT(trained_->err, HasSubstr("  accuracy "));
    EXPECT_THAT(trained_->err, Not(HasSubstr("warning")));
    const RunSeries log = read_run_log(run() / "log.h5");
    ASSERT_EQ(log.scalars.at("train_accuracy").value.size(), 150u);
    const auto& accuracy = log.scalars.at("val_accuracy");
    ASSERT_EQ(accuracy.value.size(), 3u);
    EXPECT_EQ(accuracy.step[2], 150);
    EXPECT_GT(accuracy.value[2], 0.9f);
    EXPECT_GT(log.scalars.at("train_accuracy").value[149], 0.5f);
    EXPECT_LT(log.val.loss[2], log.val.loss[0]);
    // Of 64 rows of four batches 50 are pictures: accuracy is a whole number of fiftieths.
    const float fiftieths = 50 * accuracy.value[0];
    EXPECT_NEAR(fiftieths, std::round(fiftieths), 1e-4);
}

TEST_F(ImageCommands, EvalTakesTheWholeTestSet) {
    const Outcome outcome = headroom(
        {"eval", "--checkpoint", checkpoint(), "--data", data(), "--batch-size", "7", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json result = json::parse(outcome.out);
    EXPECT_EQ(result.at("images"), 50);
    const RunSeries log = read_run_log(run() / "log.h5");
    EXPECT_NEAR(result.at("loss").get<double>(), log.val.loss[2], 1e-4);
    EXPECT_NEAR(result.at("accuracy").get<double>(), log.scalars.at("val_accuracy").value[2], 1e-6);
    const Outcome part = headroom({"eval", "--checkpoint", checkpoint(), "--data",
                                   data() + "?part=train", "--batches", "3", "--json"});
    ASSERT_EQ(part.status, 0) << part.err;
    EXPECT_EQ(json::parse(part.out).at("images"), 48);
    EXPECT_THAT(headroom({"eval", "--checkpoint", checkpoint(), "--data", data()}).out,
                HasSubstr("of 50 images"));
}

TEST_F(ImageCommands, EvalSaysWhereTheClassesAreOthers) {
    const TemporaryFolder two;
    for (const char* name : {"a", "b"}) {
        std::filesystem::create_directories(two / name);
        std::filesystem::copy_file(source_tree() / "tests/datasets/fixtures/gradient.png",
                                   two / name / "1.png");
    }
    const Outcome outcome =
        headroom({"eval", "--checkpoint", checkpoint(), "--data", "images:" + two.path().string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("tells 10 classes apart, and the data have 2"));
    EXPECT_THAT(headroom({"eval", "--checkpoint", checkpoint(), "--data", data()}).err,
                Not(HasSubstr("classes apart")));
}

TEST_F(ImageCommands, AttentionMapsNameTheClassTokenAndThePatches) {
    const AttentionRecord record(run() / "probes" / "attention-step-00000150.h5");
    EXPECT_EQ(record.seq_len(), 17);
    EXPECT_EQ(record.tokens().pieces[0], "cls");
    EXPECT_EQ(record.tokens().pieces[1], "r0c0");
    EXPECT_EQ(record.tokens().pieces[16], "r3c3");
    double sum = 0;
    const std::vector<float> weights = record.read_box(0, 0, 1, {0, 0, 1, 17});
    for (const auto weight : weights) sum += weight;
    EXPECT_NEAR(sum, 1.0, 1e-5);
    EXPECT_FALSE(record.causal());
    EXPECT_THAT(weights, Each(Gt(0.0f)));  // nothing is masked
}

/// One of the test pictures, pixel by pixel: CIFAR has planes of colours, the record has pixels.
TEST_F(ImageCommands, AttentionKeepsThePictureThatItRead) {
    std::set<std::vector<uint8_t>> pictures;
    const std::string records = striped_records(50, 2);
    for (size_t i = 0; i < 50; ++i) {
        std::vector<uint8_t> picture;
        for (size_t pixel = 0; pixel < 1024; ++pixel)
            for (size_t c = 0; c < 3; ++c)
                picture.push_back(static_cast<uint8_t>(records[i * 3073 + 1 + c * 1024 + pixel]));
        pictures.insert(picture);
    }
    const RecordedPicture live =
        AttentionRecord(run() / "probes" / "attention-step-00000150.h5").read_picture();
    ASSERT_NE(live.picture, nullptr) << live.problem;
    EXPECT_EQ(live.picture->side, 32);
    EXPECT_EQ(pictures.count(live.picture->pixels), 1u);
    const std::string out = (*folder_ / "maps.h5").string();
    ASSERT_EQ(headroom({"probe", "attention", run().string(), "--out", out}).status, 0);
    const RecordedPicture later = AttentionRecord(out).read_picture();
    ASSERT_NE(later.picture, nullptr) << later.problem;
    EXPECT_EQ(*later.picture, *live.picture);  // the same rows, in training and after it
}

TEST_F(ImageCommands, AllProbesButThoseOfTextsTakeTheRun) {
    for (const char* kind : {"heads", "similarity", "mixing", "weights", "ablation", "rewire",
                             "sharing", "absorption"}) {
        const Outcome outcome = headroom(
            {"probe", kind, run().string(), "--out", (*folder_ / "probe.h5").string(), "--json"});
        EXPECT_EQ(outcome.status, 0) << kind << ": " << outcome.err;
    }
    const Outcome wiring = headroom({"probe", "wiring", run().string(), "--edit", "values 1 read 0",
                                     "--out", (*folder_ / "probe.h5").string(), "--json"});
    EXPECT_EQ(wiring.status, 0) << wiring.err;
    const Outcome texts = headroom({"probe", "eval", run().string(), "--tasks", "lambada:a.jsonl"});
    EXPECT_EQ(texts.status, 2);
    EXPECT_THAT(texts.err, HasSubstr("reads texts, but"));
}

/// After the last layer the lens sees what the model says of the pictures.
TEST_F(ImageCommands, TheLensEndsWhereTheModelDoes) {
    const Outcome lens =
        headroom({"probe", "logit_lens", run().string(), "--batch-size", "50", "--batches", "1",
                  "--out", (*folder_ / "lens.h5").string(), "--json"});
    ASSERT_EQ(lens.status, 0) << lens.err;
    const json result = json::parse(lens.out);
    const json whole = json::parse(
        headroom({"eval", "--checkpoint", checkpoint(), "--data", data(), "--json"}).out);
    ASSERT_EQ(result.at("accuracy").size(), 3u);
    EXPECT_NEAR(result.at("loss")[2].get<double>(), whole.at("loss").get<double>(), 1e-5);
    EXPECT_NEAR(result.at("accuracy")[2].get<double>(), whole.at("accuracy").get<double>(), 1e-9);
    EXPECT_GT(result.at("loss")[0].get<double>(), result.at("loss")[2].get<double>());
    EXPECT_THAT(headroom({"probe", "logit_lens", run().string()}).out,
                HasSubstr("of the first picture"));
}

TEST_F(ImageCommands, LinearProbesReadTheClassAfterEachLayer) {
    const std::string out = (*folder_ / "linear.h5").string();
    const Outcome outcome = headroom({"probe", "linear", run().string(), "--steps", "200",
                                      "--rates", "1e-2", "--out", out, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json result = json::parse(outcome.out);
    ASSERT_EQ(result.at("val_accuracy").size(), 2u);
    EXPECT_GT(result.at("val_accuracy")[1].get<double>(), 0.9);
    EXPECT_FALSE(result.contains("selectivity"));
}

/// What asks for tokens, or gives them, says so in one line.
TEST_F(ImageCommands, CommandsOfTextRefuse) {
    const std::vector<std::vector<std::string>> refused{
        {"generate", "--checkpoint", checkpoint(), "--prompt", "a"},
        {"logits", "--checkpoint", checkpoint(), "--tokens", "1,2", "--out",
         (*folder_ / "x.safetensors").string()},
        {"eval", "--checkpoint", checkpoint(), "--data", "task:grammar"},
        {"eval", "--checkpoint", checkpoint(), "--data", data(), "--by-position"},
        {"eval", "--checkpoint", checkpoint(), "--data", data(), "--seq-len", "9"},
        {"probe", "heads", run().string(), "--prompt", "a"},
        {"probe", "heads", run().string(), "--tokens", "1,2"},
        {"surgery", "apply", "--transform", "remove-all", "--checkpoint", checkpoint(), "--out",
         (*folder_ / "y.safetensors").string()},
        {"train", "--job", job(), "--out", (*folder_ / "other").string(), "--set",
         "data.train=text:a.txt"},
        {"train", "--job", job(), "--out", (*folder_ / "other").string(), "--set",
         "model.n_class=5"}};
    for (const std::vector<std::string>& arguments : refused) {
        const Outcome outcome = headroom(arguments);
        EXPECT_EQ(outcome.status, 2) << arguments[0] << outcome.out;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
}

TEST_F(ImageCommands, DescribeAndMemoryCountAnImage) {
    const Outcome described = headroom({"describe", "--job", job(), "--json"});
    ASSERT_EQ(described.status, 0) << described.err;
    EXPECT_THAT(headroom({"describe", "--job", job()}).out, HasSubstr("classes 10\n"));
    const json document = json::parse(described.out);
    EXPECT_EQ(document.at("model").at("vocab_size"), 10);  // of the data
    EXPECT_EQ(document.at("params_by_role").at("patches"), 3 * 64 * 32 + 32);
    EXPECT_EQ(document.at("seq_len"), 17);
    EXPECT_EQ(json::parse(headroom({"describe", "--checkpoint", checkpoint(), "--json"}).out)
                  .at("params_total"),
              document.at("params_total"));
    const Outcome preset =
        headroom({"describe", "--preset", "vit-tiny", "--set", "model.image_size=224", "--set",
                  "model.patch_size=16", "--json"});
    EXPECT_EQ(json::parse(preset.out).at("params_total"), 5526346);
    EXPECT_EQ(headroom({"memory", "--job", job()}).status, 0);
}

/// Uptraining turns a trained model into SkipV1Former, as of texts; the data are asked for classes.
TEST_F(ImageCommands, UptrainingTakesImages) {
    const std::string skipped = (*folder_ / "skipv1.safetensors").string();
    const Outcome converted = headroom(
        {"convert", "uptrain", "--checkpoint", checkpoint(), "--to", "skipv1", "--out", skipped});
    ASSERT_EQ(converted.status, 0) << converted.err;
    const Outcome evaluated =
        headroom({"eval", "--checkpoint", skipped, "--data", data(), "--json"});
    ASSERT_EQ(evaluated.status, 0) << evaluated.err;
    EXPECT_EQ(json::parse(evaluated.out).at("images"), 50);
}

}  // namespace
}  // namespace headroom
