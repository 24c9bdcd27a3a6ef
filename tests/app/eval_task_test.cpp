#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/decode/loaded_model.h"
#include "core/device/device.h"
#include "core/log/array_file.h"
#include "core/log/run_log_reader.h"
#include "core/weights/checkpoint_weights.h"
#include "tests/support/command.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class EvalTask : public testing::Test {
  protected:
    EvalTask() {
        write_random_checkpoint(folder_ / "model.safetensors", {{"vocab_size", 256}});
        std::ofstream(folder_ / "piqa.jsonl")
            << "{\"goal\": \"g\", \"sol1\": \"x\", \"sol2\": \"yes no\", \"label\": 0}\n"
               "{\"goal\": \"h\", \"sol1\": \"y\", \"sol2\": \"z\", \"label\": 1}\n";
        std::ofstream(folder_ / "lambada.jsonl") << "{\"text\": \"it is so\"}\n";
    }
    Outcome eval(const std::string& task, std::vector<std::string> more = {}) {
        std::vector<std::string> args{"eval", "--checkpoint",
                                      (folder_ / "model.safetensors").string(), "--task", task};
        args.insert(args.end(), more.begin(), more.end());
        return headroom(args);
    }
    std::string file(const char* name) { return (folder_ / name).string(); }

    TemporaryFolder folder_;
};

/// The loss of the whole is the mean of the positions; those that the data ignore are left out.
TEST_F(EvalTask, LossesOfAllPositionsAddUpToTheLoss) {
    const std::vector<std::string> command{"eval",
                                           "--checkpoint",
                                           file("model.safetensors"),
                                           "--data",
                                           "task:regression?dim=2&bins=16",
                                           "--batches",
                                           "2",
                                           "--batch-size",
                                           "3",
                                           "--seq-len",
                                           "17",
                                           "--precision",
                                           "float64",
                                           "--by-position",
                                           "--json"};
    const Outcome made = headroom(command);
    ASSERT_EQ(made.status, 0) << made.err;
    const json document = json::parse(made.out);
    double nats = 0, targets = 0;
    std::vector<int64_t> positions;
    for (const json& row : document["positions"]) {
        nats += row["loss"].get<double>() * row["targets"].get<double>();
        targets += row["targets"].get<double>();
        positions.push_back(row["position"].get<int64_t>());
    }
    EXPECT_THAT(positions, testing::ElementsAre(7, 10, 13, 16));  // y after 2, 3, … pairs
    EXPECT_EQ(targets, 4 * 6);
    EXPECT_EQ(document["tokens"], 4 * 6) << "what the mean is over";
    EXPECT_NEAR(nats / targets, document["loss"].get<double>(), 1e-12);
    EXPECT_EQ(eval("piqa:" + file("piqa.jsonl"), {"--by-position"}).status, 2);
}

/// Windows one behind the other, the last one shorter.
TEST_F(EvalTask, TheWholeTextIsReadOnceFromEndToEnd) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += static_cast<char>('a' + i * 7 % 26);
    std::ofstream(folder_ / "text.txt") << text;
    const auto weights = CheckpointWeights::open(folder_ / "model.safetensors");
    const auto device = make_cpu_device();
    double nats = 0;
    constexpr size_t kLength = 16;
    for (size_t first = 0; first + 1 < text.size(); first += kLength) {
        const size_t count = std::min(kLength, text.size() - 1 - first);
        std::vector<int32_t> tokens(text.begin() + first, text.begin() + first + count);
        const std::vector<double> logits =
            LoadedModel(weights, DType::kF64, static_cast<int64_t>(count), *device)
                .logits<double>(tokens);
        for (size_t t = 0; t < count; ++t) {
            double sum = 0;
            for (size_t v = 0; v < 256; ++v) sum += std::exp(logits[t * 256 + v]);
            nats += std::log(sum) - logits[t * 256 + static_cast<size_t>(text[first + t + 1])];
        }
    }
    const auto whole = [&](std::vector<std::string> more) {
        std::vector<std::string> args{"eval",    "--checkpoint", file("model.safetensors"),
                                      "--whole", "--precision",  "float64",
                                      "--json"};
        args.insert(args.end(), more.begin(), more.end());
        return headroom(args);
    };
    for (const char* batch_size : {"1", "3", "16"}) {
        const Outcome made = whole(
            {"--data", "text:" + file("text.txt"), "--seq-len", "16", "--batch-size", batch_size});
        ASSERT_EQ(made.status, 0) << made.err;
        const json document = json::parse(made.out);
        EXPECT_EQ(document["tokens"], 59);
        EXPECT_NEAR(document["loss"].get<double>(), nats / 59, 1e-12) << batch_size;
        EXPECT_NEAR(document["bits_per_byte"].get<double>(), nats / std::log(2) / 59, 1e-12);
    }
    expect_one_error_line(whole({"--data", "task:grammar"}), 2, "no text from one end");
    expect_one_error_line(whole({"--task", "piqa:" + file("piqa.jsonl")}), 2, "--whole");
    // What fills up the last window would be read.
    write_random_checkpoint(file("model.safetensors"), {{"vocab_size", 256}, {"causal", false}});
    expect_one_error_line(whole({"--data", "text:" + file("text.txt"), "--seq-len", "16"}), 2,
                          "from left to right");
}

