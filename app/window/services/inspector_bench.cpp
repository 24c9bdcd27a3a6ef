#include "app/window/services/inspector_bench.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QThread>
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/eprint.h"
#include "app/window/services/bench_clock.h"
#include "core/base/error.h"
#include "panels/imgui/imgui_widget.h"
#include "panels/inspector/inspector_panel.h"
#include "panels/inspector/record_source.h"

namespace headroom {
namespace {

constexpr double kMega = 1024.0 * 1024.0;

class InspectorBench {
  public:
    explicit InspectorBench(const QString& file) {
        QElapsedTimer timer;
        timer.start();
        source_ = std::make_shared<RecordSource>(file.toStdString());
        open_ms_ = elapsed_ms(timer);
    }

    void run() {
        panel_.resize(1280, 900);
        panel_.show();
        QApplication::processEvents();
        canvas_ = panel_.canvas()->canvas();
        if (!canvas_) throw EnvironmentError("this display has no OpenGL", "run it under xvfb-run");
        QObject::connect(canvas_, &QOpenGLWidget::frameSwapped, [this] { ++swapped_; });
        const double before = peak_resident_mib();
        report_record();
        measure_first_head();
        measure_heads();
        measure_pan(1);
        measure_pan(3);
        fmt::print("peak_resident_mib {:.0f}  (of which before the record {:.0f})\n",
                   peak_resident_mib(), before);
        fmt::print("tiles_and_textures_mib {:.1f}\n",
                   static_cast<double>(panel_.canvas()->bytes()) / kMega);
    }

  private:
    void report_record() {
        const MapInfo& info = source_->info();
        canvas_->makeCurrent();
        const auto* name = reinterpret_cast<const char*>(
            QOpenGLContext::currentContext()->functions()->glGetString(GL_RENDERER));
        fmt::print("renderer {}\nrecord {} layers, {} heads, {} tokens\n", name ? name : "unknown",
                   info.n_layer, info.n_head, info.seq_len);
        fmt::print("open_ms {:.1f}\n", open_ms_);
    }

    /// One frame, drawn and put on the screen.
    void frame() {
        const int before = swapped_;
        canvas_->update();
        while (swapped_ == before) QApplication::processEvents();
    }

    /// Draws until the large map is sharp and its colours are final; then the milliseconds it took.
    double until_sharp(const QElapsedTimer& timer) {
        frame();
        while (!panel_.canvas()->store().sharp()) {
            QThread::usleep(200);
            frame();
        }
        return elapsed_ms(timer);
    }

    void measure_first_head() {
        QElapsedTimer timer;
        timer.start();
        InspectorPane pane;
        pane.name = source_->info().title;
        pane.source = source_;
        panel_.set_view(build_inspector_view({pane}));
        fmt::print("first_head_ms {:.1f}\n", until_sharp(timer));
        while (!panel_.canvas()->store().complete()) frame();
        fmt::print("atlas_ms {:.1f}\n", elapsed_ms(timer));
    }

    void measure_heads() {
        const MapInfo& info = source_->info();
        std::vector<double> times;
        const int count = info.n_layer * info.n_head;
        for (int i = 1; i < std::min(count, 40); ++i) {
            const int at = static_cast<int>(i * int64_t{7919} % count);
            InspectorPlace place = panel_.place();
            place.head = {at / info.n_head, at % info.n_head};
            place.locked = true;
            QElapsedTimer timer;
            timer.start();
            panel_.set_place(place);
            times.push_back(until_sharp(timer));
        }
        if (times.empty()) return;
        std::sort(times.begin(), times.end());
        fmt::print("any_head_ms median {:.1f}, worst {:.1f}  ({} heads)\n", times[times.size() / 2],
                   times.back(), times.size());
    }

    /// Along the diagonal and back for some seconds, at `pixels` per token.
    void measure_pan(double pixels) {
        const auto seq_len = static_cast<double>(source_->info().seq_len);
        const double fits = std::min(canvas_->width(), canvas_->height()) * 0.7;
        InspectorPlace place = panel_.place();
        place.window = {std::max(1.0, pixels * seq_len / fits), 0.3, 0.2};
        panel_.set_place(place);
        until_sharp_once();
        constexpr double kSeconds = 5, kPixelsAFrame = 12;
        const double step = kPixelsAFrame / (pixels * seq_len);
        int frames = 0, sharp = 0;
        double direction = 1, slowest = 0;
        QElapsedTimer timer;
        const double cpu = cpu_seconds();
        timer.start();
        while (elapsed_ms(timer) < kSeconds * 1000) {
            if (place.window.query > 0.8 || place.window.query < 0.25) direction = -direction;
            place.window.query += direction * step;
            place.window.key += direction * step * 0.8;
            panel_.set_place(place);
            const double began = elapsed_ms(timer);
            frame();
            slowest = std::max(slowest, elapsed_ms(timer) - began);
            ++frames;
            sharp += panel_.canvas()->store().sharp();
        }
        fmt::print(
            "pan_fps {:.1f} at {:g} px per token  (slowest frame {:.1f} ms, {:.0f} % of "
            "frames sharp at once, {:.1f} ms of processor time a frame)\n",
            frames / (elapsed_ms(timer) / 1000), pixels, slowest, 100.0 * sharp / frames,
            1000 * (cpu_seconds() - cpu) / frames);
    }

    void until_sharp_once() {
        QElapsedTimer timer;
        timer.start();
        until_sharp(timer);
    }

    double open_ms_ = 0;
    std::shared_ptr<RecordSource> source_;
    InspectorPanel panel_;
    ImGuiWidget* canvas_ = nullptr;
    int swapped_ = 0;  ///< frames that reached the screen
};

}  // namespace

int bench_inspector(const QString& file) {
    try {
        InspectorBench(file).run();
        return 0;
    } catch (const UserError& error) {
        eprint("error: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        eprint("error: {}\n", error.what());
        return 1;
    }
}

}  // namespace headroom
