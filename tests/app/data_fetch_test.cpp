// Data sets loaded from addresses of files: what is recorded, what is there, what is refused.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/data/fetch_data.h"
#include "app/tool.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/command.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

bool has_tool(const char* name) {
    try {
        find_tool(name, name);
        return true;
    } catch (const EnvironmentError&) {
        return false;
    }
}

class DataFetch : public testing::Test {
  protected:
    void SetUp() override {
        if (!has_tool("curl")) GTEST_SKIP() << "curl is not installed";
        fs::create_directories(folder_ / "there");
        write_plainly(folder_ / "there/story.txt", "once upon a time");
    }

    json file(const std::string& name) const {
        return {{"url", "file://" + (folder_ / "there" / name).string()}};
    }
    json story() const {
        json story = file("story.txt");
        story["bytes"] = 16;
        // sha256sum
        story["sha256"] = "71cfe6daff670b0edb3b6d097fc865eaa92b547fea63d97aabfb95606e83a053";
        return story;
    }
    Outcome fetch(const std::vector<json>& files) const {
        const json set{{"name", "stories"},
                       {"page", "the author"},
                       {"files", files},
                       {"use", json::array({"headroom data inspect text:{folder}/story.txt"})}};
        write_plainly(folder_ / "sources.json", json{{"sources", json::array({set})}}.dump());
        const std::vector<std::string> command{"data",
                                               "fetch",
                                               "stories",
                                               "--out",
                                               here(),
                                               "--sources",
                                               (folder_ / "sources.json").string()};
        return headroom(command);
    }
    std::string here() const { return (folder_ / here_).string(); }

    TemporaryFolder folder_;
    std::string here_ = "here";
};

TEST_F(DataFetch, WhatIsRecordedIsLoadedOnceAndChecked) {
    const Outcome first = fetch({story()});
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(read_text(folder_ / "here/story.txt"), "once upon a time");
    EXPECT_THAT(first.out, HasSubstr("headroom data inspect text:" + here() + "/story.txt"));
    EXPECT_FALSE(fs::exists(folder_ / "here/story.txt.part"));
    fs::remove(folder_ / "there/story.txt");
    const Outcome again = fetch({story()});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(again.err, HasSubstr("story.txt is there"));
    write_plainly(folder_ / "here/story.txt", "twice upon a day");
    expect_one_error_line(fetch({story()}), 2, "take it away");
    EXPECT_EQ(read_text(folder_ / "here/story.txt"), "twice upon a day") << "it may be a person's";
}

TEST_F(DataFetch, AFolderMayBeNamedLikeItsOwnPlaceholder) {
    here_ = "my {folder} of {folder}";
    const Outcome outcome = fetch({story()});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("headroom data inspect text:" + here() + "/story.txt"));
}

TEST_F(DataFetch, AfterwardsSignalsDoWhatTheyDidBefore) {
    std::map<int, void (*)(int)> outside;
    for (const int signal : {SIGINT, SIGTERM}) outside[signal] = std::signal(signal, SIG_DFL);
    outside[SIGHUP] = std::signal(SIGHUP, SIG_IGN);  // as under nohup
    EXPECT_EQ(fetch({story()}).status, 0);
    for (const auto& [signal, handler] : outside)
        EXPECT_EQ(std::signal(signal, handler), signal == SIGHUP ? SIG_IGN : SIG_DFL) << signal;
}

TEST_F(DataFetch, ATerminalThatClosesEndsItInOrder) {
    fs::create_directories(folder_ / "slow");
    write_plainly(folder_ / "slow/curl",
                  "#!/bin/sh\n: > '" + (folder_ / "begun").string() + "'\nexec sleep 60\n");
    fs::permissions(folder_ / "slow/curl", fs::perms::owner_all);
    const Environment path("PATH", (folder_ / "slow").string() + ":" + std::getenv("PATH"));
    const auto outside = std::signal(SIGHUP, SIG_DFL);  // also under nohup
    std::thread closer([this] {
        while (!fs::exists(folder_ / "begun"))
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ::kill(::getpid(), SIGHUP);
    });
    const Outcome outcome = fetch({story()});
    closer.join();
    std::signal(SIGHUP, outside);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("stopped; the same command goes on from here"));
}

TEST_F(DataFetch, WhatAnEarlierTryLeftIsGoneOnWith) {
    fs::create_directories(here());
    write_plainly(folder_ / "here/story.txt.part", "once up");
    const Outcome outcome = fetch({story()});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_text(folder_ / "here/story.txt"), "once upon a time");
}

