#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/safetensors.h"
#include "core/log/array_file.h"
#include "core/probe/probe_file.h"
#include "core/study/run_folder.h"
#include "tests/core/linalg/random_matrix.h"
#include "tests/support/command.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using Tensors = std::vector<std::pair<std::string, Matrix>>;

class AbsorbCommand : public testing::Test {
  protected:
    std::string file(const std::string& name, const Tensors& tensors) const {
        std::vector<TensorToWrite> list;
        for (const auto& [tensor, m] : tensors)
            list.push_back(
                tensor_to_write(tensor, {m.rows, m.cols}, std::span<const double>(m.values)));
        write_safetensors(folder_ / name, {}, list);
        return folder_ / name;
    }
    std::string random_file() const {
        return file("mlp.safetensors",
                    {{"up", random_matrix(4, 10, 1)}, {"down", random_matrix(10, 4, 2)}});
    }
    static nlohmann::json run(std::vector<std::string> args) {
        args.insert(args.begin(), "absorb");
        args.emplace_back("--json");
        const Outcome outcome = headroom(args);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out);
    }

    TemporaryFolder folder_;
    std::string out_ = folder_ / "out.safetensors", last_ = folder_ / "last.safetensors";
};

TEST_F(AbsorbCommand, MakesDecidesAndApplies) {
    const std::string mlp = random_file();
    const auto no = run({"decide", "--mlp", mlp, "--activation", "gelu"});
    EXPECT_EQ(no.at("decision"), "no");
    EXPECT_EQ(no.at("mlps").size(), 1u);
    EXPECT_THAT(no.at("theorem").get<std::string>(), HasSubstr("Theorem 10"));

    const auto made = run(
        {"make", "--mlp", mlp, "--activation", "gelu", "--out", out_, "--neurons", "1,2,5,7,8"});
    EXPECT_GT(made.at("change"), 0);
    EXPECT_FALSE(made.at("set_chosen").get<bool>());
    const auto yes = run({"decide", "--mlp", out_});  // the file says its activation
    EXPECT_EQ(yes.at("decision"), "yes");
    EXPECT_EQ(yes.at("set"), (std::vector<int64_t>{1, 2, 5, 7, 8}));
    EXPECT_LT(yes.at("residual"), 1e-12);

    const auto applied = run({"apply", "--mlp", out_, "--out", last_});
    EXPECT_LT(applied.at("difference"), 1e-12);
    const SafetensorsFile written = SafetensorsFile::open(last_);
    EXPECT_FALSE(written.has("skip"));
    EXPECT_EQ(written.info("up").shape, (std::vector<int64_t>{4, 10}));
}

TEST_F(AbsorbCommand, WidensWhereItCannotAbsorb) {
    const std::string mlp = random_file();
    expect_one_error_line(
        headroom({"absorb", "apply", "--mlp", mlp, "--activation", "relu", "--out", out_}), 2,
        "does not absorb its skip (no)");
    const auto wide =
        run({"apply", "--mlp", mlp, "--activation", "relu", "--out", out_, "--widen"});
    EXPECT_EQ(wide.at("neurons_added"), 4);
    EXPECT_LT(wide.at("difference"), 1e-12);
}

TEST_F(AbsorbCommand, AsksForOtherSkipsAndTheConverse) {
    const std::string mlp = random_file();
    const std::string z = file("z.safetensors", {{"skip", random_matrix(4, 4, 9)}});
    EXPECT_EQ(run({"decide", "--mlp", mlp, "--activation", "silu", "--skip", z}).at("decision"),
              "no");
    // From Z to Z there is nothing to do.
    EXPECT_EQ(
        run({"decide", "--mlp", mlp, "--activation", "relu2", "--skip", z, "--target-skip", z})
            .value("decision", ""),
        "yes");
    const auto made =
        run({"make", "--mlp", mlp, "--activation", "relu", "--converse", "--out", out_});
    EXPECT_GT(made.at("relative_change"), 0);
    EXPECT_TRUE(made.at("set_chosen").get<bool>());
    EXPECT_THAT(
        headroom({"absorb", "make", "--mlp", mlp, "--activation", "relu", "--out", last_}).out,
        HasSubstr("other neurons than these chosen ones may change it less"));
    EXPECT_FALSE(SafetensorsFile::open(out_).has("skip"));
    EXPECT_LT(run({"apply", "--mlp", out_, "--converse", "--out", last_}).at("difference"), 1e-12);
    EXPECT_TRUE(SafetensorsFile::open(last_).has("skip"));
}

