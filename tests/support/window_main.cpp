#include <QApplication>
#include <QTemporaryDir>
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "app/window/run_window.h"

namespace {

/// Windows need a display; ctest lists tests without one, so this must not stop the listing.
class NeedsDisplay : public testing::Environment {
  public:
    void SetUp() override { GTEST_SKIP() << "no display: DISPLAY is not set; run under xvfb-run"; }
};

}  // namespace

/// main() for tests that press the buttons of real windows. Settings, data and trash go to a folder
/// that is thrown away. Workers get one thread, for several tests run side by side.
int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
    if (std::getenv("DISPLAY") == nullptr) {
        testing::AddGlobalTestEnvironment(new NeedsDisplay);
        return RUN_ALL_TESTS();
    }
    const QTemporaryDir home;
    for (const char* variable : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"})
        qputenv(variable, home.path().toUtf8());
    qputenv("OMP_NUM_THREADS", "1");
    qputenv("QT_QPA_PLATFORM", "xcb");
    headroom::prepare_window();
    QApplication application(argc, argv);
    return RUN_ALL_TESTS();
}
