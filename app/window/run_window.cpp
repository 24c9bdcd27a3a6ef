#include "app/window/run_window.h"

#include <QAction>
#include <QApplication>
#include <QCommandLineParser>
#include <QDialog>
#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "app/eprint.h"
#include "app/figure/own_fonts.h"
#include "app/window/main_window.h"
#include "app/window/services/curves_bench.h"
#include "app/window/services/inspector_bench.h"
#include "core/base/build_info.h"
#include "core/base/nearest.h"
#include "panels/imgui/imgui_widget.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

namespace {

struct WindowOptions {
    QString study;
    QString screenshot;
    QSize size;
    QString theme;
    QString select;
    QString press;  ///< object names of actions
    QString bench;
    int runs = 100, points = 1'000'000;  ///< of a study that a benchmark makes
    int after_ms = 1500;
};

/// Exit status 2 with one line on standard error; the same form as the command line's errors.
int refuse(const QString& what) {
    eprint("error: {}\n", what.toStdString());
    return 2;
}

bool read_size(const QString& text, QSize& size) {
    const QStringList parts = text.split('x');
    if (parts.size() != 2) return false;
    size = QSize(parts[0].toInt(), parts[1].toInt());
    constexpr int kLargest = 16384;
    return size.width() >= 320 && size.height() >= 240 && size.width() <= kLargest &&
           size.height() <= kLargest;
}

/// What is wrong with the value of an option that is a number within these limits; "" where nothing
/// is.
QString number_problem(const QCommandLineParser& parser, const QString& option, int least, int most,
                       int& number) {
    if (!parser.isSet(option)) return {};
    bool read = false;
    number = parser.value(option).toInt(&read);
    if (read && number >= least && number <= most) return {};
    return QStringLiteral("--%1 %2 must be a whole number from %3 to %4")
        .arg(option, parser.value(option))
        .arg(least)
        .arg(most);
}

bool is_bench(const QString& name) {
    return name == "inspector" || name == "curves" || name == "write-curves";
}

int run_bench(const WindowOptions& options) {
    if (options.bench == "curves") return bench_curves(options.study, options.runs, options.points);
    if (options.bench == "write-curves") return write_curves(options.study);
    return bench_inspector(options.study);
}

QString read_options(const QStringList& arguments, WindowOptions& options) {
    QCommandLineParser parser;
    parser.addPositionalArgument("STUDY_DIR", "The study's folder");
    const auto add = [&parser](const QString& name) { parser.addOption({name, {}, "VALUE"}); };
    for (const char* name :
         {"screenshot", "size", "theme", "after-ms", "select", "press", "bench", "runs", "points"})
        add(name);
    if (!parser.parse(arguments)) return parser.errorText() + "; headroom-studio [STUDY_DIR]";
    const QStringList places = parser.positionalArguments();
    if (places.size() > 1) return "more than one study was named; headroom-studio [STUDY_DIR]";
    if (!places.isEmpty()) options.study = places.front();
    options.screenshot = parser.value("screenshot");
    options.theme = parser.value("theme");
    options.select = parser.value("select");
    options.press = parser.value("press");
    options.bench = parser.value("bench");
    if (!options.bench.isEmpty() && !is_bench(options.bench))
        return "--bench " + options.bench +
               " is not known; use --bench inspector RECORD or --bench curves STUDY";
    if (!options.bench.isEmpty() && options.study.isEmpty())
        return "--bench " + options.bench + " needs a place; name an attention record or a study";
    for (const QString& problem :
         {number_problem(parser, "runs", 1, 10'000, options.runs),
          number_problem(parser, "points", 1, 100'000'000, options.points),
          number_problem(parser, "after-ms", 0, 3'600'000, options.after_ms)})
        if (!problem.isEmpty()) return problem;
    for (const char* option : {"select", "press"})
        if (parser.isSet(option) && options.screenshot.isEmpty())
            return QStringLiteral("--%1 is for pictures of the window; add --screenshot FILE.png")
                .arg(option);
    if (parser.isSet("size") && !read_size(parser.value("size"), options.size))
        return "--size " + parser.value("size") + " is no size; write it as 1280x800";
    if (!options.theme.isEmpty() && options.theme != "light" && options.theme != "dark")
        return "--theme " + options.theme + " is not known; use light or dark";
    return {};
}

/// At once: a dialog's own event loop may be running, and threads still read what the end of an
/// ordinary program destroys.
[[noreturn]] void end_program(int status) {
    std::fflush(nullptr);
    std::_Exit(status);
}

/// A picture of something else would pass for what was asked for.
[[noreturn]] void refuse_picture(const char* what, const std::string& word,
                                 const std::vector<std::string>& known) {
    end_program(refuse(QString::fromStdString(
        fmt::format("the window has no {} \"{}\"{}", what, word, suggestion(word, known)))));
}

void select_runs(MainWindow& window, const QString& names) {
    std::vector<std::string> known, runs;
    for (const RunPointer& run : window.session().look().runs()) known.push_back(run->id);
    for (const QString& name : names.split(',', Qt::SkipEmptyParts)) {
        runs.push_back(name.toStdString());
        if (std::ranges::find(known, runs.back()) == known.end())
            refuse_picture("run", runs.back(), known);
    }
    window.session().select(runs);
}

void press(MainWindow& window, const QString& name) {
    if (QAction* action = window.action(name)) return action->trigger();
    std::vector<std::string> known;
    for (const QAction* action : window.findChildren<QAction*>())
        if (!action->objectName().isEmpty()) known.push_back(action->objectName().toStdString());
    refuse_picture("action", name.toStdString(), known);
}

/// Tries so often whether the study has been read, where runs of it are to be selected.
void save_screenshot_and_quit(MainWindow& window, const WindowOptions& options, int tries = 400) {
    if (!options.select.isEmpty() && !window.session().watcher().study() && tries > 0) {
        QTimer::singleShot(50, &window,
                           [&, tries] { save_screenshot_and_quit(window, options, tries - 1); });
        return;
    }
    select_runs(window, options.select);
    // More rounds of the event loop, so that the selection is drawn and what was pressed is done.
    QTimer::singleShot(options.press.isEmpty() ? 600 : options.after_ms, &window,
                       [&window, file = options.screenshot] {
                           QWidget* shown = QApplication::activeModalWidget();
                           for (QDialog* dialog : window.findChildren<QDialog*>())
                               if (!shown && dialog->isVisible()) shown = dialog;
                           const bool saved = (shown ? shown : &window)->grab().save(file);
                           if (!saved) eprint("error: {} cannot be written\n", file.toStdString());
                           end_program(saved ? 0 : 1);
                       });
    for (const QString& name : options.press.split(',', Qt::SkipEmptyParts)) press(window, name);
}

/// Where X has no OpenGL Qt gives up at once: a line of the usual form in the place of a core dump.
void say_what_qt_says(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (std::string_view(context.category ? context.category : "") == "qt.glx") return;
    if (type != QtFatalMsg) {
        eprint("{}\n", text.toStdString());
        return;
    }
    eprint(
        "error: {}; install the drivers of OpenGL (Debian: libgl1-mesa-dri and "
        "libglx-mesa0), or use the commands, which need none\n",
        text.toStdString());
    std::_Exit(1);
}

}  // namespace

bool print_usage(int argc, char** argv) {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "--version") {
        fmt::print("{}\n", build_text());
        return true;
    }
    if (first != "--help" && first != "-h") return false;
    fmt::print(
        "usage: headroom-studio [STUDY_DIR | CHECKPOINT]   open the window\n"
        "       headroom-studio figure RECIPE ... --out FILE   draw a figure, no window\n"
        "For pictures of the window: --screenshot FILE.png [--size 1280x800]\n"
        "[--theme light|dark] [--after-ms N] [--select RUN,RUN] [--press ACTION,…]\n"
        "       headroom-studio --bench inspector RECORD   measure how fast a record is shown\n"
        "       headroom-studio --bench curves STUDY [--runs N] [--points N]   measure how fast "
        "many\n"
        "       long runs are shown; makes the study where there is none\n");
    return true;
}

void prepare_window() {
    qInstallMessageHandler(say_what_qt_says);
    settle_font_settings();
    ImGuiWidget::choose_surface_format();
    QCoreApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
}

int run_window(QApplication& application, const QStringList& arguments) {
    WindowOptions options;
    if (const QString problem = read_options(arguments, options); !problem.isEmpty())
        return refuse(problem);
    if (!options.bench.isEmpty()) return run_bench(options);
    QApplication::setApplicationDisplayName("");
    QApplication::setDesktopFileName("org.headroom.Studio");
    add_own_fonts();
    choose_application_font();
    MainWindow window;
    if (!options.theme.isEmpty())
        window.apply_theme(options.theme == "dark" ? ThemeChoice::kDark : ThemeChoice::kLight);
    window.offer_tour(options.screenshot.isEmpty());
    if (options.size.isValid()) window.resize(options.size);
    if (!options.study.isEmpty())
        window.open_path(options.study);
    else if (options.screenshot.isEmpty())
        window.restore_session();
    window.show();
    if (!options.screenshot.isEmpty())
        QTimer::singleShot(options.after_ms, &window,
                           [&] { save_screenshot_and_quit(window, options); });
    return application.exec();
}

}  // namespace headroom