TEST_F(AbsorbCommand, GatedFilesAreImpossible) {
    const std::string gated = file("gated.safetensors", {{"up", random_matrix(4, 6, 1)},
                                                         {"gate", random_matrix(4, 6, 3)},
                                                         {"down", random_matrix(6, 4, 2)}});
    for (const char* activation : {"silu", "swiglu", "geglu", "relu"}) {
        const auto answer = run({"decide", "--mlp", gated, "--activation", activation});
        EXPECT_EQ(answer.at("decision"), "impossible") << activation;
        EXPECT_TRUE(answer.at("residual").is_null());
        EXPECT_FALSE(answer.at("witness").at("lambda").empty());
    }
}

TEST_F(AbsorbCommand, ReadsCheckpoints) {
    const std::string checkpoint = folder_ / "model.safetensors";
    write_random_checkpoint(checkpoint, {{"norm", "none"}, {"base", "llama"}});
    const auto all = run({"decide", "--checkpoint", checkpoint});
    EXPECT_EQ(all.at("mlps").size(), 2u);
    EXPECT_EQ(all.at("mlps").at(1).at("layer"), 1);
    EXPECT_NEAR(all.at("depth").at("with_skip").back().get<double>(), 1, 1e-3);
    EXPECT_EQ(run({"decide", "--checkpoint", checkpoint, "--layer", "1"}).at("decision"),
              "impossible");
    const Outcome table = headroom({"absorb", "decide", "--checkpoint", checkpoint});
    EXPECT_THAT(table.out, HasSubstr("Proposition 6"));
    EXPECT_THAT(table.out, HasSubstr("2 of them in a row"));
}

TEST_F(AbsorbCommand, MakesAndAppliesInCheckpoints) {
    const std::string checkpoint = folder_ / "model.safetensors";
    write_random_checkpoint(checkpoint, {{"norm", "none"}});
    EXPECT_EQ(run({"make", "--checkpoint", checkpoint, "--layer", "1", "--out", out_}).at("layers"),
              (std::vector<int64_t>{1}));
    const auto all = run({"decide", "--checkpoint", out_}).at("mlps");
    EXPECT_EQ(all.at(0).at("decision"), "no");
    EXPECT_EQ(all.at(1).at("decision"), "yes");
    EXPECT_EQ(run({"apply", "--checkpoint", out_, "--out", last_}).at("layers"),
              (std::vector<int64_t>{1}));
    expect_one_error_line(headroom({"absorb", "apply", "--checkpoint", last_, "--out", out_}), 2,
                          "no layer absorbs its skip");
}

TEST_F(AbsorbCommand, FollowsARunOverItsCheckpoints) {
    for (const int step : {0, 500}) {
        const auto files = checkpoint_files(folder_ / "run/checkpoints", step);
        std::filesystem::create_directories(files.weights.parent_path());
        write_random_checkpoint(files.weights, {{"mlp", {"gelu", "swiglu"}}},
                                {.init_std = step == 0 ? 0.3 : 0.2});
        std::ofstream(files.optimizer) << "";
    }
    const std::string run_dir = folder_ / "run";
    const auto history = run({"history", run_dir});
    ASSERT_EQ(history.at("steps").size(), 2u);
    const auto& last = history.at("steps").at(1);
    EXPECT_EQ(last.at("step"), 500);
    const auto decided =
        run({"decide", "--checkpoint", checkpoint_files(folder_ / "run/checkpoints", 500).weights});
    EXPECT_EQ(last.at("mlps").at(0).at("relative_residual"),
              decided.at("mlps").at(0).at("relative_residual"));
    EXPECT_NE(decided.at("mlps").at(0).at("decision"), decided.at("mlps").at(0).at("mlp_alone"));
    for (const char* key : {"decision", "mlp_alone"})
        EXPECT_EQ(last.at("mlps").at(0).at(key), decided.at("mlps").at(0).at(key));
    EXPECT_NE(history.at("steps").at(0).at("mlps").at(0).at("relative_residual"),
              last.at("mlps").at(0).at("relative_residual"));
    EXPECT_TRUE(last.at("mlps").at(1).at("relative_residual").is_null());
    EXPECT_EQ(run({"history", run_dir, "--layer", "1"}).at("steps").at(0).at("mlps").size(), 1u);
    EXPECT_THAT(headroom({"absorb", "history", run_dir}).out, HasSubstr("layer 1"));
    expect_one_error_line(headroom({"absorb", "history", folder_ / "nothing"}), 2,
                          "is no run's folder");
    write_file_atomically(create_run_folder(folder_ / "theirs").job(),
                          R"({"name": "theirs", "imported_from": {"tool": "csv"}})");
    expect_one_error_line(headroom({"absorb", "history", folder_ / "theirs"}), 2,
                          "was imported: it has a log, but no checkpoints");
}

