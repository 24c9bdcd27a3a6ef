// The programs on a disk that fails, fills up, refuses or is slow, without memory, under a clock
// that is turned back, and killed at any moment: nothing half-written is taken for whole, one line
// says what happened, and the same command without the fault ends as if there had been none.
// HEADROOM_FAULTS sets how many points are tried per kind of fault and command, HEADROOM_KILLS how
// many of either kind of kill.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/log/run_log_reader.h"
#include "tests/support/patience.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/tally.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Files = std::map<std::string, std::string>;  ///< bytes by path below the folder

constexpr const char* kKinds[] = {"write", "sync",   "open", "rename", "full",
                                  "slow",  "memory", "kill", "torn",   "clock"};

constexpr const char* kJob = R"({
  "name": "faulty", "seed": 3, "device": "cpu",
  "model": {"base": "gpt2", "n_layer": 2, "n_head": 2, "d_model": 32, "vocab_size": 256,
            "block_size": 32},
  "data": {"train": "task:grammar", "val": "split:0.1", "tokenizer": "byte"},
  "train": {"steps": 20, "batch_size": 4, "seq_len": 32, "lr": 1e-3, "warmup_steps": 5,
            "eval_every": 10, "eval_batches": 2, "checkpoint_every": 10}
})";

constexpr const char* kBareJob = R"({
  "name": "bare", "seed": 3, "device": "cpu",
  "model": {"base": "gpt2", "norm": "none", "n_layer": 1, "n_head": 2, "d_model": 16,
            "vocab_size": 256, "block_size": 16},
  "data": {"train": "task:grammar", "val": "split:0.1", "tokenizer": "byte"},
  "train": {"steps": 2, "batch_size": 2, "seq_len": 16, "lr": 1e-3, "warmup_steps": 1,
            "eval_every": 2, "eval_batches": 1, "checkpoint_every": 2}
})";

constexpr const char* kStudy = R"({
  "schema": "headroom-study/1", "name": "faulty",
  "job": {"device": "cpu",
    "model": {"base": "gpt2", "n_layer": 1, "n_head": 2, "d_model": 16, "vocab_size": 256,
              "block_size": 16},
    "data": {"train": "task:grammar", "val": "split:0.1", "tokenizer": "byte"},
    "train": {"steps": 6, "batch_size": 2, "seq_len": 16, "lr": 1e-3, "warmup_steps": 2,
              "eval_every": 3, "eval_batches": 1, "checkpoint_every": 3}},
  "runs": [{"id": "a"}, {"id": "b", "job": {"model": {"arch": "skipv1", "n_layer": 2}}}]
})";

/// What a person asks of the program; F stands for a folder that holds what prepare() made.
struct Task {
    const char* name;
    Words words;
    Words again = {};    ///< to go on after a failure, where it is not the same
    bool draws = false;  ///< by Qt, which ends a program that gets no memory
    /// What it says, besides of failing, where it has been done already.
    const char* done = nullptr;
    /// Tried by the tests of every day.
    std::set<std::string> kinds = {"write", "sync", "open", "rename", "full", "memory", "kill"};
};

void PrintTo(const Task& task, std::ostream* out) {
    *out << task.name;
}

const char* const kThere = "is there already";
const std::set<std::string> kTwo = {"full", "kill"};

