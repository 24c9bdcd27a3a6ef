#include "panels/base/worker_progress.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace headroom {
namespace {

TEST(WorkerProgress, ALineSaysHowFarItIsOrWhatWasFound) {
    const WorkerLine step = read_worker_line(R"({"share": 0.25, "doing": "step 5"})");
    EXPECT_EQ(step.share, 0.25);
    EXPECT_EQ(step.doing, "step 5");
    EXPECT_FALSE(step.result);
    EXPECT_EQ(read_worker_line(R"({"share": 7})").share, 1);
    const WorkerLine end = read_worker_line(R"({"result": {"loss": 2}})");
    EXPECT_EQ(end.share, 1);
    EXPECT_EQ(end.result->at("loss"), 2);
}

TEST(WorkerProgress, OtherLinesAreRefused) {
    for (const char* line : {"", "{", "[]", "{}", R"({"share": "x"})",
                             R"({"share": 0.5, "doing": 3})", R"({"doing": "step 5"})"})
        EXPECT_THROW(read_worker_line(line), UserError) << line;
}

}  // namespace
}  // namespace headroom
