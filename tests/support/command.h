#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_line.h"

namespace headroom {

/// What a command left behind.
struct Outcome {
    int status;
    std::string out, err;
};

/// Runs `headroom ARGS...` in this process.
inline Outcome headroom(std::vector<std::string> args) {
    args.insert(args.begin(), "headroom");
    std::vector<char*> argv;
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = run_command_line(static_cast<int>(args.size()), argv.data());
    std::fflush(stdout);
    return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

/// The command failed with one line on standard error that says `part`.
inline void expect_one_error_line(const Outcome& outcome, int status, const std::string& part) {
    EXPECT_EQ(outcome.status, status);
    EXPECT_THAT(outcome.err, testing::StartsWith("error: "));
    EXPECT_THAT(outcome.err, testing::HasSubstr(part));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
}

}  // namespace headroom
