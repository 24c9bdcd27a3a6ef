#include "panels/playground/try_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

const std::vector<TryCheckpoint> kCheckpoints{{"a", "A", 500, "a/500"},
                                              {"a", "A", 250, "a/250"},
                                              {"b", "B", 9, "b/9"},
                                              {"c", "C", 1000, "c/1000"}};

TEST(TrySettings, BecomeTheWordsOfACommand) {
    TrySettings settings;
    settings.max_new = 7;
    settings.sampling = {.temperature = 0.5, .top_k = 3, .top_p = 0.9, .seed = 4};
    EXPECT_THAT(generate_arguments("m.safetensors", settings),
                ElementsAre("generate", "--stream", "--checkpoint", "m.safetensors",
                            "--prompt-file", "-", "--max-new", "7", "--temperature", "0.5",
                            "--top-k", "3", "--top-p", "0.9", "--seed", "4"));
}

TEST(TrySettings, GreedyIsATemperatureOfZeroWhateverElseIsSet) {
    TrySettings settings;
    settings.greedy = true;
    const auto words = generate_arguments("m", settings);
    EXPECT_THAT(words, IsSupersetOf({"--temperature", "0"}));
    EXPECT_THAT(words, Not(Contains("--top-p")));
}

TEST(TrySettings, KeysThatAFileLeavesOpenAreGiven) {
    const auto words = generate_arguments("m", {}, {"model.n_head=2", "model.block_size=8"});
    EXPECT_THAT(words, IsSupersetOf({"--set", "model.n_head=2", "--set", "model.block_size=8"}));
}

TEST(TrySettings, SelectedRunsSpeakWithTheirNewestCheckpoints) {
    EXPECT_THAT(newest_checkpoints(kCheckpoints, {"c", "a"}, 4), ElementsAre(3, 0));
    EXPECT_THAT(newest_checkpoints(kCheckpoints, {"c", "a", "b"}, 2), ElementsAre(3, 0));
    EXPECT_THAT(newest_checkpoints(kCheckpoints, {"unfinished"}, 4), ElementsAre(0));
    EXPECT_THAT(newest_checkpoints({}, {"a"}, 4), IsEmpty());
}

TEST(TrySettings, ACheckpointIsCalledByItsRunAndStep) {
    EXPECT_EQ(checkpoint_title(kCheckpoints[3]), "C, step 1,000");
    EXPECT_EQ(checkpoint_title({"/a/b.safetensors", "b.safetensors", -1, "/a/b.safetensors"}),
              "b.safetensors");
}

}  // namespace
}  // namespace headroom
