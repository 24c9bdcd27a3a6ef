#include "core/log/interop/wandb_file.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/interop/crc32.h"
#include "core/log/interop/read_foreign_log.h"
#include "tests/core/log/interop/framed_logs.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::UnorderedElementsAre;

/// A run called "my run" of three steps, a text of 100,000 bytes among them.
std::string example_run() {
    const std::string run = proto_bytes(17, proto_bytes(1, "ab12") + proto_bytes(8, "my run"));
    const std::string text = '"' + std::string(100000, 'x') + '"';
    return wandb_file(
        {run, history_record(0, {{"train/loss", "3.5"}, {"_timestamp", "1.7e9"}, {"_step", "0"}}),
         history_record(1, {{"train/loss", "NaN"}, {"note", text}, {"flag", "true"}}),
         history_record(7, {{"train/loss", "2.25"},
                            {"odd", "-Infinity"},
                            {"nested.a.b", "4"},
                            {"older", "\"Infinity\""},
                            {"bins", "[1,2]"}})});
}

TEST(WandbFile, HoldsEveryNumberThatWasLogged) {
    const ForeignLog log = read_wandb_file(example_run(), "it");
    EXPECT_EQ(log.tool, "Weights & Biases");
    EXPECT_EQ(log.name, "my run");
    EXPECT_THAT(log.scalars, UnorderedElementsAre(Key("train/loss"), Key("odd"), Key("nested.a.b"),
                                                  Key("older")));
    const auto& losses = log.scalars.at("train/loss");
    ASSERT_EQ(losses.size(), 3u);
    EXPECT_EQ(losses[0], (ForeignPoint{0, 1.7e9, 3.5}));
    EXPECT_EQ(losses[1].step, 1);
    EXPECT_TRUE(std::isnan(losses[1].value));
    EXPECT_EQ(losses[2], (ForeignPoint{7, 0, 2.25}));
    EXPECT_THAT(log.scalars.at("odd"), ElementsAre(ForeignPoint{7, 0, -HUGE_VAL}));
    EXPECT_THAT(log.scalars.at("older"), ElementsAre(ForeignPoint{7, 0, HUGE_VAL}));
    EXPECT_THAT(log.scalars.at("nested.a.b"), ElementsAre(ForeignPoint{7, 0, 4}));
}

TEST(WandbFile, ARecordThatIsCutOffEndsTheFile) {
    const std::string whole = example_run();
    size_t most = 0;
    for (size_t size = 7; size < whole.size();
         size += size < 300 || size + 300 > whole.size() ? 1 : 997) {
        const ForeignLog log = read_wandb_file(whole.substr(0, size), "it");
        const auto found = log.scalars.find("train/loss");
        const size_t points = found == log.scalars.end() ? 0 : found->second.size();
        EXPECT_GE(points, most) << size;
        most = points;
    }
    EXPECT_EQ(most, 2u);
}

/// Seven bytes hold the head of a piece without any byte.
TEST(WandbFile, ABlockMayEndInWhateverRoomIsLeft) {
    constexpr size_t kBlock = 32768, kHeads = 2 * 7;
    for (size_t left = 0; left <= 9; ++left) {
        const std::string first = proto_bytes(99, std::string(kBlock - kHeads - left - 5, 'x'));
        ASSERT_EQ(first.size(), kBlock - kHeads - left);
        const ForeignLog log =
            read_wandb_file(wandb_file({first, history_record(3, {{"loss", "2.5"}})}), "it");
        ASSERT_TRUE(log.scalars.contains("loss")) << left;
        EXPECT_THAT(log.scalars.at("loss"), ElementsAre(ForeignPoint{3, 0, 2.5})) << left;
    }
}

TEST(WandbFile, AChangedByteIsNoticedWhereverItIs) {
    const std::string whole = example_run();
    for (size_t at = 7; at < whole.size(); at += at < 300 ? 1 : 499) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        try {
            const ForeignLog log = read_wandb_file(damaged, "the run");
            // A length that points past the end of the file looks like one that is cut off.
            const auto found = log.scalars.find("train/loss");
            EXPECT_TRUE(found == log.scalars.end() || found->second.size() < 3) << at;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr("the run: it is damaged at byte")) << at;
        }
    }
}

TEST(WandbFile, IsKnownByItsFirstBytesAndByItsFolder) {
    const TemporaryFolder folder;
    write_plainly(folder / "run-ab12.wandb", example_run());
    write_plainly(folder / "other", example_run());
    for (const char* name : {"run-ab12.wandb", "other", ""})
        EXPECT_EQ(read_foreign_log(folder / name).name, "my run") << name;
    write_plainly(folder / "run-cd34.wandb", example_run());
    EXPECT_THROW(read_foreign_log(std::filesystem::path(folder / "")), UserError);
    EXPECT_THROW(read_wandb_file("step 0: train loss 1", "it"), UserError);
    EXPECT_THROW(read_wandb_file(std::string(":W&B\x00\x00\x00", 7), "it"), UserError);
}

TEST(Crc32, EqualsThePublishedCheckValues) {
    EXPECT_EQ(crc32(Crc32::kIeee, "123456789"), 0xcbf43926u);
    EXPECT_EQ(crc32(Crc32::kCastagnoli, "123456789"), 0xe3069283u);
    EXPECT_EQ(crc32(Crc32::kIeee, "6789", crc32(Crc32::kIeee, "12345")), 0xcbf43926u);
}

}  // namespace
}  // namespace headroom
