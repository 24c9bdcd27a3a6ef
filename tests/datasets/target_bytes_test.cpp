#include "datasets/target_bytes.h"

#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "datasets/open_data.h"
#include "datasets/whole_source.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

std::string fixtures() {
    return (source_tree() / "tests/datasets/fixtures").string();
}

/// 40 characters, each fifth of two bytes.
std::string umlauts() {
    std::string text;
    for (int i = 0; i < 8; ++i) text += "abcd\xc3\xa4";
    return text;
}

TEST(TargetBytes, AreThoseOfTheTextBehindItsFirstToken) {
    TemporaryFolder folder;
    std::ofstream(folder / "text.txt", std::ios::binary) << umlauts();
    const std::string spec = "text:" + (folder / "text.txt").string();
    const std::string tokenizers[] = {"byte", "char", "gpt2:" + fixtures()};
    for (const std::string& tokenizer : tokenizers)
        for (const int64_t batch_size : {1, 3}) {
            const OpenedData opened = open_all_data({spec, spec, tokenizer}, 1);
            const auto whole = make_whole_source(opened.val, opened.batches->info());
            const std::vector<int32_t> ids = opened.tokenizer->encode(umlauts());
            const size_t first = opened.tokenizer->decode({ids.data(), 1}).size();
            EXPECT_EQ(target_bytes(*whole, whole_batches(*opened.val, batch_size, 7),
                                   Batch::of_tokens(batch_size, 7), *opened.tokenizer),
                      umlauts().size() - first)
                << tokenizer << ", " << ids.size() << " tokens";
        }
}

/// One batch of given targets.
class GivenTargets : public DataSource {
  public:
    explicit GivenTargets(std::vector<int32_t> targets) : targets_(std::move(targets)) {}
    const DataInfo& info() const override { return info_; }
    void train_batch(int64_t, int64_t, Batch& batch) const override { eval_batch(0, batch); }
    void eval_batch(int64_t, Batch& batch) const override {
        std::copy(targets_.begin(), targets_.end(), batch.targets().begin());
    }

  private:
    DataInfo info_;
    std::vector<int32_t> targets_;
};

TEST(TargetBytes, OfSpecialAndIgnoredTokensAreNone) {
    const auto tokenizer = open_tokenizer("json:" + fixtures() + "/tokenizer.json", "");
    ASSERT_FALSE(tokenizer->special_tokens().empty());
    const int32_t special = tokenizer->special_tokens().begin()->second;
    const std::vector<int32_t> word = tokenizer->encode("a");
    ASSERT_EQ(word.size(), 1u);
    const GivenTargets data({word[0], special, kIgnoredTarget, word[0]});
    EXPECT_EQ(target_bytes(data, 2, Batch::of_tokens(1, 4), *tokenizer), 4);
}

TEST(TargetBytes, OfAnotherTokenizersIdsAreUnknown) {
    const auto bytes = make_byte_tokenizer();
    const GivenTargets data({1, 256});
    EXPECT_EQ(target_bytes(data, 1, Batch::of_tokens(1, 2), *bytes), std::nullopt);
}

}  // namespace
}  // namespace headroom
