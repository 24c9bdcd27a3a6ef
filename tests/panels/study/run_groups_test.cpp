#include "panels/study/run_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/study/job_difference.h"
#include "panels/study/run_colors.h"

namespace headroom {
namespace {

NamedFolder named_run(const std::string& folder, const std::string& name, int seed,
                      const std::string& lr = "0.001", const std::string& clip = "1.0") {
    return {folder, "",
            identify("{\"name\":\"" + name + "\",\"seed\":" + std::to_string(seed) +
                     ",\"train\":{\"lr\":" + lr + ",\"grad_clip\":" + clip + "}}")};
}

TEST(IdentifyRuns, SeedsOfOneJobShareAGroup) {
    const auto runs = identify_runs({named_run("s/runs/base-s1", "base-s1", 1),
                                     named_run("s/runs/base-s2", "base-s2", 2),
                                     named_run("s/runs/hot", "hot", 1, "10.0")});
    EXPECT_EQ(runs[0].group, "base");
    EXPECT_EQ(runs[1].group, "base");
    EXPECT_EQ(runs[0].name, "base, seed 1");
    EXPECT_EQ(runs[1].id, "base-s2");
    EXPECT_EQ(runs[0].shade, 0);
    EXPECT_EQ(runs[1].shade, 1);
    EXPECT_EQ(runs[2].name, "hot");
    EXPECT_EQ(runs[2].seed, 1);
}

/// Two seeds of one rate and a third of another, in folders as the launch form names them.
/// A run of another tool has no seed, though its name may end in the number of none.
TEST(IdentifyRuns, WhatHasNoSeedKeepsItsName) {
    const JobIdentity theirs = identify(R"({"name": "sweep_0", "imported_from": {"tool": "CSV"}})");
    EXPECT_EQ(identify_runs({{"study/runs/a", "", theirs, 0}}).front().name, "sweep_0");
}

TEST(IdentifyRuns, AnotherLearningRateIsNeverAThirdSeed) {
    const auto runs = identify_runs({named_run("s/runs/skipv1-s1", "skipv1", 1),
                                     named_run("s/runs/skipv1-s2", "skipv1", 2),
                                     named_run("s/runs/skipv1-s3", "skipv1", 3, "10.0", "1000.0")});
    EXPECT_EQ(runs[0].group, runs[1].group);
    EXPECT_NE(runs[2].group, runs[0].group);
    EXPECT_EQ(runs[0].name, "skipv1 · lr 1e-3, grad_clip 1, seed 1");
    EXPECT_EQ(runs[2].name, "skipv1 · lr 10, grad_clip 1000");
}

TEST(IdentifyRuns, GroupsOfOneNameSayWhatDiffers) {
    const auto runs = identify_runs({named_run("a/runs/skipv1-s1", "skipv1", 1),
                                     named_run("a/runs/skipv1-s1-2", "skipv1", 1, "10.0")});
    EXPECT_EQ(runs[0].name, "skipv1 · lr 1e-3");
    EXPECT_EQ(runs[1].name, "skipv1 · lr 10");
}

TEST(IdentifyRuns, EqualJobAndSeedRepeatARun) {
    const auto runs = identify_runs({named_run("a/runs/gpt2-s1", "gpt2", 1),
                                     named_run("a/runs/gpt2-s1-2", "gpt2", 1),
                                     named_run("a/runs/gpt2-s2", "gpt2", 2)});
    EXPECT_FALSE(runs[0].repeats);
    EXPECT_TRUE(runs[1].repeats);
    EXPECT_FALSE(runs[2].repeats);
    EXPECT_NE(runs[0].name, runs[1].name);
}

TEST(IdentifyRuns, OfEqualSeedsTheRunThatIsFurthestCounts) {
    std::vector<NamedFolder> given{
        named_run("a/runs/0", "gpt2", 1), named_run("a/runs/begun", "gpt2", 1),
        named_run("a/runs/done", "gpt2", 1), named_run("a/runs/done-2", "gpt2", 1)};
    for (size_t i = 0; i < given.size(); ++i) given[i].progress = i < 2 ? static_cast<int>(i) : 2;
    std::vector<bool> repeats;
    for (const RunIdentity& each : identify_runs(given)) repeats.push_back(each.repeats);
    EXPECT_EQ(repeats, (std::vector<bool>{true, true, false, true}));
}

TEST(IdentifyRuns, SeedsThatStartFromTheirOwnSourcesShareAGroup) {
    const auto from = [](int seed, const std::string& source) {
        return identify("{\"name\":\"up\",\"seed\":" + std::to_string(seed) +
                        ",\"train\":{\"init_from\":\"/s/runs/" + source +
                        "/checkpoints/step-00000010.safetensors\"}}");
    };
    const auto runs = identify_runs({{"s/runs/up-s1", "", from(1, "base-s1")},
                                     {"s/runs/up-s2", "", from(2, "base-s2")},
                                     {"s/runs/one-s2", "", from(2, "base-s1")},
                                     {"s/runs/other-s1", "", from(1, "else-s1")}});
    EXPECT_EQ(runs[0].group, runs[1].group);
    EXPECT_NE(runs[2].group, runs[0].group);  // all seeds from one source is another job
    EXPECT_NE(runs[3].group, runs[0].group);

    const auto one = identify_runs({{"s/runs/up-s1", "", from(1, "base-s1")},
                                    {"s/runs/up-s2", "", from(2, "base-s1")},
                                    {"s/runs/up-s3", "", from(3, "base-s1")},
                                    {"s/runs/else-s1", "", from(1, "else-s1")}});
    EXPECT_EQ(one[0].group, one[1].group) << "its source has its seed by chance";
    EXPECT_EQ(one[1].group, one[2].group);
    EXPECT_NE(one[3].group, one[0].group);
}

TEST(IdentifyRuns, AVocabularyThatIsNotKnownYetMakesNoOtherJob) {
    const auto job = [](int seed, int vocabulary) {
        return identify("{\"name\":\"x\",\"seed\":" + std::to_string(seed) +
                        ",\"model\":{\"n_layer\":2,\"vocab_size\":" + std::to_string(vocabulary) +
                        "}}");
    };
    const auto queued =
        identify_runs({{"r/a", "", job(1, 256)}, {"r/b", "", job(2, 0)}, {"r/c", "", job(3, 512)}});
    EXPECT_EQ(queued[0].group, queued[1].group);
    EXPECT_NE(queued[0].group, queued[2].group);
}

TEST(IdentifyRuns, AVocabularyThatIsNotKnownYetTellsNothingApart) {
    const auto job = [](const std::string& lr, int vocabulary) {
        return identify("{\"name\":\"x\",\"seed\":1,\"train\":{\"lr\":" + lr +
                        "},\"model\":{\"vocab_size\":" + std::to_string(vocabulary) + "}}");
    };
    const auto runs = identify_runs({{"r/a", "", job("0.001", 0)}, {"r/b", "", job("0.002", 256)}});
    EXPECT_EQ(runs[0].name, "x · lr 1e-3") << "and not by vocab_size 0";
    EXPECT_EQ(runs[1].name, "x · lr 2e-3");
    const auto known = identify_runs({{"r/a", "", job("0.1", 512)}, {"r/b", "", job("0.1", 256)}});
    EXPECT_EQ(known[0].name, "x · vocab_size 512");
}

TEST(IdentifyRuns, APersonsNameIsTheGroups) {
    NamedFolder first = named_run("r/a", "base", 1), second = named_run("r/b", "base", 2);
    second.label = "GPT-2";
    const auto runs = identify_runs({first, second});
    EXPECT_EQ(runs[0].name, "GPT-2, seed 1");
}

TEST(IdentifyRuns, EqualFolderNamesAreToldApartByTheirParents) {
    const auto runs =
        identify_runs({named_run("a/runs/x", "x", 1), named_run("b/runs/x/", "x", 1)});
    EXPECT_EQ(runs[0].id, "a/runs/x");
    EXPECT_EQ(runs[1].id, "b/runs/x");
    EXPECT_NE(runs[0].name, runs[1].name);
}

TEST(IdentifyRuns, AJobThatIsNotOneIsARunOfItsOwn) {
    const auto runs = identify_runs({{"a/x", "", identify("not json")}, {"a/y", "", identify("")}});
    EXPECT_EQ(runs[0].name, "x");
    EXPECT_EQ(runs[1].name, "y");
    EXPECT_NE(runs[0].group, runs[1].group);
}

TEST(IdentifyRuns, AJobNestedWithoutEndIsNone) {
    std::string job;
    for (int i = 0; i < 200000; ++i) job += "{\"a\":";
    job += "1" + std::string(200000, '}');
    const auto runs = identify_runs(
        {{"/s/runs/a", "", identify(job)}, {"/s/runs/b", "", identify("{\"name\": \"b\"}")}});
    EXPECT_EQ(runs.at(0).name, "a");
    EXPECT_EQ(runs.at(1).name, "b");
}

TEST(DescribeDifferences, TakesAsFewKeysAsTellAllApart) {
    const std::map<std::string, std::string> a{{"train.lr", "0.001"}, {"model.n_layer", "6"}},
        b{{"train.lr", "0.001"}, {"model.n_layer", "12"}},
        c{{"train.lr", "0.003"}, {"model.n_layer", "6"}};
    EXPECT_EQ(describe_differences({&a, &b, &c}),
              (std::vector<std::string>{"n_layer 6, lr 1e-3", "n_layer 12, lr 1e-3",
                                        "n_layer 6, lr 3e-3"}));
    EXPECT_EQ(describe_differences({&a, &b}),
              (std::vector<std::string>{"n_layer 6", "n_layer 12"}));
}

// Else one would think that eval_every changed the loss.
TEST(DescribeDifferences, NamesWhatDecidesAboutTheResultFirst) {
    const std::map<std::string, std::string> a{{"train.lr", "0.004"},
                                               {"train.eval_every", "5"},
                                               {"train.grad_clip", "1.0"},
                                               {"probes", "[]"}},
        b{{"train.lr", "0.00001"},
          {"train.eval_every", "10"},
          {"train.grad_clip", "0.5"},
          {"probes", "[1]"}};
    std::map<std::string, std::string> c = a;
    c["train.eval_every"] = "20";
    EXPECT_EQ(describe_differences({&a, &b}),
              (std::vector<std::string>{"lr 4e-3, grad_clip 1", "lr 1e-5, grad_clip 0.5"}));
    EXPECT_EQ(describe_differences({&a, &c}),
              (std::vector<std::string>{"eval_every 5", "eval_every 20"}));
    EXPECT_EQ(describe_differences({&a, &b, &c}),
              (std::vector<std::string>{"lr 4e-3, eval_every 5, grad_clip 1",
                                        "lr 1e-5, eval_every 10, grad_clip 0.5",
                                        "lr 4e-3, eval_every 20, grad_clip 1"}));
}

// Else one would think that lr alone made the difference.
TEST(DescribeDifferences, NamesUpToThreeThatDecideAboutTheResult) {
    std::map<std::string, std::string> a{{"train.lr", "0.004"}, {"train.grad_clip", "1"}},
        b{{"train.lr", "0.001"}, {"train.grad_clip", "2"}};
    a["model.n_layer"] = "2", b["model.n_layer"] = "4";
    EXPECT_EQ(describe_differences({&a, &b}),
              (std::vector<std::string>{"n_layer 2, lr 4e-3, grad_clip 1",
                                        "n_layer 4, lr 1e-3, grad_clip 2"}));
    a["train.weight_decay"] = "0", b["train.weight_decay"] = "0.1";
    EXPECT_THAT(describe_differences({&a, &b}).front(), ::testing::EndsWith(", …"));
}

// Both were called "train book.txt".
TEST(DescribeDifferences, TellsApartWhatShortTextsDoNot) {
    const std::map<std::string, std::string> a{{"data.train", "\"text:/x/one/book.txt\""}},
        b{{"data.train", "\"text:/x/two/book.txt\""}};
    EXPECT_EQ(describe_differences({&a, &b}),
              (std::vector<std::string>{"train one/book.txt", "train two/book.txt"}));
    EXPECT_EQ(told_apart({"0.0012", "0.0012"}, {"0.00121", "0.00122"}),
              (std::vector<std::string>{"0.00121", "0.00122"}));
    const std::string same(40, '0');
    EXPECT_EQ(told_apart({"0…", "0…", "0…", "1"}, {same + "a", same + "b", same + "a", "1"}),
              (std::vector<std::string>{"0… #1", "0… #2", "0… #1", "1"}));
}

TEST(ShortValue, ReadsWell) {
    EXPECT_EQ(short_value("0.001"), "1e-3");
    EXPECT_EQ(short_value("0.00025"), "2.5e-4");
    EXPECT_EQ(short_value("0.5"), "0.5");
    EXPECT_EQ(short_value("10.0"), "10");
    EXPECT_EQ(short_value("0.17677669529663687"), "0.176777") << "minor 6: not its tail";
    EXPECT_EQ(short_value("30000"), "30000");
    EXPECT_EQ(short_value("\"text:/home/me/wiki.txt\""), "wiki.txt");
    EXPECT_EQ(short_value("\"skipv1\""), "skipv1");
    EXPECT_EQ(short_value("true"), "true");
    EXPECT_EQ(short_value("\"äöüäöü\"", 5), "äö…") << "no half characters";
}

TEST(AssignColors, KeepsWhatIsStoredAndGivesTheLowestFree) {
    std::vector<ColoredRun> runs{
        {"b", 0, 0}, {"a", {}, 0}, {"a", {}, 0}, {"c", 1, 0}, {"b", {}, 0}};
    assign_colors(runs);
    EXPECT_EQ(runs[0].color, 0);
    EXPECT_EQ(runs[1].color, 2);
    EXPECT_EQ(runs[2].color, 2) << "one colour for a group";
    EXPECT_EQ(runs[3].color, 1);
    EXPECT_EQ(runs[4].color, 0) << "a new seed has its group's";
}

TEST(ParseIsoTime, KnowsZones) {
    EXPECT_EQ(parse_iso_time("2025-01-31T12:00:00Z"), 1738324800);
    EXPECT_EQ(parse_iso_time("2025-01-31T13:30:00+01:30"), 1738324800);
    EXPECT_EQ(parse_iso_time("2025-01-31T12:00:00.25Z"), 1738324800);
    EXPECT_EQ(parse_iso_time("yesterday"), 0);
}

}  // namespace
}  // namespace headroom