const Task kTasks[] = {
    {"train",
     {"train", "--job", "F/job.json", "--out", "F/made/run", "--resume"},
     {},
     false,
     nullptr,
     {std::begin(kKinds), std::end(kKinds)}},
    {"probe", {"probe", "heads", "F/run", "--out", "F/made/heads.h5"}},
    {"study", {"study", "run", "F/study"}, {"study", "run", "F/study", "--retry"}},
    {"figure",
     {"figure", "loss", "F/run", "--out", "F/made/loss.pdf", "--out", "F/made/loss.csv", "--out",
      "F/made/loss.png"},
     {},
     true},
    {"export",
     {"convert", "export", "--checkpoint", "F/run/checkpoints/step-00000020.safetensors",
      "--format", "hf-gpt2", "--out", "F/made/gpt2"}},
    {"import", {"convert", "import", "--from", "F/gpt2", "--out", "F/made/imported.safetensors"}},
    {"surgery",
     {"surgery", "apply", "--checkpoint", "F/run", "--transform", "change-head-basis", "--out",
      "F/made/other.safetensors", "--report", "F/made/report.json"}},
    {"prepare",
     {"data", "prepare", "--text", "F/book.txt", "--tokenizer", "byte", "--out",
      "F/made/tokens.bin"}},
    {"prepare_jsonl",
     {"data", "prepare", "--jsonl", "F/book.jsonl", "--tokenizer", "byte", "--out",
      "F/made/documents.bin"}},
    {"log_export", {"log", "export", "F/run", "--out", "F/made/board"}},
    {"lab",
     {"lab", "score-scale", "--d", "64", "--n-head", "4", "--rows", "50", "--draws", "500", "--out",
      "F/made/scale.json"}},
    {"new", {"study", "new", "--from", "004-ratios", "F/made/new"}, {}, false, kThere, kTwo},
    {"recover",
     {"surgery", "recover", "F/made/recover", "--checkpoint", "F/run", "--data", "task:grammar"},
     {},
     false,
     kThere,
     kTwo},
    {"label",
     {"study", "label", "F/done", "a", "--name", "first", "--note", "a note"},
     {},
     false,
     nullptr,
     kTwo},
    {"remove", {"study", "remove", "F/done", "b"}, {}, false, "has no run b", kTwo},
    {"import_log",
     {"log", "import", "F/board", "--study", "F/done", "--run", "imported", "--tokens-per-step",
      "128"},
     {},
     false,
     "holds a run already",
     kTwo},
    {"report", {"study", "report", "F/done", "--out", "F/made/report.html"}, {}, true, {}, kTwo},
    {"results",
     {"figure", "results", "F/done/runs/a", "F/done/runs/b", "--x", "n_layer", "--out",
      "F/made/results.svg", "--out", "F/made/results.csv"},
     {},
     true,
     nullptr,
     kTwo},
    {"table", {"figure", "table", "F/done", "--out", "F/made/table.tex"}, {}, true, {}, kTwo},
    {"rewire", {"probe", "rewire", "F/run", "--out", "F/made/rewire.h5"}, {}, false, nullptr, kTwo},
    {"uptrain",
     {"convert", "uptrain", "--checkpoint", "F/run", "--to", "skipv1", "--out",
      "F/made/uptrained.safetensors"},
     {},
     false,
     nullptr,
     kTwo},
    {"absorb",
     {"absorb", "make", "--checkpoint", "F/bare", "--out", "F/made/absorbed.safetensors"},
     {},
     false,
     nullptr,
     kTwo},
    {"eval",
     {"eval", "--checkpoint", "F/run", "--task", "grammar_recall", "--limit", "4", "--out",
      "F/made/items.h5", "--harness", "F/made/harness.json"},
     {},
     false,
     nullptr,
     kTwo},
    {"fetch",
     {"data", "fetch", "story", "--sources", "F/sources.json", "--out", "F/made/story"},
     {},
     false,
     nullptr,
     kTwo},
    {"manual", {"man", "--out", "F/made/man"}, {}, false, nullptr, kTwo},
};

Words in_folder(const Words& words, const fs::path& folder) {
    Words placed;
    for (const std::string& word : words)
        placed.push_back(word.starts_with("F/") ? (folder / word.substr(2)).string() : word);
    return placed;
}

struct Ended {
    int status = 0;  ///< 128 and more: the signal
    std::string output;
};

