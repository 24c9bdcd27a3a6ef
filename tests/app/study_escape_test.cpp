// Studies from strangers: `study run`, `study status`, `probe` and `figure` on folders whose
// links, pipes and names would lead out of them. Whatever the commands say, nothing outside changes
// and nothing waits.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStudy = R"({ "schema": "headroom-study/1", "name": "from a stranger",
  "job": { "device": "cpu",
           "model": { "base": "gpt2", "n_layer": 1, "n_head": 1, "d_model": 16, "block_size": 16 },
           "data": { "train": "task:grammar", "val": "split:0.1", "tokenizer": "byte" },
           "train": { "steps": 3, "batch_size": 2, "seq_len": 16, "checkpoint_every": 3 },
           "probes": [ { "kind": "weights", "every": 3 } ] },
  "runs": [ { "id": "a" } ],
  "figures": [ { "name": "loss", "recipe": "loss", "options": { OPTIONS } } ] })";

/// Every file below a folder with its content, links as links.
std::map<std::string, std::string> tree_of(const fs::path& root) {
    std::map<std::string, std::string> tree;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const std::string name = fs::relative(entry.path(), root).string();
        if (entry.is_symlink())
            tree[name] = "-> " + fs::read_symlink(entry.path()).string();
        else
            tree[name] = entry.is_regular_file() ? read_text(entry.path()) : "a folder";
    }
    return tree;
}

/// OUTSIDE/ with what must not change beside STUDY/, which a test spoils.
class StudyEscape : public testing::Test {
  protected:
    StudyEscape() {
        for (const char* name : {"notes.txt", "precious.svg", "victim/job.json", "victim/log.h5",
                                 "victim/checkpoints/thesis.tmp", "out/a.txt"}) {
            fs::create_directories((outside_ / name).parent_path());
            write_plainly(outside_ / name, "precious");
        }
        fs::create_directories(study_);
        write_study("");
        before_ = tree_of(outside_);
    }

    void write_study(const std::string& options) const {
        std::string text = kStudy;
        text.replace(text.find("OPTIONS"), 7, options);
        write_plainly(study_ / "study.json", text);
    }
    void link(const std::string& name, const std::string& target) const {
        fs::create_directories((study_ / name).parent_path());
        fs::create_symlink(outside_ / target, study_ / name);
    }
    void pipe(const std::string& name) const {
        fs::create_directories((study_ / name).parent_path());
        ASSERT_EQ(::mkfifo((study_ / name).c_str(), 0600), 0);
    }

    /// The status; 137 if it had to be killed after a minute.
    int headroom(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"-s", "KILL", "60", built_program("headroom")});
        return wait_for_child(start_program("/usr/bin/timeout", arguments, said_));
    }
    /// Runs all that reads or writes the study. Nothing may change outside.
    void expect_no_escape() {
        const std::vector<std::vector<std::string>> commands = {
            {"study", "status", study_},
            {"study", "status", study_, "--json"},
            {"study", "run", study_},
            {"study", "run", "--retry", study_},
            {"study", "stop", study_},
            {"probe", "weights", study_ / "runs/a"},
            {"figure", "loss", study_, "--out", folder_ / "drawn.svg"}};
        for (const auto& command : commands) {
            const int status = headroom(command);
            EXPECT_TRUE(status >= 0 && status <= 2)
                << command[0] << " " << command[1] << " ended with " << status << "\n"
                << read_text(said_);
            EXPECT_EQ(tree_of(outside_), before_) << command[0] << " " << command[1];
        }
    }
    std::string said() const { return read_text(said_); }

    TemporaryFolder folder_;
    fs::path outside_ = folder_ / "outside", study_ = folder_ / "study", said_ = folder_ / "said";
    std::map<std::string, std::string> before_;
};

TEST_F(StudyEscape, AHarmlessStudyIsTrainedAndProbed) {
    EXPECT_EQ(headroom({"study", "run", study_}), 0) << said();
    EXPECT_TRUE(fs::exists(study_ / "runs/a/probes/weights-step-00000003.h5")) << said();
    EXPECT_TRUE(fs::exists(study_ / "runs/a/worker.log"));
    expect_no_escape();
}

TEST_F(StudyEscape, FigureOptionsNameNoFile) {
    write_study("\"out\": \"" + (outside_ / "precious.svg").string() + "\"");
    expect_no_escape();
}

TEST_F(StudyEscape, TheLockIsNoLink) {
    link("queue.lock", "notes.txt");
    expect_no_escape();
}

TEST_F(StudyEscape, ARunIsNoLink) {
    link("runs/a", "victim");
    expect_no_escape();
}

TEST_F(StudyEscape, TheRunsAreNoLink) {
    link("runs", "out");
    expect_no_escape();
}

TEST_F(StudyEscape, FilesOfARunAreNoLinks) {
    for (const char* name : {"log.h5.tmp", "worker.log", "worker.lock", "worker.json.tmp"})
        link(std::string("runs/a/") + name, "notes.txt");
    expect_no_escape();
    for (const char* name : {"worker.log", "worker.lock"}) fs::remove(study_ / "runs/a" / name);
    expect_no_escape();
}

TEST_F(StudyEscape, FoldersOfARunAreNoLinks) {
    for (const char* name : {"checkpoints", "probes"}) link(std::string("runs/a/") + name, "out");
    expect_no_escape();
    fs::remove(study_ / "runs/a/checkpoints");
    expect_no_escape();
}

TEST_F(StudyEscape, TheFiguresAreNoLink) {
    link("figures", "out");
    expect_no_escape();
}

TEST_F(StudyEscape, NobodyWaitsAtPipes) {
    for (const char* name : {"queue.lock", "runs/a/worker.log", "runs/a/worker.lock",
                             "runs/a/worker.json", "runs/a/control.json", "figures/figures.log"})
        pipe(name);
    expect_no_escape();
    fs::remove(study_ / "queue.lock");
    expect_no_escape();
    fs::remove(study_ / "runs/a/worker.log");
    fs::remove(study_ / "runs/a/worker.lock");
    expect_no_escape();
}

}  // namespace
}  // namespace headroom
