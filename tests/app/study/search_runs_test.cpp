// A search from its plan to its end, with real trainings of tiny models.
#include "app/study/search_runs.h"

#include <csignal>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "app/study/study_expand.h"
#include "app/study/study_runner.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "core/search/search_budget.h"
#include "core/study/study.h"
#include "core/study/wiring_search.h"
#include "tests/support/patience.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr char kSearchStudy[] = R"({ "schema": "headroom-study/1", "name": "search",
  "seeds": [1, 2],
  "job": { "device": "cpu",
    "model": { "n_layer": 3, "n_head": 2, "d_model": 16, "block_size": 16, "pos": "rope" },
    "data": { "train": "task:grammar" },
    "train": { "steps": 8, "batch_size": 2, "seq_len": 16, "warmup_steps": 1, "eval_every": 2,
               "eval_batches": 1, "checkpoint_every": 0, "keep_checkpoints": 1 } },
  "search": { "seed": 7, "budget": { "cache": 0.5 }, "candidates": 3, "generations": 2,
              "rungs": [2, 4], "finalists": 1 },
  "runs": [ { "id": "baseline" }, { "id": "cla", "job": { "model": { "arch": "cla" } } } ] })";

class SearchRuns : public testing::Test {
  protected:
    SearchRuns() { write_plainly(folder_ / "study.json", kSearchStudy); }

    static bool search(const fs::path& folder, const std::function<bool()>& interrupted,
                       std::vector<std::string>* said = nullptr) {
        const auto say = [said](const std::string& line) {
            if (said) said->push_back(line);
        };
        StudyRunner runner(
            folder,
            {.headroom = built_program("headroom"),
             .update = [=] { expand_study(load_study(folder / "study.json"), folder, say); },
             .next = [=] { return queue_search_runs(folder, say); },
             .poll_seconds = 0.005,
             .say = say});
        return runner.run_all(interrupted);
    }

    static std::map<std::string, RunSeries> logs(const fs::path& folder) {
        std::map<std::string, RunSeries> all;
        for (const RunFolder& run : list_runs(folder))
            if (fs::exists(run.log()))
                all.emplace(run.root.filename().string(), read_run_log(run.log()));
        return all;
    }

    template <class T>
    static std::vector<T> list(const SharedColumn<T>& column) {
        return {column.begin(), column.end()};
    }

    /// Both studies came to the same: plans, steps, losses.
    static void expect_equal(const fs::path& a, const fs::path& b) {
        EXPECT_EQ(load_json(a / "study.json"), load_json(b / "study.json"));
        const auto first = logs(a), second = logs(b);
        ASSERT_EQ(first.size(), second.size());
        for (const auto& [id, series] : first) {
            ASSERT_TRUE(second.contains(id));
            EXPECT_EQ(list(series.train.step), list(second.at(id).train.step)) << id;
            EXPECT_EQ(list(series.train.loss), list(second.at(id).train.loss)) << id;
            EXPECT_EQ(list(series.val.loss), list(second.at(id).val.loss)) << id;
        }
    }

    /// The steps that a log had stand in it as they were, to the second at which they were done.
    static void expect_kept(const std::map<std::string, RunSeries>& before, const fs::path& after) {
        const auto now = logs(after);
        for (const auto& [id, series] : before) {
            const auto done = list(series.train.seconds), later = list(now.at(id).train.seconds);
            ASSERT_LE(done.size(), later.size());
            EXPECT_TRUE(std::equal(done.begin(), done.end(), later.begin())) << id;
        }
    }

    TemporaryFolder folder_, other_;
};

const auto kNotInterrupted = [] { return false; };

// Its wirings would have been trained for one length and compared at another.
TEST_F(SearchRuns, IsRefusedBesideABudgetAndStillRead) {
    nlohmann::json document = nlohmann::json::parse(kSearchStudy);
    document["budget"] = {{"tokens", 1e6}};
    write_plainly(folder_ / "study.json", document.dump());
    EXPECT_EQ(load_study(folder_ / "study.json").runs.size(), 4u);
    EXPECT_THAT([&] { check_search(folder_.path()); },
                ThrowsMessage<UserError>(HasSubstr("both say how long")));
    EXPECT_THROW(queue_search_runs(folder_.path(), [](const std::string&) {}), UserError);
}

