#include "core/study/study_labels.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

std::string error_of(const std::filesystem::path& study) {
    try {
        read_labels(study);
        return "";
    } catch (const UserError& error) {
        return error.what();
    }
}

TEST(StudyLabels, ReadBackAsTheyWereWritten) {
    const TemporaryFolder study;
    EXPECT_EQ(read_labels(study.path()), StudyLabels{}) << "no file, no labels";
    const RunLabel label{3, "GPT-2 with a \"name\"", {"good", "paper"}, "# seen\nÄ note"};
    change_labels(study.path(), [&](StudyLabels& labels) { labels.runs["base-s1"] = label; });
    EXPECT_EQ(read_labels(study.path()).runs.at("base-s1"), label);
}

TEST(StudyLabels, NothingIsWrittenWhereNothingChanges) {
    const TemporaryFolder study;
    change_labels(study.path(), [](StudyLabels&) {});
    EXPECT_FALSE(std::filesystem::exists(study / "labels.json"));
}

TEST(StudyLabels, WhatIsWrongIsNamed) {
    const TemporaryFolder study;
    const auto error_for = [&](const std::string& runs) {
        write_file_atomically(study / "labels.json",
                              R"({"schema": "headroom-labels/1", "runs": )" + runs + "}");
        return error_of(study.path());
    };
    EXPECT_EQ(error_for("{}"), "");
    EXPECT_THAT(error_for(R"({"a": {"colour": 1}})"), HasSubstr("did you mean \"color\""));
    EXPECT_THAT(error_for(R"({"a": {"color": -1}})"), HasSubstr("labels.json: runs.\"a\".color"));
    EXPECT_THAT(error_for(R"({"a": {"color": 1.5}})"), HasSubstr("no colour"));
    EXPECT_THAT(error_for(R"({"a": {"tags": "x"}})"), HasSubstr("no list of tags"));
    EXPECT_THAT(error_for(R"({"a": {"name": 1}})"), HasSubstr("no text"));
    EXPECT_THAT(error_for("[]"), HasSubstr("not an object"));
    write_file_atomically(study / "labels.json", R"({"schema": "headroom-labels/9"})");
    EXPECT_THAT(error_of(study.path()), HasSubstr("headroom-labels/1"));
}

TEST(StudyLabels, WhatCouldNotBeReadBackIsNotWritten) {
    const TemporaryFolder study;
    const auto refused = [&](const RunLabel& label, const std::string& part) {
        try {
            change_labels(study.path(), [&](StudyLabels& all) { all.runs["a"] = label; });
            ADD_FAILURE() << "accepted: " << part;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr("label of a")) << part;
            EXPECT_THAT(error.what(), HasSubstr(part));
        }
        EXPECT_FALSE(std::filesystem::exists(study / "labels.json")) << part;
    };
    RunLabel label;
    label.name = std::string(201, 'x');
    refused(label, "201 characters; give it 200 at most");
    label.name = "two\nlines";
    refused(label, "control characters");
    label.name = "\xff";
    refused(label, "no UTF-8");
    label.name.clear();
    label.tags = {""};
    refused(label, "tag is empty");
    label.tags = {std::string(201, 'x')};
    refused(label, "201 characters");
    label.tags.clear();
    for (int i = 0; i < 65; ++i) label.tags.push_back("t" + std::to_string(i));
    refused(label, "65 tags");
    label.tags.clear();
    label.note = std::string((64 << 10) + 1, 'x');
    refused(label, "65537 characters");
    label.note = "line\n\ttab";
    for (int i = 0; i < 200; ++i) label.name += "é";
    change_labels(study.path(), [&](StudyLabels& all) { all.runs["a"] = label; });
    EXPECT_EQ(read_labels(study.path()).runs.at("a"), label);
}

TEST(StudyLabels, ABrokenFileIsNeverWrittenOver) {
    const TemporaryFolder study;
    write_file_atomically(study / "labels.json", "{");
    EXPECT_THROW(change_labels(study.path(), [](StudyLabels& l) { l.runs["a"].color = 1; }),
                 UserError);
    EXPECT_EQ(read_text(study / "labels.json"), "{");
}

TEST(StudyLabels, ChangesAtOnceLoseNothing) {
    const TemporaryFolder study;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&study, t] {
            for (int i = 0; i < 10; ++i)
                change_labels(study.path(), [&](StudyLabels& labels) {
                    labels.runs[std::to_string(t) + "-" + std::to_string(i)].color = i;
                });
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(read_labels(study.path()).runs.size(), 40u);
}

}  // namespace
}  // namespace headroom