/// `fault`: "" for none.
Ended run(const Words& words, const fs::path& folder, const std::string& fault,
          const fs::path& counts = {}) {
    const fs::path output = folder.string() + ".txt";
    fs::remove(output);
    std::map<std::string, std::string> environment{{"LD_PRELOAD", HEADROOM_FAULTY_CALLS},
                                                   {"HEADROOM_FAULT_UNDER", folder},
                                                   {"QT_QPA_PLATFORM", "offscreen"}};
    if (!fault.empty()) environment["HEADROOM_FAULT"] = fault;
    if (!counts.empty()) environment["HEADROOM_FAULT_COUNTS"] = counts;
    constexpr unsigned kHangs = 120 * kPatience;
    const int status = wait_for_child(start_program(
        built_program("headroom"), in_folder(words, folder), output, environment, kHangs));
    return {status, fs::exists(output) ? read_text(output) : ""};
}

/// Files that a person would take for results: not locks, and not what is still being written.
Files files_in(const fs::path& folder) {
    Files files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (!entry.is_regular_file() || name.ends_with(".lock") || name.ends_with(".tmp")) continue;
        files[fs::relative(entry.path(), folder)] = read_text(entry.path());
    }
    return files;
}

/// A file that has one content only is whole if it has that, or what it had before; of others a
/// reader decides.
class Outcome {
  public:
    Outcome(const Files& once, const Files& twice, Files before) : before_(std::move(before)) {
        for (const auto& [path, bytes] : once) {
            const auto other = twice.find(path);
            if (other == twice.end()) continue;
            names_.insert(path);
            if (other->second == bytes) whole_[path] = bytes;
        }
    }

    /// "" or what is wrong with a file that was found; `ended`: by the command at its end.
    std::string problem(const fs::path& folder, const std::string& path, const std::string& bytes,
                        bool ended) const {
        if (const auto known = whole_.find(path); known != whole_.end() && bytes != known->second) {
            const auto old = before_.find(path);
            const bool is_old = !ended && old != before_.end() && bytes == old->second;
            return is_old ? "" : "differs from what it should be";
        } else if (known != whole_.end()) {
            return "";
        }
        try {
            if (path.ends_with(".json")) {
                parse_json(bytes, path);
            } else if (path.ends_with("log.h5")) {
                read_run_log(folder / path);
            } else if (path.ends_with(".pdf")) {
                const size_t tail = bytes.size() - std::min<size_t>(bytes.size(), 16);
                if (bytes.find("%%EOF", tail) == std::string::npos) return "is a part of a PDF";
            }
        } catch (const std::exception& error) {
            return error.what();
        }
        return "";
    }
    const std::set<std::string>& names() const { return names_; }

  private:
    std::set<std::string> names_;
    Files whole_, before_;
};

/// A kind of fault as people say it.
std::string described(const std::string& kind) {
    if (kind == "kill") return "kills of a command while it writes";
    if (kind == "torn") return "kills of a command within a write";
    if (kind == "full") return "disks that fill up while a command writes";
    if (kind == "memory") return "commands whose memory ends";
    if (kind == "slow") return "commands on a slow disk";
    if (kind == "clock") return "commands whose clock is turned back";
    return "failed calls of " + kind + " in a command";
}

size_t error_lines(const std::string& output) {
    size_t count = output.starts_with("error: ") ? 1 : 0;
    for (size_t at = output.find("\nerror: "); at != std::string::npos;
         at = output.find("\nerror: ", at + 1))
        ++count;
    return count;
}

/// What tasks find there already: a command that makes `path`, in the order of making.
struct Ingredient {
    const char* path;
    Words words;
};

const Ingredient kIngredients[] = {
    {"F/run", {"train", "--job", "F/job.json", "--out", "F/run"}},
    {"F/bare", {"train", "--job", "F/bare.json", "--out", "F/bare"}},
    {"F/done", {"study", "run", "F/done"}},
    // A first look gives the runs their colours.
    {"F/done", {"figure", "loss", "F/done", "--out", "F/done.csv"}},
    {"F/board", {"log", "export", "F/run", "--out", "F/board"}},
    {"F/gpt2",
     {"convert", "export", "--checkpoint", "F/run/checkpoints/step-00000020.safetensors",
      "--format", "hf-gpt2", "--out", "F/gpt2"}},
};

