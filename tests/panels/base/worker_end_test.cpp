#include "panels/base/worker_end.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(WorkerEnd, AWorkerThatEndedWellHasNoProblem) {
    EXPECT_EQ(worker_problem({false, 0, "note: assumed\nerror: old\n"}), "");
}

TEST(WorkerEnd, TheLastErrorLineIsTheProblem) {
    EXPECT_EQ(worker_problem({false, 2, "error: first\nnote: x\nerror: no file; name one\n"}),
              "no file; name one");
    EXPECT_EQ(worker_problem({false, 2, "error: cut off"}), "cut off");
    EXPECT_EQ(worker_problem({false, 3, "an error: of another program\n"}),
              "the worker ended with status 3");
}

TEST(WorkerEnd, ASignalIsNamed) {
    EXPECT_NE(worker_problem({true, 9, ""}).find("signal 9"), std::string::npos);
}

}  // namespace
}  // namespace headroom