TEST_F(DataFetch, AnotherFileThanTheRecordedOneIsNotKept) {
    write_plainly(folder_ / "there/story.txt", "once upon a tune");
    const Outcome outcome = fetch({story()});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("the address gives another file now"));
    EXPECT_TRUE(fs::is_empty(here()));
}

TEST_F(DataFetch, WithoutANetworkItSaysWhichFileToPutWhere) {
    fs::remove(folder_ / "there/story.txt");
    const Outcome outcome = fetch({story()});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("put story.txt (16 bytes, SHA-256 71cfe6da"));
    EXPECT_THAT(outcome.err, HasSubstr("into " + here()));
    EXPECT_THAT(outcome.err, HasSubstr("or the author"));
    write_plainly(folder_ / "here/story.txt", "once upon a time");
    EXPECT_EQ(fetch({story()}).status, 0) << "as it said";
}

TEST_F(DataFetch, WithoutARecordedChecksumItTellsWhatCame) {
    const Outcome outcome = fetch({file("story.txt")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("SHA-256 " + story()["sha256"].get<std::string>()));
}

TEST_F(DataFetch, AnArchiveIsUnpackedWholeOrNotAtAll) {
    fs::create_directories(folder_ / "there/pack");
    write_plainly(folder_ / "there/pack/a.txt", "a");
    const fs::path archive = folder_ / "there/pack.tar.gz";
    ASSERT_EQ(
        run_tool(find_tool("tar", "tar"), {"--create", "--gzip", "--file", archive.string(),
                                           "--directory", (folder_ / "there").string(), "pack"})
            .status,
        0);
    json packed = file("pack.tar.gz");
    packed["unpack"] = "tar";
    packed["gives"] = "other";
    EXPECT_THAT(fetch({packed}).err, HasSubstr("holds no folder other"));
    EXPECT_FALSE(fs::exists(folder_ / "here/other.part"));
    packed["gives"] = "pack";
    const Outcome outcome = fetch({packed});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_text(folder_ / "here/pack/a.txt"), "a");
    EXPECT_FALSE(fs::exists(folder_ / "here/pack.part"));
    const std::string whole = read_text(archive);
    write_plainly(folder_ / "here/pack.tar.gz", whole.substr(0, whole.size() / 2));
    fs::remove_all(folder_ / "here/pack");
    EXPECT_THAT(fetch({packed}).err, HasSubstr("cannot be unpacked"));
    EXPECT_FALSE(fs::exists(folder_ / "here/pack"));
}

TEST_F(DataFetch, ListsOfStrangersStayInTheirFolder) {
    const auto refusal = [&](const std::string& key, const json& value) {
        json file = story();
        file[key] = value;
        return fetch({file}).err;
    };
    EXPECT_THAT(refusal("url", "http://example.org/a"), HasSubstr("is no https address"));
    EXPECT_THAT(refusal("url", "https://example.org/"), HasSubstr("is no name of a file"));
    EXPECT_THAT(refusal("url", "file:///tmp/.."), HasSubstr("is no name of a file"));
    EXPECT_THAT(refusal("sha256", "12"), HasSubstr("64 hexadecimal digits"));
    EXPECT_THAT(refusal("bytes", -1), HasSubstr("is no size"));
    EXPECT_THAT(refusal("size", 1), HasSubstr("size"));
    json file = story();
    file["unpack"] = "tar";
    file["gives"] = "../a";
    EXPECT_THAT(fetch({file}).err, HasSubstr("is no name of a file"));
    EXPECT_THAT(fetch({story(), story()}).err, HasSubstr("two files are called story.txt"));
    EXPECT_FALSE(fs::exists(here()));
}

TEST(DataSources, TheProgramsOwnListIsRead) {
    const std::vector<SourceSet> sets = load_source_sets(source_sets_file());
    EXPECT_GE(sets.size(), 8u);
    for (const SourceSet& set : sets) {
        EXPECT_FALSE(set.use.empty()) << set.name;
        for (const SourceFile& file : set.files) EXPECT_TRUE(file.url.starts_with("https://"));
    }
    EXPECT_THAT(headroom({"data", "fetch"}).out, HasSubstr("168.5 MB"));
    expect_one_error_line(headroom({"data", "fetch", "cifar1O"}), 2, "did you mean \"cifar10\"");
}

}  // namespace
}  // namespace headroom
