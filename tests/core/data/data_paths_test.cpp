#include "core/data/data_paths.h"

#include <string>

#include <gtest/gtest.h>

#include "core/config/job.h"
#include "core/data/data_spec.h"

namespace headroom {
namespace {

std::string placed(const std::string& spec) {
    return change_paths(spec, [](const std::string& path) { return "/home/" + path; });
}

TEST(DataPaths, OfEverySpecThatNamesAFile) {
    EXPECT_EQ(placed("text:a.txt"), "text:/home/a.txt");
    EXPECT_EQ(placed("tokens:a.bin?vocab=9"), "tokens:/home/a.bin?vocab=9");
    EXPECT_EQ(placed("gpt2:folder"), "gpt2:/home/folder");
    EXPECT_EQ(placed("json:t.json"), "json:/home/t.json");
    EXPECT_EQ(placed("sp:t.model"), "sp:/home/t.model");
    EXPECT_EQ(placed("mix:0.7 tokens:a.bin;0.3  text:b c.txt; 1 task:grammar"),
              "mix:0.7 tokens:/home/a.bin; 0.3 text:/home/b c.txt; 1 task:grammar");
    for (const char* other : {"byte", "task:copy?symbols=3", "split:0.1", "text:", "", "mix:"})
        EXPECT_EQ(placed(other), other);
}

TEST(DataSpecs, AreOfTheKindWhoseWordTheyBeginWith) {
    for (const DataSpecKind& info : data_spec_kinds()) {
        EXPECT_EQ(data_kind_of(data_spec_text(info.kind, "x?y=1")), info.kind) << info.word;
        EXPECT_EQ(data_kind_of(info.form), info.kind) << info.form;
    }
    for (const char* none : {"", ":", "texts:a", "text", "/text:a", " text:a"})
        EXPECT_EQ(data_kind_of(none), std::nullopt) << none;
}

TEST(DataSpecs, SayWhatIsEvaluatedOn) {
    DataConfig data{.train = "text:a.txt", .val = "split:0.2"};
    EXPECT_TRUE(data.holds_out());
    EXPECT_EQ(data.evaluated(), "text:a.txt, split:0.2");
    data.val = "text:b.txt";
    EXPECT_FALSE(data.holds_out());
    EXPECT_EQ(data.evaluated(), "text:b.txt");
    EXPECT_EQ(data.both(), "text:a.txt, text:b.txt");
    EXPECT_FALSE(data.are_images());
    data.train = "images:folder";
    EXPECT_TRUE(data.are_images());
}

TEST(DataPaths, PartsOfAMixtureKeepWhatIsWrongWithThem) {
    const auto parts = split_mixture(" 2 text:a;b; ");
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].weight, "2");
    EXPECT_EQ(parts[0].spec, "text:a");
    EXPECT_EQ(parts[1].weight, "");
    EXPECT_EQ(parts[1].spec, "b");
    EXPECT_EQ(parts[2].spec, "");
}

TEST(DataPaths, OfZeroShotTasks) {
    const auto home = [](const std::string& path) { return "/home/" + path; };
    EXPECT_EQ(split_tasks(" piqa:a.jsonl; rte:b:c ;"),
              (std::vector<std::string>{"piqa:a.jsonl", "rte:b:c"}));
    EXPECT_TRUE(split_tasks("").empty());
    EXPECT_EQ(change_task_paths("piqa:a.jsonl; rte:b:c", home),
              "piqa:/home/a.jsonl; rte:/home/b:c");
    EXPECT_EQ(change_task_paths("piqa; rte:", home), "piqa; rte:") << "to be refused as it stands";
}

}  // namespace
}  // namespace headroom
