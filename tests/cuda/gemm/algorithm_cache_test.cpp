// Which algorithms are kept, and that files from outside cannot hurt.
#include "cuda/gemm/algorithm_cache.h"

#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace headroom::cuda {
namespace {

class AlgorithmCacheFile : public testing::Test {
  protected:
    AlgorithmCache open(const std::string& machine = "h100") {
        return {path_, machine, [this](const std::string& text) { warnings_.push_back(text); }};
    }
    /// Chooses for `product`; what would be measured is `measured`.
    static std::string choose(AlgorithmCache& cache, const std::string& product,
                              const std::string& measured) {
        return cache.choose(
            product, [](const std::string& choice) { return choice != "stale"; },
            [&] { return measured; });
    }

    TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "cache" / "headroom" / "cuda-products.json";
    std::vector<std::string> warnings_;
};

TEST_F(AlgorithmCacheFile, GivesASecondProcessTheSameChoice) {
    AlgorithmCache first = open();
    EXPECT_EQ(choose(first, "m8", "aa"), "aa");
    EXPECT_EQ(choose(first, "m8", "bb"), "aa");
    AlgorithmCache second = open();
    EXPECT_EQ(choose(second, "m8", "cc"), "aa");
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(AlgorithmCacheFile, KeepsMachinesAndProductsApart) {
    AlgorithmCache first = open();
    choose(first, "m8", "aa");
    AlgorithmCache second = open("h200");
    EXPECT_EQ(choose(second, "m8", "bb"), "bb");
    EXPECT_EQ(choose(first, "m9", "cc"), "cc");
}

TEST_F(AlgorithmCacheFile, LosesNothingOfTwoProcessesAtOnce) {
    AlgorithmCache first = open(), second = open();
    choose(first, "m8", "aa");
    choose(second, "m9", "bb");
    EXPECT_EQ(choose(second, "m8", "cc"), "aa") << "the one who measured first decides";
    AlgorithmCache third = open();
    EXPECT_EQ(choose(third, "m8", "dd"), "aa");
    EXPECT_EQ(choose(third, "m9", "dd"), "bb");
}

TEST_F(AlgorithmCacheFile, LosesNothingOfManyThreadsWithCachesOfTheirOwn) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([this, t] {
            AlgorithmCache cache(path_, "h100", [](const std::string&) {});
            for (int i = 0; i < 5; ++i)
                choose(cache, "m" + std::to_string(10 * t + i), std::to_string(t));
        });
    threads.clear();
    AlgorithmCache cache = open();
    for (int t = 0; t < 4; ++t)
        for (int i = 0; i < 5; ++i)
            EXPECT_EQ(choose(cache, "m" + std::to_string(10 * t + i), "lost"), std::to_string(t));
}

TEST_F(AlgorithmCacheFile, DoesNotWaitForEverForAProcessThatHangs) {
    open();
    const std::filesystem::path lock = path_.string() + ".lock";
    const FileDescriptor hanging(::open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644));
    ASSERT_EQ(::flock(hanging.get(), LOCK_EX), 0);
    AlgorithmCache cache(
        path_, "h100", [](const std::string&) {}, std::chrono::milliseconds(10));
    EXPECT_EQ(choose(cache, "m8", "aa"), "aa");
    AlgorithmCache second = open();
    EXPECT_EQ(choose(second, "m8", "bb"), "aa") << "kept all the same";
}

TEST_F(AlgorithmCacheFile, MeasuresAgainWhatIsNoLongerValid) {
    AlgorithmCache first = open();
    choose(first, "m8", "stale");
    AlgorithmCache second = open();
    EXPECT_EQ(choose(second, "m8", "aa"), "aa");
    AlgorithmCache third = open();
    EXPECT_EQ(choose(third, "m8", "bb"), "aa");
}

TEST_F(AlgorithmCacheFile, KeepsNothingThatCouldNotBeMeasured) {
    AlgorithmCache first = open();
    EXPECT_EQ(choose(first, "m8", ""), "");
    EXPECT_EQ(choose(first, "m8", "aa"), "aa");
}

TEST_F(AlgorithmCacheFile, LeavesFilesThatAreNotItsOwnAlone) {
    for (const std::string text :
         {"", "not json", "[]", "{}", R"({"format": 2, "choices": {}})",
          R"({"format": 1, "choices": []})", R"({"format": 1, "choices": {"h100": 3}})",
          R"({"format": 1, "choices": {"h100": {"m8": "aa", "m9": 3}}})"}) {
        SCOPED_TRACE(text);
        make_folder(path_.parent_path());
        write_file_atomically(path_, text);
        warnings_.clear();
        AlgorithmCache cache = open();
        ASSERT_EQ(warnings_.size(), 1u);
        EXPECT_NE(warnings_[0].find(path_.string()), std::string::npos);
        EXPECT_EQ(choose(cache, "m8", "bb"), "") << "the next process could choose otherwise";
        EXPECT_EQ(read_text(path_), text);
        EXPECT_EQ(warnings_.size(), 1u);
    }
}

TEST_F(AlgorithmCacheFile, WorksWhereNoFileCanBe) {
    make_folder(folder_.path());
    write_file_atomically(folder_.path() / "cache", "a file in the folder's place");
    AlgorithmCache cache = open();
    EXPECT_EQ(warnings_.size(), 1u);
    EXPECT_EQ(choose(cache, "m8", "aa"), "");
    path_.clear();
    warnings_.clear();
    AlgorithmCache without = open();
    EXPECT_TRUE(warnings_.empty());
    EXPECT_EQ(choose(without, "m8", "aa"), "");
    EXPECT_EQ(choose(without, "m9", "aa"), "");
    ASSERT_EQ(warnings_.size(), 1u) << "once";
    EXPECT_NE(warnings_[0].find("HOME"), std::string::npos);
}

TEST_F(AlgorithmCacheFile, TakesNoChoiceThatCouldNotBeWritten) {
    AlgorithmCache cache = open();
    EXPECT_EQ(choose(cache, "m8", "aa"), "aa");
    std::filesystem::remove_all(folder_.path() / "cache");
    write_file_atomically(folder_.path() / "cache", "a file in the folder's place");
    EXPECT_EQ(choose(cache, "m9", "bb"), "");
    EXPECT_EQ(warnings_.size(), 1u);
    EXPECT_EQ(choose(cache, "m9", "bb"), "");
    EXPECT_EQ(choose(cache, "m8", "cc"), "aa") << "as it was kept";
}

TEST(AlgorithmCachePath, FollowsTheEnvironment) {
    EXPECT_EQ(algorithm_cache_path("/x", "/home/me"), "/x/headroom/cuda-products.json");
    EXPECT_EQ(algorithm_cache_path(nullptr, "/home/me"),
              "/home/me/.cache/headroom/cuda-products.json");
    EXPECT_EQ(algorithm_cache_path("", "/home/me"), "/home/me/.cache/headroom/cuda-products.json");
    EXPECT_EQ(algorithm_cache_path("relative", nullptr), "");
}

TEST(Hexadecimal, RoundTripsAndRefusesTheRest) {
    const unsigned char bytes[] = {0, 1, 0xab, 0xff};
    const std::string text = to_hex(bytes, 4);
    EXPECT_EQ(text, "0001abff");
    EXPECT_EQ(from_hex(text, 4), std::string("\x00\x01\xab\xff", 4));
    EXPECT_EQ(from_hex(text, 3), std::nullopt);
    EXPECT_EQ(from_hex("0001abfg", 4), std::nullopt);
    EXPECT_EQ(from_hex("apart", 4), std::nullopt);
}

}  // namespace
}  // namespace headroom::cuda
