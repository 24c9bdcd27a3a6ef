// The whole worker under SIGKILL: whatever the moment, its log opens, its newest finished
// checkpoint loads, and going on gives the very same losses as a run that nobody disturbed.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/checkpoint/checkpoint.h"
#include "core/log/run_log_reader.h"
#include "core/study/run_folder.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/tally.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJob = R"({
  "name": "killed", "seed": 3, "device": "cpu",
  "model": {"base": "gpt2", "arch": "skipv1", "n_layer": 2, "n_head": 2, "d_model": 32,
            "vocab_size": 256, "block_size": 32},
  "data": {"train": "task:grammar", "val": "split:0.1", "tokenizer": "byte"},
  "train": {"steps": 120, "batch_size": 4, "seq_len": 32, "grad_accum": 2, "lr": 1e-3,
            "min_lr": 1e-4, "warmup_steps": 20, "dropout": 0.1, "eval_every": 15,
            "eval_batches": 2, "checkpoint_every": 20}
})";

/// Of 40 pictures, 4 of which a step reads: the order begins anew every ten steps.
constexpr const char* kImageJob = R"({
  "name": "killed", "seed": 3, "device": "cpu",
  "model": {"input": "images", "arch": "skipv1", "n_layer": 2, "n_head": 2, "d_model": 32,
            "patch_size": 8, "bias": true},
  "data": {"train": "images:PICTURES", "val": "images:PICTURES"},
  "train": {"steps": 120, "batch_size": 2, "grad_accum": 2, "lr": 1e-3,
            "min_lr": 1e-4, "warmup_steps": 20, "dropout": 0.1, "eval_every": 15,
            "eval_batches": 3, "checkpoint_every": 20}
})";

/// Files of CIFAR-10 with pictures of noise.
void write_pictures(const std::filesystem::path& folder) {
    std::mt19937 random(7);
    for (const auto& [name, count] : {std::pair{"data_batch_1.bin", 40}, {"test_batch.bin", 5}}) {
        std::string bytes;
        for (int i = 0; i < count; ++i) {
            bytes += static_cast<char>(i % 10);
            for (int n = 0; n < 3072; ++n) bytes += static_cast<char>(random() % 256);
        }
        write_plainly(folder / name, bytes);
    }
}

/// The worker of one run folder.
class Worker {
  public:
    Worker(const TemporaryFolder& folder, const std::string& name)
        : run_{folder / name}, job_(folder / "job.json"), output_(folder / (name + ".txt")) {}

    pid_t start() const { return start(output_); }
    pid_t start(const std::string& output) const {
        return start_program(built_program("headroom"),
                             {"train", "--job", job_, "--out", run_.root, "--resume"}, output);
    }
    const RunFolder& run() const { return run_; }
    std::string output() const { return read_text(output_); }

  private:
    RunFolder run_;
    std::string job_, output_;
};

