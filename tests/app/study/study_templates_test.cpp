#include "app/study/study_templates.h"

#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "panels/study/claim_answers.h"
#include "panels/study/measured_runs.h"
#include "panels/study/named_run.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::filesystem::path kFolder = source_tree() / "resources/studies";

template <class Visit>
void for_each_study(Visit visit) {
    for (const StudyTemplate& each : list_templates(kFolder))
        for (const std::string& scale : each.scales) {
            SCOPED_TRACE(each.name + " at scale " + scale);
            visit(template_study(each, scale), scale);
        }
}

/// The study as it stands before anything was trained; the vocabulary of a task is a byte's.
StudySnapshot planned(const Study& study) {
    StudySnapshot snapshot;
    for (const StudyRun& each : study.runs) {
        Job job = each.job;
        if (job.model.vocab_size == 0) job.model.vocab_size = 256;
        Run run;
        run.id = each.id;
        run.group = each.variant;
        run.seed = job.seed;
        run.planned = true;
        run.job = std::make_shared<const Job>(std::move(job));
        snapshot.runs.push_back(std::make_shared<const Run>(std::move(run)));
    }
    return snapshot;
}

TEST(StudyTemplates, AreThereAtThreeScales) {
    std::set<std::string> names;
    for (const StudyTemplate& each : list_templates(kFolder)) {
        names.insert(each.name);
        EXPECT_THAT(each.scales, testing::ElementsAre("laptop", "gpu", "paper")) << each.name;
    }
    for (const char* name : {"000-table2", "000-decay", "001-rates", "001-one-of-three",
                             "004-table5", "004-figure4", "004-ratios"})
        EXPECT_THAT(names, Contains(name));
}

TEST(StudyTemplates, SayWhatTheyAskAndTestClaims) {
    for_each_study([](const Study& study, const std::string& scale) {
        EXPECT_FALSE(study.description.empty());
        EXPECT_FALSE(study.expect.empty());
        if (scale == "laptop") {
            EXPECT_GE(study.seeds.size(), 3u);
        }
        for (const Claim& claim : study.expect) {
            EXPECT_FALSE(claim.says.empty()) << claim.text;
            EXPECT_FALSE(claim.source.empty()) << claim.text;
        }
    });
}

/// What follows from the jobs alone is true at every scale; everything else waits for runs.
TEST(StudyTemplates, TheirCountsAreThoseOfThePapers) {
    int exact = 0;
    for_each_study([&](const Study& study, const std::string&) {
        for (const ClaimAnswer& answer : answer_claims(study, planned(study))) {
            const bool counted = answer.n() > 0;
            exact += counted;
            EXPECT_EQ(answer.verdict, counted ? Verdict::kHeld : Verdict::kNotDecided)
                << answer.claim.text;
        }
    });
    EXPECT_GE(exact, 12);
}

/// What a template came to is told with its picture, the command that repeats it, and a link.
TEST(StudyTemplates, ResultsCanBeFoundSeenAndRepeated) {
    const std::string list = read_text(kFolder / "README.md");
    int told = 0;
    for (const StudyTemplate& each : list_templates(kFolder)) {
        const bool has_results = std::filesystem::exists(each.folder / "RESULTS.md");
        EXPECT_EQ(has_results, std::filesystem::exists(each.folder / "outcome.svg")) << each.name;
        const std::string link = "[RESULTS.md](" + each.name + "/RESULTS.md)";
        EXPECT_EQ(has_results, list.find(link) != std::string::npos) << each.name;
        if (!has_results) continue;
        ++told;
        const std::string text = read_text(each.folder / "RESULTS.md");
        EXPECT_THAT(text, HasSubstr("--from " + each.name + " ")) << each.name;
        EXPECT_THAT(text, HasSubstr("](outcome.svg)")) << each.name;
    }
    EXPECT_GE(told, 2);
}

TEST(StudyTemplates, TheirFiguresCompareWithRunsThatTheyHave) {
    for_each_study([](const Study& study, const std::string&) {
        const std::vector<RunPointer> runs = planned(study).runs;
        for (const StudyFigure& figure : study.figures) {
            const auto baseline = figure.options.find("relative-to");
            if (baseline == figure.options.end()) continue;
            EXPECT_NE(find_named_run(runs, baseline->second), nullptr)
                << figure.name << ": " << baseline->second;
        }
    });
}

TEST(StudyTemplates, ThePageOfThePapersNamesEachOnce) {
    const std::string page = read_text(kFolder / "PAPERS.md");
    const std::regex named("template `([^`]+)`");
    std::multiset<std::string> found, all;
    for (std::sregex_iterator at(page.begin(), page.end(), named), end; at != end; ++at)
        found.insert((*at)[1]);
    for (const StudyTemplate& each : list_templates(kFolder))
        if (each.name != "wiring-search") all.insert(each.name);
    found.erase(found.find("000-shared"));  // of 000 and of 002
    EXPECT_EQ(found, all);
}

TEST(StudyTemplates, ThePapersOwnRecipeIsThatOfTheScalePaper) {
    const Study study = template_study(find_template(kFolder, "000-table2", "paper"), "paper");
    ASSERT_EQ(study.runs.size(), 5u);
    const TrainConfig& train = study.runs[3].job.train;
    EXPECT_EQ(train.decay_steps, 600000);
    EXPECT_EQ(train.steps, 100000);
    EXPECT_EQ(train.batch_size * train.grad_accum * train.seq_len, 491520);
    EXPECT_EQ(train.weight_decay, 0.03125);
    EXPECT_EQ(study.runs[2].job.model.d_model, 744);
}

