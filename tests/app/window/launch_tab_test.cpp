#include <QApplication>
#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

#include "app/window/pages/launch_page.h"
#include "panels/launch/launch_panel.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

class LaunchTabTest : public WindowTest {};

// From checkpoint_every Tab led out of the form; the fields came after the button that queues.
TEST_F(LaunchTabTest, TabGoesThroughTheFormFromAboveDownwards) {
    open(folder("study"), 0);
    window_->action("newRuns")->trigger();
    QApplication::processEvents();  // what was just laid out is shown by then
    LaunchPanel& form = *part<LaunchPage>().panel();
    std::vector<std::string> order;
    const QWidget* first = form.findChild<QWidget*>("preset");
    for (const QWidget* each = first; each;) {
        const std::string name = each->objectName().toStdString();
        if ((each->focusPolicy() & Qt::TabFocus) != 0 && each->isVisibleTo(&form))
            order.push_back(name);
        each = each->nextInFocusChain();
        if (each == first) break;
    }
    const auto place = [&](const char* name) {
        return std::find(order.begin(), order.end(), name) - order.begin();
    };
    const char* const wanted[] = {
        "preset",      "variant:gpt2",           "variant:skipv1", "seeds",
        "name",        "matchBaseline",          "probe:heads",    "data.train",
        "train.steps", "train.checkpoint_every", "showAll",        "launch"};
    for (size_t i = 1; i < std::size(wanted); ++i)
        EXPECT_LT(place(wanted[i - 1]), place(wanted[i])) << wanted[i - 1] << ", " << wanted[i];
    EXPECT_LT(place("launch"), std::ssize(order));
}

}  // namespace
}  // namespace headroom