/// Whether `part` is the beginning of `whole`, bit for bit; a NaN never is.
template <class T>
bool is_beginning(const SharedColumn<T>& part, const SharedColumn<T>& whole) {
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// Everything in a log but times: what must not depend on being disturbed.
bool is_beginning(const RunSeries& part, const RunSeries& whole) {
    return is_beginning(part.train.step, whole.train.step) &&
           is_beginning(part.train.tokens, whole.train.tokens) &&
           is_beginning(part.train.loss, whole.train.loss) &&
           is_beginning(part.train.lr, whole.train.lr) &&
           is_beginning(part.train.grad_norm, whole.train.grad_norm) &&
           is_beginning(part.train.batch_hash, whole.train.batch_hash) &&
           is_beginning(part.val.step, whole.val.step) &&
           is_beginning(part.val.tokens, whole.val.tokens) &&
           is_beginning(part.val.loss, whole.val.loss) &&
           std::all_of(part.scalars.begin(), part.scalars.end(), [&](const auto& scalar) {
               return scalar.first == "eval_seconds" ||
                      is_beginning(scalar.second.value, whole.scalars.at(scalar.first).value);
           });
}

/// The weights of the last checkpoint, as bytes.
std::string final_weights(const RunFolder& run) {
    return read_text(list_checkpoints(run.checkpoints()).back().weights);
}

/// What a kill has left must be whole.
void expect_whole(const RunFolder& run, const RunSeries& undisturbed) {
    if (!fs::exists(run.log())) return;  // killed before there was a log
    EXPECT_TRUE(is_beginning(read_run_log(run.log()), undisturbed));
    const auto finished = list_checkpoints(run.checkpoints());
    if (finished.empty()) return;
    const auto newest = newest_checkpoint(run.checkpoints());
    ASSERT_TRUE(newest);
    EXPECT_EQ(newest->step, finished.back().step) << "a finished checkpoint does not load";
}

RunSeries undisturbed_run(const TemporaryFolder& folder, std::string job) {
    if (const size_t at = job.find("PICTURES"); at != std::string::npos) {
        write_pictures(folder.path());
        for (size_t to = at; to != std::string::npos; to = job.find("PICTURES"))
            job.replace(to, 8, folder.path().string());
    }
    write_file_atomically(folder / "job.json", job);
    const Worker worker(folder, "undisturbed");
    EXPECT_EQ(wait_for_child(worker.start()), 0) << worker.output();
    return read_run_log(worker.run().log());
}

/// Starts workers and kills each at a random moment until `kills` of them were killed; a run that
/// reaches its end is compared and followed by a new one.
void kill_and_compare(int kills, uint64_t seed, const char* job = kJob) {
    ::setenv("OMP_WAIT_POLICY", "passive", 1);  // threads that spin starve each other's processes
    const TemporaryFolder folder;
    const RunSeries undisturbed = undisturbed_run(folder, job);
    ASSERT_EQ(undisturbed.train.step.size(), 120u);
    ASSERT_EQ(undisturbed.val.step.size(), 8u);
    std::mt19937_64 random(seed);
    int killed = 0, finished = 0;
    for (int runs = 0; killed < kills || finished == 0; ++runs) {
        const Worker worker(folder, "killed-" + std::to_string(runs));
        for (int status = 128 + SIGKILL; status != 0;) {
            const pid_t pid = worker.start();
            const bool leave_alone = killed >= kills;
            if (!leave_alone) {
                std::this_thread::sleep_for(std::chrono::milliseconds(random() % 700));
                ::kill(pid, SIGKILL);
            }
            status = wait_for_child(pid);
            ASSERT_TRUE(status == 0 || status == 128 + SIGKILL) << worker.output();
            if (status != 0) ++killed;
            ASSERT_NO_FATAL_FAILURE(expect_whole(worker.run(), undisturbed));
        }
        const RunSeries series = read_run_log(worker.run().log());
        EXPECT_TRUE(is_beginning(series, undisturbed) && is_beginning(undisturbed, series))
            << "after " << killed << " kills\n"
            << worker.output();
        EXPECT_EQ(series.state, RunState::kFinished);
        EXPECT_TRUE(final_weights(worker.run()) == final_weights({folder / "undisturbed"}));
        ++finished;
    }
    if (!testing::Test::HasFailure()) tally("kills of a training run", killed);
}

TEST(LostTerminal, AHangUpSavesWhatIsTrained) {
    const TemporaryFolder folder;
    std::string job = kJob;
    job.replace(job.find("120"), 3, "1000000");
    job.replace(job.find("\"checkpoint_every\": 20"), 22, "\"checkpoint_every\": 0");
    write_file_atomically(folder / "job.json", job);
    const Worker worker(folder, "hung-up");
    std::signal(SIGHUP, SIG_DFL);  // the tests themselves may run under nohup
    const pid_t pid = worker.start();
    const auto steps = [&] {
        return fs::exists(worker.run().log()) ? read_run_log(worker.run().log()).train.step.size()
                                              : 0;
    };
    while (steps() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(pid, SIGHUP);
    EXPECT_EQ(wait_for_child(pid), 0) << worker.output();
    EXPECT_EQ(read_run_log(worker.run().log()).state, RunState::kStopped);
    EXPECT_EQ(list_checkpoints(worker.run().checkpoints()).size(), 1u);
}

TEST(LostTerminal, NobodyNeedsToReadTheProgress) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "job.json", kJob);
    const Worker worker(folder, "unread");
    EXPECT_EQ(wait_for_child(worker.start("/dev/full")), 0);
    EXPECT_EQ(read_run_log(worker.run().log()).state, RunState::kFinished);
}

TEST(KillResume, GivesTheSameLossesAfterAFewKills) {
    kill_and_compare(5, 1);
}

TEST(KillResume, GivesTheSameLossesAndAccuraciesOfImages) {
    kill_and_compare(5, 3, kImageJob);
}

TEST(KillResumeLong, GivesTheSameLossesAfterFiftyKills) {
    kill_and_compare(50, 2);
}

}  // namespace
}  // namespace headroom