TEST_F(SearchRuns, GoesToItsEndByOrdinaryRunsOfTheStudy) {
    std::vector<std::string> said;
    ASSERT_TRUE(search(folder_.path(), kNotInterrupted, &said));
    EXPECT_THAT(said, Contains("search: generation 1 of 2: 3 wirings to 2 steps"));
    EXPECT_THAT(said, Contains("search: rung 3 of 3: 2 wirings to 8 steps"));
    EXPECT_THAT(said.end()[-1], HasSubstr("search: done; w0"));

    const Study study = load_study(folder_ / "study.json");
    const WiringSearch plan = *load_search(folder_.path());
    const SearchBudget budget(plan);
    std::map<int64_t, int> trained;  // candidates by their steps
    int finalists = 0;
    for (const StudyRun& run : study.runs) {
        const RunSeries log = read_run_log(folder_ / "runs" / run.id / "log.h5");
        EXPECT_EQ(log.state, RunState::kFinished);
        EXPECT_EQ(log.train.step.size(), static_cast<size_t>(run.job.train.steps)) << run.id;
        EXPECT_EQ(log.val.step.back(), run.job.train.steps);
        if (run.variant.front() != 'w') continue;
        EXPECT_LE(budget.count(run.job.model), budget.limit()) << run.id;
        EXPECT_THAT(run.job.name, HasSubstr(run.variant + ": "));
        EXPECT_EQ(run.job.train.cosine_steps(), 8);
        if (run.job.seed == 7)
            ++trained[run.job.train.steps];
        else
            ++finalists;
        const RunSeries baseline = read_run_log(
            folder_ / "runs" / (run.job.seed == 2 ? "baseline-s2" : "baseline-s1") / "log.h5");
        if (run.job.seed != 7) {
            EXPECT_EQ(list(log.train.batch_hash), list(baseline.train.batch_hash)) << "paired";
        }
    }
    EXPECT_THAT(trained, ElementsAre(std::pair(2, 3), std::pair(4, 1), std::pair(8, 2)));
    EXPECT_EQ(finalists, 2);

    said.clear();
    const std::string before = read_text(folder_ / "study.json");
    EXPECT_TRUE(search(folder_.path(), kNotInterrupted, &said));
    EXPECT_THAT(said, ElementsAre(HasSubstr("search: done")));
    EXPECT_EQ(read_text(folder_ / "study.json"), before);
}

TEST_F(SearchRuns, InterruptedAgainAndAgainItComesToTheSameAndTrainsNoStepTwice) {
    ASSERT_TRUE(search(folder_.path(), kNotInterrupted));
    write_plainly(other_ / "study.json", kSearchStudy);
    int polls = 0, interruptions = 0;
    for (bool done = false; !done && interruptions < 200;) {
        const auto before = logs(other_.path());
        polls = 0;
        done = search(other_.path(), [&] { return ++polls > 30 + 7 * interruptions; });
        interruptions += !done;
        expect_kept(before, other_.path());
    }
    EXPECT_GE(interruptions, 3);
    expect_equal(folder_.path(), other_.path());
}

TEST_F(SearchRuns, KilledInTheMiddleItGoesOnToTheSameEnd) {
    ASSERT_TRUE(search(folder_.path(), kNotInterrupted));
    write_plainly(other_ / "study.json", kSearchStudy);
    const pid_t scheduler = fork();
    if (scheduler == 0) {
        search(other_.path(), kNotInterrupted);
        _exit(0);
    }
    const auto started = std::chrono::steady_clock::now();
    while (logs(other_.path()).size() < 7 &&
           std::chrono::steady_clock::now() - started < std::chrono::seconds(60 * kPatience))
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    kill(scheduler, SIGKILL);
    waitpid(scheduler, nullptr, 0);
    const auto before = logs(other_.path());
    ASSERT_GE(before.size(), 7u);
    EXPECT_TRUE(search(other_.path(), kNotInterrupted));
    expect_kept(before, other_.path());
    expect_equal(folder_.path(), other_.path());
}

// Wirings drawn anew under the names of those that were trained were chosen by these' losses.
TEST_F(SearchRuns, ACandidateThatIsDrawnOtherwiseNowIsRefused) {
    const auto say = [](const std::string&) {};
    ASSERT_TRUE(queue_search_runs(folder_.path(), say));
    nlohmann::json document = load_json(folder_ / "study.json");
    document["search"]["seed"] = 1234;
    write_plainly(folder_ / "study.json", document.dump());
    try {
        queue_search_runs(folder_.path(), say);
        ADD_FAILURE();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("another wiring than the search draws now"));
    }
}

TEST_F(SearchRuns, ATrialThatDivergedIsNotWaitedFor) {
    std::vector<std::string> said;
    const auto say = [&](const std::string& line) { said.push_back(line); };
    ASSERT_TRUE(queue_search_runs(folder_.path(), say));
    for (const StudyRun& run : load_study(folder_ / "study.json").runs) {
        if (run.variant.front() != 'w') continue;
        const bool diverged = run.variant == "w01";
        auto log = RunLogWriter::create(folder_ / "runs" / run.id / "log.h5",
                                        {to_json(run.job).dump(), "", "", "", ""});
        log.append_train({.step = 1, .tokens = 32, .loss = 5});
        if (!diverged) log.append_val({2, 64, 3});
        log.set_state(diverged ? RunState::kDiverged : RunState::kFinished);
        log.close();
    }
    EXPECT_TRUE(queue_search_runs(folder_.path(), say));
    EXPECT_EQ(said.back(), "search: generation 2 of 2: 3 wirings to 2 steps");
}

TEST_F(SearchRuns, ABudgetOutOfReachEndsTheStudyInOneLine) {
    nlohmann::json document = nlohmann::json::parse(kSearchStudy);
    document["search"]["budget"] = {{"cache", 0.01}};
    write_plainly(folder_ / "study.json", document.dump());
    EXPECT_THAT([&] { queue_search_runs(folder_.path(), [](const std::string&) {}); },
                ThrowsMessage<UserError>(HasSubstr("search.budget: cache = 0.01 is below")));
    document["search"]["budget"] = {{"params", 0.99}};
    write_plainly(folder_ / "study.json", document.dump());
    EXPECT_TRUE(queue_search_runs(folder_.path(), [](const std::string&) {}));
}

}  // namespace
}  // namespace headroom