TEST_F(AbsorbCommand, ItsDistanceIsAProbeOfEveryLayer) {
    const std::string checkpoint = folder_ / "model.safetensors";
    write_random_checkpoint(checkpoint, {{"mlp", {"gelu", "swiglu"}}});
    const Outcome probed = headroom({"probe", "absorption", "--checkpoint", checkpoint, "--tokens",
                                     "1,2", "--out", folder_ / "probe.h5", "--json"});
    ASSERT_EQ(probed.status, 0) << probed.err;
    const auto found = nlohmann::json::parse(probed.out);
    const auto decided = run({"decide", "--checkpoint", checkpoint, "--layer", "0"});
    EXPECT_DOUBLE_EQ(found.at("residual").at(0), decided.at("relative_residual"));
    EXPECT_DOUBLE_EQ(found.at("coefficient_distance").at(0), decided.at("coefficient_distance"));
    EXPECT_TRUE(found.at("residual").at(1).is_null());
    const Outcome weights_alone = headroom({"probe", "absorption", "--checkpoint", checkpoint,
                                            "--out", folder_ / "alone.h5", "--json"});
    ASSERT_EQ(weights_alone.status, 0) << weights_alone.err;
    const auto alone = nlohmann::json::parse(weights_alone.out);
    EXPECT_EQ(alone.at("residual"), found.at("residual"));
    EXPECT_EQ(alone.at("sequences"), 0);
    EXPECT_EQ(describe_tokens(ArrayFile(folder_ / "alone.h5")), "the weights");
}

TEST_F(AbsorbCommand, NeverWritesOverItsSource) {
    const std::string mlp = random_file(), checkpoint = folder_ / "model.safetensors";
    write_random_checkpoint(checkpoint, {{"base", "gpt2"}});
    const auto refused = [](std::vector<std::string> args) {
        args.insert(args.begin(), "absorb");
        expect_one_error_line(headroom(args), 2, "is the source itself");
    };
    refused({"make", "--mlp", mlp, "--activation", "gelu", "--out", mlp});
    refused({"apply", "--mlp", mlp, "--activation", "gelu", "--widen", "--out", mlp});
    refused({"make", "--checkpoint", checkpoint, "--out", checkpoint});
    refused({"apply", "--checkpoint", checkpoint, "--out", checkpoint});
}

TEST_F(AbsorbCommand, RefusesWhatDoesNotFitTogether) {
    const std::string mlp = random_file();
    expect_one_error_line(headroom({"absorb", "decide"}), 2, "nothing to look at");
    expect_one_error_line(headroom({"absorb", "decide", "--mlp", mlp}), 2,
                          "does not say its activation");
    expect_one_error_line(headroom({"absorb", "decide", "--mlp", mlp, "--activation", "swiglu"}), 2,
                          "needs the tensor gate");
    expect_one_error_line(headroom({"absorb", "decide", "--mlp", mlp, "--activation", "gello"}), 2,
                          "gelu");
    const std::string odd = file(
        "odd.safetensors", {{"up", random_matrix(4, 10, 1)}, {"down", random_matrix(9, 4, 2)}});
    expect_one_error_line(headroom({"absorb", "decide", "--mlp", odd, "--activation", "gelu"}), 2,
                          "down has the shape [9, 4]");
    const std::string alien = file("alien.safetensors", {{"upp", random_matrix(4, 10, 1)}});
    expect_one_error_line(headroom({"absorb", "decide", "--mlp", alien, "--activation", "gelu"}), 2,
                          "no tensor of an MLP file");
    const auto apply = [&](std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"absorb", "apply", "--mlp", mlp, "--activation", "relu", "--out", out_});
        return headroom(more);
    };
    expect_one_error_line(apply({"--widen", "--tolerance", "1e-3"}), 2, "excludes");
    expect_one_error_line(apply({"--set", "model.tie=true"}), 2, "--set goes with --checkpoint");
}

}  // namespace
}  // namespace headroom
