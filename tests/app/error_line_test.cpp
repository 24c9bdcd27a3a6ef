// Every command on every kind of bad input: at most one line on standard error, of valid UTF-8
// without control characters, that begins with "error: ", and the status 1 or 2.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/printable.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// What people and strangers name in place of what was asked for.
std::vector<fs::path> bad_inputs(const TemporaryFolder& folder) {
    const auto make = [&](const std::string& name, const std::string& content) {
        write_plainly(folder / name, content);
        return fs::path(folder / name);
    };
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
    const fs::path whole = folder / "whole.safetensors", pipe = folder / "pipe";
    write_random_checkpoint(whole, {});
    const std::string bytes = read_text(whole);
    ::mkfifo(pipe.c_str(), 0600);
    fs::create_directories(folder / "an empty folder");
    fs::create_directories(folder / "study/runs/a");
    make("study/runs/a/log.h5", "no log");
    make("study/study.json", R"({"schema": "headroom-study/1", "name": "x\u001b[31m"})");
    return {make("empty", ""),
            make("half.json", "{\"half\": \"\xe2\x82"),
            make("deep.json", deep),
            make("control\x1b[31m\n\xff.json", "{\"\\u001b[31m\\u0000\": 1}"),
            make("binary", std::string(3000, '\xfe') + std::string(10, '\0')),
            make("cut.safetensors", bytes.substr(0, bytes.size() / 2)),
            make("huge.safetensors", "\xff\xff\xff\xff\xff\xff\xff\x7f" + bytes.substr(8)),
            make("old.h5", "\x89HDF\r\n\x1a\n" + std::string(100, '\0')),
            folder / ("missing" + std::string(200, 'y')),
            folder / "an empty folder",
            folder / "study",
            folder / "study/runs/a",
            "/dev/null",
            pipe};
}

std::vector<std::vector<std::string>> commands_on(const std::string& input,
                                                  const std::string& out) {
    return {{"describe", "--job", input},
            {"describe", "--checkpoint", input},
            {"memory", "--job", input},
            {"train", "--job", input, "--out", out},
            {"eval", "--checkpoint", input, "--data", "task:grammar"},
            {"generate", "--checkpoint", input, "--prompt", "a"},
            {"logits", "--checkpoint", input, "--tokens", "1,2", "--out", out},
            {"probe", "lens", "--checkpoint", input, "--tokens", "1,2", "--out", out},
            {"probe", "weights", input},
            {"log", "dump", input},
            {"study", "run", input},
            {"data", "inspect", "tokens:" + input}};
}

TEST(ErrorLine, EveryCommandRefusesEveryBadInputInOnePrintableLine) {
    const TemporaryFolder folder, place;
    const std::string said = place / "said", out = place / "out";
    int refused = 0;
    for (const fs::path& input : bad_inputs(folder))
        for (std::vector<std::string> command : commands_on(input.string(), out)) {
            fs::remove(said);
            const std::string name = command[0] + " on " + printable(input.filename().string());
            command.insert(command.begin(), {"-s", "KILL", "60", built_program("headroom")});
            const int status = wait_for_child(start_program("/usr/bin/timeout", command, said));
            const std::string line = read_text(said);
            EXPECT_TRUE(status >= 0 && status <= 2) << name << " ended with " << status;
            if (status == 0) continue;  // an empty folder is no error to all
            ++refused;
            EXPECT_TRUE(line.starts_with("error: ")) << name << ": " << line;
            EXPECT_TRUE(line.ends_with('\n')) << name;
            EXPECT_LT(line.size(), 2000u) << name;
            const std::string text = line.substr(0, line.size() - 1);
            EXPECT_EQ(text, printable(text)) << name;
            EXPECT_NE(text.find("; "), std::string::npos) << name << ": " << line;
        }
    EXPECT_GT(refused, 150);
}

}  // namespace
}  // namespace headroom