TEST_F(EvalTask, MeansFollowFromTheItems) {
    const Outcome made = eval("piqa:" + file("piqa.jsonl"), {"--json", "--precision", "float64"});
    ASSERT_EQ(made.status, 0) << made.err;
    const json document = json::parse(made.out);
    ASSERT_EQ(document["results"].size(), 2u);
    double right = 0, right_norm = 0;
    for (const json& item : document["results"]) {
        const auto logs = item["log_likelihoods"].get<std::vector<double>>();
        const auto length = item["characters"].get<std::vector<double>>();
        right += (logs[1] > logs[0] ? 1 : 0) == item["answer"].get<int>();
        right_norm +=
            (logs[1] / length[1] > logs[0] / length[0] ? 1 : 0) == item["answer"].get<int>();
    }
    EXPECT_EQ(document["results"][0]["characters"], json({1, 6}));
    EXPECT_EQ(document["results"][0]["tokens"], json({2, 7}));
    EXPECT_DOUBLE_EQ(document["acc"].get<double>(), right / 2);
    EXPECT_DOUBLE_EQ(document["acc_norm"].get<double>(), right_norm / 2);
    EXPECT_EQ(
        json::parse(eval("piqa:" + file("piqa.jsonl"), {"--json", "--limit", "1"}).out)["items"],
        1);
    EXPECT_THAT(eval("piqa:" + file("piqa.jsonl")).out, HasSubstr("acc_norm"));
}

TEST_F(EvalTask, LambadaHasAPerplexity) {
    const json document = json::parse(eval("lambada:" + file("lambada.jsonl"), {"--json"}).out);
    const double log = document["results"][0]["log_likelihoods"][0];
    EXPECT_NEAR(document["perplexity"].get<double>(), std::exp(-log), 1e-6 * std::exp(-log));
    EXPECT_FALSE(document.contains("acc_norm"));
}

TEST_F(EvalTask, SeveralTasksHaveTheirMean) {
    const Outcome made = eval("piqa:" + file("piqa.jsonl"),
                              {"--task", "lambada:" + file("lambada.jsonl"), "--json"});
    ASSERT_EQ(made.status, 0) << made.err;
    const json document = json::parse(made.out);
    ASSERT_EQ(document["tasks"].size(), 2u);
    EXPECT_EQ(document["tasks"][1]["task"], "lambada");
    const double sum =
        document["tasks"][0]["acc"].get<double>() + document["tasks"][1]["acc"].get<double>();
    EXPECT_DOUBLE_EQ(document["average_acc"].get<double>(), sum / 2);
    expect_one_error_line(
        eval("piqa:" + file("piqa.jsonl"), {"--task", "piqa:" + file("piqa.jsonl")}), 2, "twice");
}

TEST_F(EvalTask, KeepsItsScoresAndComparesWithThoseOfAnother) {
    const std::string task = "piqa:" + file("piqa.jsonl");
    for (int time = 0; time < 2; ++time)  // the second replaces the first
        ASSERT_EQ(eval(task, {"--out", file("one.h5")}).status, 0);
    const Outcome made = eval(task, {"--against", file("one.h5"), "--json"});
    ASSERT_EQ(made.status, 0) << made.err;
    const json against = json::parse(made.out)["against"];
    EXPECT_EQ(against["acc"], 0.0);
    EXPECT_EQ(against["only_here"], 0);
    EXPECT_EQ(against["mcnemar_p"], 1.0);
    EXPECT_THAT(eval(task, {"--against", file("one.h5")}).out, HasSubstr("McNemar"));
    expect_one_error_line(eval(task, {"--against", file("one.h5"), "--limit", "1"}), 2,
                          "different items (1 and 2)");
    expect_one_error_line(eval(task, {"--against", file("piqa.jsonl")}), 2, "piqa.jsonl");
    expect_one_error_line(eval("lambada:" + file("lambada.jsonl"), {"--against", file("one.h5")}),
                          2, "none of these");
}

TEST_F(EvalTask, ALimitOfItemsGoesWithTasksAlone) {
    expect_one_error_line(headroom({"eval", "--checkpoint", file("model.safetensors"), "--data",
                                    "task:grammar", "--limit", "5"}),
                          2, "--limit");
}