TEST(StudyTemplates, OneBecomesAStudyOfAFolder) {
    const TemporaryFolder folder;
    const std::filesystem::path study = folder.path() / "a/b";
    make_study(find_template(kFolder, "001-rates", "gpu"), "gpu", study);
    const Study made = load_study(study / "study.json");
    EXPECT_EQ(made.runs.size(), 30u);
    EXPECT_EQ(made.runs.front().job.model.d_model, 384);
    EXPECT_THAT([&] { make_study(find_template(kFolder, "001-rates", "gpu"), "gpu", study); },
                ThrowsMessage<UserError>(HasSubstr("is there already")));
}

// Runs of one study, started from two folders, were trained on the book.txt of each.
TEST(StudyTemplates, FilesOfWhereItIsMadeAreFoundFromEverywhere) {
    const TemporaryFolder folder;
    const std::filesystem::path home = std::filesystem::canonical(folder.path());
    write_file_atomically(home / "book.txt", "once");
    make_folder(home / "study");
    write_file_atomically(home / "study/own.txt", "upon");
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(home);
    make_study(find_template(kFolder, "001-rates", "laptop"), "laptop", "study",
               {{"data.train=mix:1 text:book.txt; 2 text:absent.txt", "data.val=text:study/own.txt",
                 "train.init_from=book.txt", "data.tokenizer=byte"},
                ""});
    std::filesystem::current_path(before);
    const Job job = load_study(home / "study/study.json").runs.front().job;
    EXPECT_EQ(job.data.train, "mix:1 text:" + (home / "book.txt").string() + "; 2 text:absent.txt");
    EXPECT_EQ(job.data.val, "text:own.txt");
    EXPECT_EQ(job.train.init_from, (home / "book.txt").string());
    EXPECT_EQ(job.data.tokenizer, "byte");
}

TEST(StudyTemplates, AKeyOrABudgetCanBeGivenWithIt) {
    const TemporaryFolder folder;
    const StudyTemplate search = find_template(kFolder, "wiring-search", "laptop");
    make_study(search, "laptop", folder / "a",
               {{"data.train=text:book.txt", "train.steps=300"}, "params=0.95"});
    const WiringSearch made = *load_search(folder / "a");
    EXPECT_EQ(made.by, "params");
    EXPECT_EQ(made.share, 0.95);
    EXPECT_EQ(made.job.data.train, "text:book.txt");
    EXPECT_EQ(made.rungs.back(), 300);
    EXPECT_EQ(load_study(folder / "a/study.json").runs.front().job.train.steps, 300);

    const auto refused = [&](const StudyTemplate& chosen, const TemplateChanges& changes,
                             const char* why) {
        EXPECT_THAT([&] { make_study(chosen, "laptop", folder / "b", changes); },
                    ThrowsMessage<UserError>(HasSubstr(why)));
        EXPECT_FALSE(std::filesystem::exists(folder / "b/study.json"));
    };
    refused(search, {{}, "cache=0.01"}, "is below what any wiring of this model comes to");
    refused(search, {{}, "cash=0.5"}, "search.budget: \"cash\" is not known");
    refused(search, {{"train.stepz=3"}, ""}, "train.steps");
    refused(search, {{"train.steps=100"}, ""}, "does not rise to train.steps = 100");
    refused(find_template(kFolder, "001-rates", "laptop"), {{}, "0.5"}, "searches nothing");
}

TEST(StudyTemplates, TokensAreThoseOfTheSearchToo) {
    const StudyTemplate search = find_template(kFolder, "wiring-search", "laptop");
    const Study study = template_study(search, "laptop");
    const double runs = training_tokens(study, std::nullopt);
    // 16 wirings to 60 steps, 8 to 120, 4 to 240, 2 with three more seeds; 512 tokens a step.
    EXPECT_EQ(training_tokens(study, template_search(search, "laptop")),
              runs + (16 * 60 + 8 * 60 + 4 * 120 + 2 * 3 * 240) * 512);
}

TEST(StudyTemplates, OneOfOnesOwnIsAFolder) {
    const TemporaryFolder folder;
    std::filesystem::copy(kFolder / std::filesystem::path("001-rates"), folder / "mine");
    for (const std::string tail : {"mine", "mine/"}) {
        const StudyTemplate mine = find_template((folder / tail).string(), "gpu");
        EXPECT_EQ(mine.name, "mine");
        EXPECT_EQ(template_study(mine, "gpu").runs.size(), 30u);
    }
    EXPECT_EQ(find_template("001-rates", "gpu").name, "001-rates");
    EXPECT_THAT([&] { find_template((folder / "not/there").string(), "gpu"); },
                ThrowsMessage<UserError>(HasSubstr("there is no folder")));
}

TEST(StudyTemplates, WhatThereIsNotIsSaid) {
    EXPECT_THAT([] { find_template(kFolder, "000-tabel2", "laptop"); },
                ThrowsMessage<UserError>(HasSubstr("did you mean \"000-table2\"")));
    EXPECT_THAT([] { find_template(kFolder, "000-table2", "gpus"); },
                ThrowsMessage<UserError>(HasSubstr("did you mean \"gpu\"")));
}

}  // namespace
}  // namespace headroom
