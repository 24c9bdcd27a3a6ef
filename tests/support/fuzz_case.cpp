#include "tests/support/fuzz_case.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/patience.h"
#include "tests/support/tally.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr unsigned kSlowSeconds = 20 * kPatience;
constexpr int64_t kFewestInputs = 20;  // also where a machine has no time for us
constexpr int64_t kInputsOfEveryDay = 5000;
constexpr size_t kLongestInput = 1 << 20;

double setting(const char* name, double otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtod(text, nullptr);
}

/// What is being read, for the moment when a signal ends the program.
struct Current {
    const std::string* input = nullptr;
    std::array<char, 512> file{};
};
Current g_current;

void keep_current_input() {
    const int fd = ::open(g_current.file.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || g_current.input == nullptr) return;
    [[maybe_unused]] const ssize_t done =
        ::write(fd, g_current.input->data(), g_current.input->size());
    ::close(fd);
}

void end_with_input_kept(int signal) {
    keep_current_input();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

std::vector<std::string> inputs_of(const FuzzTarget& target, const fs::path& corpus) {
    std::vector<fs::path> files;
    if (fs::is_directory(corpus / target.name))
        for (const auto& entry : fs::directory_iterator(corpus / target.name))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> inputs = target.seeds;
    for (const fs::path& file : files) inputs.push_back(read_text(file));
    return inputs;
}

/// Reads one input; what it throws beyond what it may is a failure of the test.
void feed(const FuzzTarget& target, const std::string& input, const std::string& name) {
    const std::string file = fmt::format("fuzz-failures/{}", name);
    std::memcpy(g_current.file.data(), file.c_str(), std::min<size_t>(file.size() + 1, 511));
    g_current.input = &input;
    ::alarm(kSlowSeconds);
    try {
        target.read(input);
    } catch (const UserError&) {
    } catch (const EnvironmentError&) {
    } catch (const std::exception& error) {
        keep_current_input();
        ADD_FAILURE() << target.name << ": " << error.what() << "; the input is in " << file;
    }
    ::alarm(0);
    g_current.input = nullptr;
}

}  // namespace

int64_t run_fuzz(const FuzzTarget& target, const std::string& corpus) {
    fs::create_directories("fuzz-failures");
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM})
        std::signal(signal, end_with_input_kept);
    const auto seed = static_cast<uint64_t>(setting("FUZZ_SEED", 1));
    // The first of them are the same in every run: what is read in moments is not read for seconds.
    const bool for_a_while = std::getenv("FUZZ_SECONDS") != nullptr;
    const int64_t most = for_a_while ? std::numeric_limits<int64_t>::max() : kInputsOfEveryDay;
    const std::chrono::duration<double> time(setting("FUZZ_SECONDS", 1));
    const std::vector<std::string> inputs = inputs_of(target, corpus);
    int64_t count = 0;
    const auto name = [&] { return fmt::format("{}-{}-{}", target.name, seed, count); };
    for (const std::string& input : inputs) {
        feed(target, input, name());
        ++count;
    }
    FuzzRandom random(seed);
    const auto end = Clock::now() + time;
    const auto is_short = [&] {
        return (Clock::now() < end && count < most) || count < kFewestInputs;
    };
    for (; is_short() && !inputs.empty(); ++count) {
        std::string input = inputs[random() % inputs.size()];
        for (uint64_t changes = 1 + random() % 4; changes > 0; --changes)
            target.mutate(input, random);
        if (input.size() > kLongestInput) input.resize(kLongestInput);
        feed(target, input, name());
        if (testing::Test::HasFailure()) break;
    }
    fmt::print("{}: {} inputs, seed {}\n", target.name, count, seed);
    if (!testing::Test::HasFailure()) tally("damaged inputs of " + target.name, count);
    return count;
}

}  // namespace headroom
