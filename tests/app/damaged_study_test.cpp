// The real programs on study folders in which files are damaged: whatever they say, they end in
// time with the status of a command, and nothing beside the study and what they were asked to write
// changes. FUZZ_SECONDS and FUZZ_SEED (environment) choose for how long and which damage.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/fuzz_case.h"
#include "tests/support/patience.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/tally.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// S is the study, O a folder for what is asked for.
const std::vector<Words> kCommands = {
    {"study", "status", "S"},
    {"study", "status", "S", "--json"},
    {"study", "runs", "S"},
    {"study", "check", "S"},
    {"study", "predict", "S"},
    {"study", "compare", "S", "--with", "baseline"},
    {"study", "label", "S", "baseline", "--name", "damaged"},
    {"study", "report", "S", "--out", "O/report.html"},
    {"study", "remove", "S", "baseline"},
    {"study", "trash", "S"},
    {"log", "dump", "S/runs/baseline"},
    {"log", "export", "S/runs/baseline", "--out", "O/board"},
    {"describe", "--job", "S/runs/baseline/job.json"},
    {"describe", "--checkpoint", "S/runs/baseline"},
    {"probe", "weights", "S/runs/baseline", "--out", "O/weights.h5"},
    {"data", "inspect", "tokens:S/tokens/text.bin", "--seq-len", "4", "--val", "split:0.5"},
    {"figure", "loss", "S", "--out", "O/loss.svg"},
    {"figure", "table", "S", "--out", "O/table.tex"},
    {"figure", "attention", "S/runs/baseline", "--out", "O/attention.svg"},
    {"figure", "similarity-of-heads", "S/runs/baseline", "--out", "O/similarity.svg"},
    {"figure", "architecture", "S/runs/baseline", "--out", "O/architecture.svg"},
};

double setting_or(const char* name, double otherwise) {
    const char* wanted = std::getenv(name);
    return wanted == nullptr ? otherwise : std::strtod(wanted, nullptr);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const size_t at = text.find(what + "/");
    if (text == what) return with;
    if (at == std::string::npos || (at > 0 && text[at - 1] != ':')) return text;
    return text.replace(at, what.size(), with);
}

/// A study as version 0.1.0 wrote it, which is damaged again and again.
class DamagedStudy : public testing::Test {
  protected:
    DamagedStudy() : random_(static_cast<uint64_t>(setting_or("FUZZ_SEED", 1))) {
        write_plainly(place_ / "beside.txt", "precious");
        for (const auto& entry : fs::recursive_directory_iterator(kKept))
            if (entry.is_regular_file()) names_.push_back(fs::relative(entry.path(), kKept));
        std::sort(names_.begin(), names_.end());
    }

    /// Returns what was damaged.
    std::string damage() {
        fs::remove_all(study_);
        fs::remove_all(out_);
        fs::create_directories(out_);
        fs::copy(kKept, study_, fs::copy_options::recursive);
        std::string damaged;
        for (uint64_t files = 1 + random_() % 3; files > 0; --files) {
            const fs::path& name = names_[random_() % names_.size()];
            std::string bytes = read_text(study_ / name);
            const std::string kind = name.extension();
            for (uint64_t changes = 1 + random_() % 3; changes > 0; --changes)
                (kind == ".json" ? mutate_json
                 : kind == ".h5" ? mutate_hdf5
                                 : mutate_bytes)(bytes, random_);
            write_plainly(study_ / name, bytes);
            damaged += " " + name.string();
        }
        return damaged;
    }

    void run(const Words& words, const std::string& damaged) {
        Words command{"-s", "KILL", std::to_string(60 * kPatience), built_program("headroom")};
        for (const std::string& word : words)
            command.push_back(replaced(replaced(word, "S", study_), "O", out_));
        fs::remove(said_);
        const int status = wait_for_child(start_program("/usr/bin/timeout", command, said_));
        if (status >= 0 && status <= 2) return;
        const fs::path kept =
            fmt::format("fuzz-failures/study-{}-{}", setting_or("FUZZ_SEED", 1), count_);
        fs::create_directories(kept.parent_path());
        fs::remove_all(kept);
        fs::copy(study_, kept, fs::copy_options::recursive);
        ADD_FAILURE() << fmt::format("{} ended with {}; the study is in {}, damaged:{}\n",
                                     fmt::join(words, " "), status, kept.string(), damaged)
                      << read_text(said_);
    }

    /// Whether nothing is in the folder but what was there and what was asked for.
    bool is_tidy() const {
        size_t entries = 0;
        for ([[maybe_unused]] const auto& entry : fs::directory_iterator(place_.path())) ++entries;
        return entries <= 4 && read_text(place_ / "beside.txt") == "precious";
    }

    static inline const fs::path kKept = source_tree() / "tests/kept/0.1.0";
    FuzzRandom random_;
    std::vector<fs::path> names_;
    TemporaryFolder place_;
    fs::path study_ = place_ / "study", out_ = place_ / "out", said_ = place_ / "said";
    int64_t count_ = 0;
};

TEST_F(DamagedStudy, EveryCommandEndsWithAnAnswer) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(setting_or("FUZZ_SECONDS", 2));
    size_t next = 0;
    do {
        const std::string damaged = damage();
        for (int i = 0; i < 4; ++i) {
            run(kCommands[next++ % kCommands.size()], damaged);
            EXPECT_TRUE(is_tidy()) << damaged;
        }
        ++count_;
    } while (!HasFailure() && (std::chrono::steady_clock::now() < end || next < kCommands.size()));
    if (!HasFailure()) {
        tally("damaged study folders", count_);
        tally("commands on damaged study folders", static_cast<int64_t>(next));
    }
}

}  // namespace
}  // namespace headroom