bool reads(const Words& words, const std::string& path) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return word == path || word.starts_with(path + "/");
    });
}

/// Those that the task reads, and those that these are made of.
std::vector<Words> ingredients_of(const Task& task) {
    std::vector<Words> commands, needed{task.words};
    std::for_each(std::rbegin(kIngredients), std::rend(kIngredients), [&](const Ingredient& one) {
        const auto needs = [&](const Words& words) { return reads(words, one.path); };
        if (std::none_of(needed.begin(), needed.end(), needs)) return;
        needed.push_back(one.words);
        commands.insert(commands.begin(), one.words);
    });
    return commands;
}

class Faults : public testing::TestWithParam<Task> {
  protected:
    void SetUp() override {
        const fs::path folder = origin();
        fs::create_directories(folder / "made");
        fs::create_directories(folder / "study");
        write_plainly(folder / "job.json", kJob);
        write_plainly(folder / "bare.json", kBareJob);
        for (const char* study : {"study", "done"}) {
            fs::create_directories(folder / study);
            write_plainly(folder / study / "study.json", kStudy);
        }
        std::string book, lines;
        for (int i = 0; i < 3000; ++i) {
            book += "Whoever reads line " + std::to_string(i) + " reads one line more.\n";
            lines += "{\"text\": \"Document " + std::to_string(i) + " is short.\"}\n";
        }
        write_plainly(folder / "book.txt", book);
        write_plainly(folder / "book.jsonl", lines);
        write_plainly(folder / "story.txt", "once upon a time");
        write_plainly(folder / "sources.json", R"({"sources": [{"name": "story", "page": "nowhere",
            "files": [{"url": "file://)" + (folder / "story.txt").string() +
                                                   R"(", "bytes": 16,
            "sha256": "71cfe6daff670b0edb3b6d097fc865eaa92b547fea63d97aabfb95606e83a053"}]}]})");
        for (const Words& words : ingredients_of(GetParam())) {
            const Ended ended = run(words, folder, "");
            ASSERT_EQ(ended.status, 0) << ended.output;
        }
    }

    fs::path origin() const { return home_ / "origin"; }
    /// A copy of its own.
    fs::path fresh(const std::string& name) const {
        const fs::path folder = home_ / name;
        fs::remove_all(folder);
        fs::copy(origin(), folder, fs::copy_options::recursive);
        return folder;
    }

    /// How often each kind of call was made: of the process that made most.
    static std::map<std::string, int64_t> read_counts(const fs::path& file) {
        std::map<std::string, int64_t> most;
        std::istringstream lines(read_text(file));
        std::string kind;
        for (int64_t calls = 0; lines >> kind >> calls;) most[kind] = std::max(most[kind], calls);
        return most;
    }

    /// Of a kind whose call is made `most` times at most.
    static std::set<int64_t> points_of(const std::string& kind, int64_t most, int wanted,
                                       std::mt19937& random) {
        constexpr int64_t kMilliseconds = 20;
        if (kind == "slow") return most > 0 ? std::set{kMilliseconds} : std::set<int64_t>{};
        // With less than two megabytes HDF5 cannot open itself.
        const int64_t least = kind == "memory" ? 32 : 1;
        std::set<int64_t> chosen;
        for (int i = 0; i < wanted && least + i <= most; ++i)
            chosen.insert(wanted > most - least
                              ? least + i
                              : std::uniform_int_distribution<int64_t>(least, most)(random));
        return chosen;
    }

    void expect_nothing_broken(const fs::path& folder, const Outcome& outcome,
                               const std::string& where, bool ended) {
        for (const auto& [path, bytes] : files_in(folder))
            EXPECT_EQ(outcome.problem(folder, path, bytes, ended), "") << where << ": " << path;
    }

    static bool says_done(const Task& task, const Ended& ended) {
        return task.done != nullptr && ended.status == 2 &&
               ended.output.find(task.done) != std::string::npos;
    }

    void try_fault(const Task& task, const Outcome& outcome, const std::string& fault) {
        const std::string where = std::string(task.name) + " with " + fault;
        const fs::path folder = fresh("tried");
        const Ended ended = run(task.words, folder, fault);
        if (fault.starts_with("slow") || fault.starts_with("clock")) {
            EXPECT_EQ(ended.status, 0) << where << "\n" << ended.output;
        } else if (fault.starts_with("memory")) {
            // oneDNN and libgomp end the program where a thread of theirs gets none.
            EXPECT_NE(ended.status, 128 + SIGALRM) << where;
        } else if (fault.starts_with("kill") || fault.starts_with("torn")) {
            EXPECT_TRUE(ended.status <= 100 || ended.status == 128 + SIGKILL) << where << "\n"
                                                                              << ended.output;
        } else {
            EXPECT_LE(ended.status, 100) << where << "\n" << ended.output;
            EXPECT_TRUE(ended.status == 0 || error_lines(ended.output) > 0) << where << "\n"
                                                                            << ended.output;
        }
        expect_nothing_broken(folder, outcome, where, false);
        if (ended.status != 0) {
            const Ended second = run(task.again.empty() ? task.words : task.again, folder, "");
            EXPECT_TRUE(second.status == 0 || says_done(task, second)) << where << ", again\n"
                                                                       << second.output;
        }
        const Files after = files_in(folder);
        for (const std::string& name : outcome.names())
            EXPECT_TRUE(after.contains(name)) << where << ": no " << name << "\n" << ended.output;
        expect_nothing_broken(folder, outcome, where + ", again", true);
    }

    /// `points` of each of the kinds, `kills` of "kill".
    void try_all(const Task& task, const std::set<std::string>& kinds, int points, int kills) {
        const fs::path counts = home_ / "counts";
        const fs::path once = fresh("once"), twice = fresh("twice");
        const Ended clean = run(task.words, once, "", counts);
        ASSERT_EQ(clean.status, 0) << clean.output;
        // Another day: files that name the time differ.
        ASSERT_EQ(run(task.words, twice, "clock:1").status, 0);
        const Outcome outcome(files_in(once), files_in(twice), files_in(origin()));
        const std::map<std::string, int64_t> calls = read_counts(counts);
        fs::remove(counts);
        std::mt19937 random(7);
        for (const std::string kind : kKinds) {
            if (!kinds.contains(kind)) continue;
            if (task.draws && kind == "memory") continue;
            // A sanitizer that gets no memory ends the program and reports that.
            if (kPatience > 1 && kind == "memory") continue;
            const std::set<int64_t> chosen = points_of(
                kind, calls.at(kind), kind == "kill" || kind == "torn" ? kills : points, random);
            for (const int64_t at : chosen)
                try_fault(task, outcome, kind + ":" + std::to_string(at));
            if (!HasFailure()) tally(described(kind), static_cast<int64_t>(chosen.size()));
        }
    }

  private:
    TemporaryFolder home_;
};

int setting_or(const char* name, int otherwise) {
    const char* wanted = std::getenv(name);
    return wanted == nullptr ? otherwise : std::atoi(wanted);
}

TEST_P(Faults, LoseNothing) {
    const int points = setting_or("HEADROOM_FAULTS", 1);
    try_all(GetParam(), GetParam().kinds, points, points);
}

class FaultsLong : public Faults {};

TEST_P(FaultsLong, LoseNothingAtAnyPoint) {
    // Most commands make fewer calls than that, and are killed at each: more than 1,000 in all.
    try_all(GetParam(), {std::begin(kKinds), std::end(kKinds)}, setting_or("HEADROOM_FAULTS", 20),
            setting_or("HEADROOM_KILLS", 200));
}

std::string name_of(const testing::TestParamInfo<Task>& task) {
    return task.param.name;
}

INSTANTIATE_TEST_SUITE_P(Tasks, Faults, testing::ValuesIn(kTasks), name_of);
INSTANTIATE_TEST_SUITE_P(Tasks, FaultsLong, testing::ValuesIn(kTasks), name_of);

}  // namespace
}  // namespace headroom