TEST_F(EvalTask, WritesTheHarnessesFile) {
    ASSERT_EQ(eval("piqa:" + file("piqa.jsonl"), {"--harness", file("results.json")}).status, 0);
    std::ifstream in(folder_ / "results.json");
    const json document = json::parse(in);
    EXPECT_TRUE(document["results"]["piqa"]["acc,none"].is_number());
    EXPECT_TRUE(document["results"]["piqa"]["acc_norm_stderr,none"].is_number());
    EXPECT_EQ(document["n-shot"]["piqa"], 0);
    EXPECT_EQ(document["n-samples"]["piqa"]["effective"], 2);
}

/// A run that scores a task every two of its steps; the file lies beside the job.
class EvalProbe : public EvalTask {
  protected:
    Outcome train(int steps, const std::string& tasks = "piqa:piqa.jsonl",
                  std::vector<std::string> more = {}) {
        const json job = {{"model", {{"preset", "tiny"}, {"n_layer", 1}}},
                          {"data", {{"train", "task:grammar"}, {"val", "split:0.1"}}},
                          {"train",
                           {{"steps", steps},
                            {"batch_size", 2},
                            {"seq_len", 32},
                            {"eval_every", 0},
                            {"warmup_steps", 1},
                            {"checkpoint_every", 2}}},
                          {"probes", {{{"kind", "eval"}, {"tasks", tasks}, {"every", 2}}}}};
        std::ofstream(folder_ / "job.json") << job;
        std::vector<std::string> args{"train", "--job", file("job.json"), "--out", file("run")};
        args.insert(args.end(), more.begin(), more.end());
        return headroom(args);
    }
    ScalarSeries accuracies() {
        return read_run_log(folder_ / "run" / "log.h5").scalars.at("piqa.acc");
    }
};

TEST_F(EvalProbe, ItsAccuraciesAreASeriesOfTheLog) {
    const Outcome trained = train(4);
    ASSERT_EQ(trained.status, 0) << trained.err;
    const ScalarSeries series = accuracies();
    EXPECT_THAT(series.step, testing::ElementsAre(2, 4));
    const Outcome scored = headroom(
        {"eval", "--checkpoint", file("run"), "--task", "piqa:" + file("piqa.jsonl"), "--json"});
    const json document = json::parse(scored.out);
    EXPECT_FLOAT_EQ(series.value[1], document["acc"].get<float>());
    const ArrayFile probed(folder_ / "run" / "probes" / "eval-step-00000004.h5");
    EXPECT_EQ(probed.read_all<double>("/eval/piqa.acc_norm").at(0), document["acc_norm"]);
}

TEST_F(EvalProbe, AResumedRunSaysEachOnce) {
    ASSERT_EQ(train(4).status, 0);
    const ScalarSeries before = accuracies();
    const std::vector<std::string> resume{"--resume", "--set", "train.decay_steps=4"};
    const Outcome more = train(6, "piqa:piqa.jsonl", resume);
    ASSERT_EQ(more.status, 0) << more.err;
    EXPECT_THAT(accuracies().step, testing::ElementsAre(2, 4, 6));
    // As if killed between a checkpoint and the probe's row: the file tells what is missing.
    std::filesystem::remove(folder_ / "run" / "checkpoints" / "step-00000006.safetensors");
    std::filesystem::remove(folder_ / "run" / "checkpoints" / "step-00000006.optim.safetensors");
    ASSERT_EQ(train(6, "piqa:piqa.jsonl", resume).status, 0);
    EXPECT_THAT(accuracies().step, testing::ElementsAre(2, 4, 6));
}

TEST_F(EvalProbe, WhatCannotBeReadIsSaidBeforeTheTraining) {
    expect_one_error_line(train(4, "piqa:missing.jsonl"), 2, "missing.jsonl");
    expect_one_error_line(train(4, "pika:piqa.jsonl"), 2, "pika");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(EvalTask, BadInputIsOneLine) {
    expect_one_error_line(eval("piqa"), 2, "names no file");
    expect_one_error_line(eval("piq:" + file("piqa.jsonl")), 2, "piqa");
    expect_one_error_line(eval("piqa:" + file("lambada.jsonl")), 2, "line 1");
    expect_one_error_line(eval("piqa:/no/such"), 2, "/no/such");
    expect_one_error_line(eval("piqa:" + file("piqa.jsonl"), {"--data", "text:x"}), 2, "--data");
    for (const std::string of_data : {"--batches=2", "--batch-size=2", "--seq-len=8", "--whole"})
        expect_one_error_line(eval("piqa:" + file("piqa.jsonl"), {of_data}), 2, "excludes");
}

}  // namespace
}  // namespace headroom
