#include "app/window/services/curves_bench.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QProcess>
#include <QThread>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/window/services/bench_clock.h"
#include "app/window/study_watcher.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/system_info.h"
#include "core/config/job_json.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "core/study/study_folder.h"
#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_export.h"
#include "panels/loss/loss_widget.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr int kSeedsPerVariant = 5, kGrowing = 8;

/// A made-up loss: falling, with noise as batches have it and a spike now and then.
float made_loss(int run, int64_t step) {
    uint64_t z = (static_cast<uint64_t>(run) << 40) + static_cast<uint64_t>(step);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    const double noise = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5;
    const double fall = 2.5 + 0.02 * run + 5 / std::sqrt(1 + static_cast<double>(step) / 200);
    return static_cast<float>(fall + 0.3 * noise + (z % 50'000 == 0 ? 2 : 0));
}

TrainRow made_row(int run, int64_t step) {
    return {.step = step,
            .tokens = step * 4096,
            .loss = made_loss(run, step),
            .lr = 1e-3f,
            .grad_norm = 1 + made_loss(run + 1000, step) / 8,
            .seconds = 0.1 * static_cast<double>(step),
            .batch_hash = static_cast<uint64_t>(step) * 31 + static_cast<uint64_t>(run % 5)};
}

std::string made_job(int run, int64_t steps) {
    const int variant = run / kSeedsPerVariant;
    const nlohmann::json job = {
        {"name", fmt::format("variant {:02}", variant)},
        {"seed", run % kSeedsPerVariant + 1},
        {"model", {{"preset", "demo"}}},
        {"data", {{"train", "task:grammar"}, {"val", "split:0.1"}, {"tokenizer", "byte"}}},
        {"train", {{"steps", steps}, {"lr", 1e-3 + 1e-5 * variant}}}};
    return dump_text(to_json(parse_job(job, "the benchmark's job")));
}

fs::path run_folder(const fs::path& study, int run) {
    return StudyFolder{study}
        .run(id_of_seed(fmt::format("v{:03}", run / kSeedsPerVariant), run % kSeedsPerVariant + 1))
        .root;
}

void make_run(const fs::path& study, int run, int64_t steps) {
    const RunFolder folder = create_run_folder(run_folder(study, run));
    const std::string job = made_job(run, steps);
    write_job(folder, job);
    const RunLogAttributes attributes{job, "headroom bench", "here", "cpu", "2026-01-01T00:00:00Z"};
    auto log = RunLogWriter::create(folder.log(), attributes);
    for (int64_t step = 1; step <= steps; ++step) {
        log.append_train(made_row(run, step));
        if (step % std::max<int64_t>(1, steps / 1000) == 0)
            log.append_val({step, step * 4096, made_loss(run, 1) + made_loss(run, step) / 50});
        if (step % 4096 == 0) log.flush();
    }
    log.set_state(RunState::kFinished);
    log.close();
}

void make_study(const fs::path& study, int runs, int points) {
    make_folder(StudyFolder{study}.runs());
    for (int run = 0; run < runs; ++run) {
        make_run(study, run, points);
        fmt::print("\rmade {} of {} runs", run + 1, runs);
        std::fflush(stdout);
    }
    fmt::print("\n");
}

class CurvesBench {
  public:
    explicit CurvesBench(QString folder) : study_(std::move(folder)) {
        widget_.resize(1280, 800);
        QObject::connect(&watcher_, &StudyWatcher::study_changed, &widget_,
                         [this](const StudyPointer& study) {
                             complete_ = !study->reading;
                             runs_ = study->runs;
                             widget_.set_runs(study->runs);
                         });
        QObject::connect(&widget_, &LossWidget::view_shown, &widget_, [this] { ++shown_; });
    }

    void run() {
        fmt::print("processor {}\n", processor_name());
        widget_.show();
        QApplication::processEvents();
        measure_opening();
        print_memory();
        measure_moving("pan", [](Range all, int frame) {
            const double away = 0.2 * all.size() * std::sin(0.05 * frame);
            return Range{all.lower + 0.25 * all.size() + away,
                         all.upper - 0.25 * all.size() + away};
        });
        measure_moving("zoom", [](Range all, int frame) {
            const double share = std::pow(0.5, 5 + 5 * std::sin(0.05 * frame));
            const double middle = all.lower + 0.6 * all.size();
            return Range{middle - share * all.size() / 2, middle + share * all.size() / 2};
        });
        widget_.fit();
        while (!(widget_.chart()->figure().x.range == widget_.view().x_all))
            QApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
        settle();
        measure_pdf();
        measure_cost("idle");
        measure_following();
        print_memory();
    }

  private:
    void measure_opening() {
        QElapsedTimer timer;
        timer.start();
        watcher_.open(study_.toStdString());
        double first = 0, half = 0;
        while (!complete_ || runs_.empty() || drawn_runs() < runs_.size()) {
            QApplication::processEvents();
            QThread::msleep(2);  // two cores are for those who read and draw
            if (first == 0 && drawn_runs() > 0) first = elapsed_ms(timer);
            if (half == 0 && 2 * drawn_runs() > runs_.size()) half = elapsed_ms(timer);
        }
        do {
            widget_.chart()->replot();
            QApplication::processEvents(QEventLoop::AllEvents, 20);
        } while (!widget_.chart()->is_exact());
        fmt::print(
            "runs {}\nfirst_curve_s {:.2f}\nhalf_of_curves_s {:.2f}\nall_curves_s {:.2f}  "
            "({:.1f} s of processor)\n",
            runs_.size(), first / 1000, half / 1000, elapsed_ms(timer) / 1000, cpu_seconds());
    }

    /// Runs whose every row is in the plot.
    size_t drawn_runs() const {
        const auto& curves = widget_.view().curves;
        return static_cast<size_t>(
            std::count_if(curves.begin(), curves.end(), [](const LossCurve& curve) {
                const RunSeries& rows = *curve.series.run->series;
                return curve.kind == LossKind::kTrain && curve.points > 0 &&
                       curve.points == rows.train.step.size();
            }));
    }

    static void print_memory() {
        fmt::print("resident_mib {:.0f}  (peak {:.0f})\n",
                   static_cast<double>(resident_bytes()) / (1024 * 1024), peak_resident_mib());
    }

    /// Lets everything that was asked for arrive.
    void settle() {
        constexpr int kQuietMs = 1500;
        QElapsedTimer quiet;
        quiet.start();
        for (int shown = shown_; quiet.elapsed() < kQuietMs; QApplication::processEvents())
            if (std::exchange(shown, shown_) != shown_) quiet.restart();
    }

    void measure_moving(const char* what, const std::function<Range(Range, int)>& range_at) {
        constexpr double kSeconds = 5;
        FigureChart& chart = *widget_.chart();
        const Range all = widget_.view().x_all;
        std::vector<double> frames;
        QElapsedTimer timer;
        const double cpu = cpu_seconds();
        timer.start();
        while (elapsed_ms(timer) < kSeconds * 1000) {
            const double began = elapsed_ms(timer);
            const Range x = range_at(all, static_cast<int>(frames.size()));
            chart.xAxis->setRange(x.lower, x.upper);
            emit chart.zoomed_to(x, chart.figure().y.range);
            chart.replot(QCustomPlot::rpImmediateRefresh);
            QApplication::processEvents();
            frames.push_back(elapsed_ms(timer) - began);
        }
        const double moved = elapsed_ms(timer);
        while (!chart.is_exact()) QApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
        const double sharp = elapsed_ms(timer) - moved;
        std::sort(frames.begin(), frames.end());
        const auto count = static_cast<double>(frames.size());
        fmt::print(
            "{}_fps {:.1f}  (median frame {:.1f} ms, slowest {:.1f} ms, {:.1f} ms of processor "
            "time a frame, exact {:.0f} ms after the last)\n",
            what, 1000 * count / moved, frames[frames.size() / 2], frames.back(),
            1000 * (cpu_seconds() - cpu) / count, sharp);
    }

    void measure_pdf() {
        const std::string pdf = render_figure(widget_.figure(), FigureFormat::kPdf, false);
        fmt::print("pdf_mib {:.2f}\n", static_cast<double>(pdf.size()) / (1024 * 1024));
    }

    /// The share of a core that this process takes for some seconds.
    void measure_cost(const char* what) {
        constexpr int kSeconds = 10;
        QEventLoop loop;
        const double cpu = cpu_seconds();
        const int shown = shown_;
        QTimer::singleShot(kSeconds * 1000, &loop, &QEventLoop::quit);
        loop.exec();
        fmt::print("{}_percent {:.2f}  ({:.1f} plots a second)\n", what,
                   100 * (cpu_seconds() - cpu) / kSeconds,
                   static_cast<double>(shown_ - shown) / kSeconds);
    }

    void measure_following() {
        QProcess writer;
        writer.start(QCoreApplication::applicationFilePath(), {"--bench", "write-curves", study_});
        // Resuming makes new files of the eight logs, whose rows are read once more at first.
        const double cpu = cpu_seconds();
        QElapsedTimer timer;
        timer.start();
        for (const int shown = shown_; timer.elapsed() < 3000 || shown_ < shown + 3;)
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        fmt::print("taking_up_8_s {:.2f}  (of processor)\n", cpu_seconds() - cpu);
        measure_cost("following_8");
        writer.kill();
        writer.waitForFinished();
    }

    QString study_;
    StudyWatcher watcher_;
    LossWidget widget_;
    bool complete_ = false;
    std::vector<RunPointer> runs_;
    int shown_ = 0;
};

int status_of(const std::function<void()>& work) {
    try {
        work();
        return 0;
    } catch (const UserError& error) {
        eprint("error: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        eprint("error: {}\n", error.what());
        return 1;
    }
}

}  // namespace

int bench_curves(const QString& study, int runs, int points) {
    return status_of([&] {
        const fs::path folder = study.toStdString();
        if (!fs::exists(folder)) make_study(folder, runs, points);
        CurvesBench(study).run();
    });
}

int write_curves(const QString& study) {
    return status_of([&] {
        const fs::path folder = study.toStdString();
        const auto runs = static_cast<int>(list_runs(folder).size());
        std::vector<RunLogWriter> logs;
        std::vector<int64_t> steps;
        for (int run = std::max(0, runs - kGrowing); run < runs; ++run) {
            const RunFolder each{run_folder(folder, run)};
            steps.push_back(open_series(each.log())->tail().step);
            logs.push_back(RunLogWriter::resume(each.log(), steps.back()));
            logs.back().set_state(RunState::kRunning);
        }
        while (true) {
            for (size_t i = 0; i < logs.size(); ++i) {
                const int run = runs - static_cast<int>(logs.size() - i);
                logs[i].append_train(made_row(run, ++steps[i]));
                logs[i].flush();
            }
            QThread::msleep(100);
        }
    });
}

}  // namespace headroom
