#include "core/checkpoint/checkpoint.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/open_file.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A training checkpoint of `n` weights that all hold the step.
void write_step(const fs::path& folder, int64_t step, size_t n = 10) {
    const std::vector<float> values(n, static_cast<float>(step));
    const std::vector<TensorToWrite> tensors{
        tensor_to_write<float>("wte.weight", {static_cast<int64_t>(n)}, values)};
    CheckpointMetadata metadata;
    metadata.config_json = "{\"n_layer\": 1}";
    metadata.step = step;
    metadata.tokens = step * 100;
    write_training_checkpoint(folder, metadata, tensors, tensors);
}

TEST(Checkpoint, GivesBackItsMetadata) {
    const TemporaryFolder folder;
    write_step(folder.path(), 500);
    const CheckpointFiles files = checkpoint_files(folder.path(), 500);
    EXPECT_EQ(files.weights.filename(), "step-00000500.safetensors");
    EXPECT_EQ(files.optimizer.filename(), "step-00000500.optim.safetensors");
    const Checkpoint checkpoint = Checkpoint::open(files.weights);
    EXPECT_EQ(checkpoint.metadata.config_json, "{\"n_layer\": 1}");
    EXPECT_EQ(checkpoint.metadata.step, 500);
    EXPECT_EQ(checkpoint.metadata.tokens, 50000);
    EXPECT_EQ(checkpoint.file.metadata().at("format"), "headroom-checkpoint/1");
}

TEST(Checkpoint, NeedsOnlyAConfig) {
    const TemporaryFolder folder;
    write_safetensors(folder / "x", {{"config", "{}"}, {"format", "pt"}}, {});
    const Checkpoint checkpoint = Checkpoint::open(folder / "x");
    EXPECT_EQ(checkpoint.metadata.config_json, "{}");
    EXPECT_FALSE(checkpoint.metadata.step);
}

TEST(Checkpoint, RefusesOtherFormatsAndBrokenMetadata) {
    const TemporaryFolder folder;
    const auto complaint = [&](const std::map<std::string, std::string, std::less<>>& metadata) {
        write_safetensors(folder / "x", metadata, {});
        try {
            Checkpoint::open(folder / "x");
        } catch (const UserError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(complaint({}), HasSubstr("no \"config\""));
    EXPECT_THAT(complaint({{"config", "{}"}, {"format", "headroom-checkpoint/2"}}),
                HasSubstr("headroom-checkpoint/2"));
    EXPECT_THAT(complaint({{"config", "{}"}, {"step", "many"}}), HasSubstr("many"));
    EXPECT_THAT(complaint({{"config", "{}"}, {"tokens", "-1"}}), HasSubstr("-1"));
}

TEST(NewestCheckpoint, SkipsWhatIsUnfinishedOrDamaged) {
    const TemporaryFolder folder;
    EXPECT_FALSE(newest_checkpoint(folder / "none"));
    EXPECT_FALSE(newest_checkpoint(folder.path()));
    for (const int64_t step : {100, 200, 300, 400, 500}) write_step(folder.path(), step);
    ASSERT_EQ(list_checkpoints(folder.path()).size(), 5u);
    EXPECT_EQ(newest_checkpoint(folder.path())->step, 500);

    const auto files = [&](int64_t step) { return checkpoint_files(folder.path(), step); };
    fs::resize_file(files(500).weights, fs::file_size(files(500).weights) - 1);
    EXPECT_EQ(newest_checkpoint(folder.path())->step, 400);
    fs::remove(files(400).optimizer);
    EXPECT_EQ(newest_checkpoint(folder.path())->step, 300);
    fs::copy_file(files(100).weights, files(300).weights, fs::copy_options::overwrite_existing);
    EXPECT_EQ(newest_checkpoint(folder.path())->step, 200);
    EXPECT_EQ(newest_checkpoint(folder.path(), 150)->step, 100);
}

TEST(ListCheckpoints, NeedsTheWeightsAlone) {
    const TemporaryFolder folder;
    for (const int64_t step : {100, 200}) write_step(folder.path(), step);
    fs::remove(checkpoint_files(folder.path(), 200).optimizer);
    EXPECT_EQ(list_checkpoints(folder.path()).back().step, 200);
    fs::remove(checkpoint_files(folder.path(), 100).weights);
    EXPECT_EQ(list_checkpoints(folder.path()).size(), 1u);
}

TEST(ListCheckpoints, IgnoresOtherFiles) {
    const TemporaryFolder folder;
    write_step(folder.path(), 7);
    for (const char* name : {"step-.safetensors", "step-7.safetensors", "step--7.safetensors",
                             "step-00000008.safetensors.1.0.tmp", "notes.txt"})
        write_file_atomically(folder / name, "x");
    const auto found = list_checkpoints(folder.path());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].step, 7);
}

TEST(PruneCheckpoints, KeepsTheNewestAndSweepsUp) {
    const TemporaryFolder folder;
    for (const int64_t step : {1, 2, 3, 4}) write_step(folder.path(), step);
    write_file_atomically(folder / "step-00000005.safetensors.1.0.tmp", "x");
    prune_checkpoints(folder.path(), 0);
    EXPECT_EQ(list_checkpoints(folder.path()).size(), 4u);
    // A kill between the two files of a checkpoint, at its writing or its pruning.
    write_plainly(folder / "step-00000007.optim.safetensors", "moments");
    write_plainly(folder / "notes.optim.safetensors", "somebody's");
    prune_checkpoints(folder.path(), 2);
    EXPECT_FALSE(std::filesystem::exists(folder / "step-00000007.optim.safetensors"));
    EXPECT_TRUE(std::filesystem::exists(folder / "notes.optim.safetensors"));
    std::filesystem::remove(folder / "notes.optim.safetensors");
    const auto found = list_checkpoints(folder.path());
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].step, 3);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 4);
}

TEST(PruneCheckpoints, LeavesWhatOthersWriteThere) {
    const TemporaryFolder folder;
    const std::string reduced = "reduced.safetensors";
    AtomicFile beside(folder / reduced);
    beside.write("what a surgery of another process writes");
    for (const char* left : {"step-00000005.safetensors", "step-00000005.optim.safetensors"})
        write_plainly(fresh_temporary(folder / left), "left over");
    prune_checkpoints(folder.path(), 2);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
    beside.commit();
    EXPECT_TRUE(fs::exists(folder / reduced));
}

TEST(WriteTrainingCheckpoint, LeavesTheEarlierOneWhenTheDiskIsFull) {
    const TemporaryFolder folder;
    write_step(folder.path(), 1);
    const int result = with_file_size_limit(20000, [&] {
        try {
            write_step(folder.path(), 2, 100000);
        } catch (const EnvironmentError& error) {
            const std::string text = error.what();
            return text.find("step-00000002") != std::string::npos ? 7 : 8;
        }
        return 0;
    });
    EXPECT_EQ(result, 7);
    EXPECT_EQ(newest_checkpoint(folder.path())->step, 1);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace headroom
