#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "panels/base/theme.h"
#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"

class QFrame;
class QGridLayout;
class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace headroom {

class LossControls;
class LossWidget;

/// Everything that the shown runs have logged, a small chart each: one x axis and one cursor for
/// all. A click on a chart's name makes it large, and a second one small again. UI thread only.
class SeriesGrid : public QWidget {
    Q_OBJECT
  public:
    explicit SeriesGrid(QWidget* parent = nullptr);

    void set_runs(const std::vector<RunPointer>& runs);
    const std::vector<RunPointer>& runs() const { return runs_; }
    const LossSettings& settings() const { return settings_; }
    void set_settings(const LossSettings& settings);
    void set_theme(const Theme& theme);

    /// Names of the series that are there, the losses first: "" (both losses), "train/grad_norm".
    std::vector<std::string> series() const;
    /// The chart that was looked at last; null if there is none.
    LossWidget* current() const;
    LossWidget* chart_of(const std::string& series) const;
    QWidget* options() const { return options_; }
    void fit();

  signals:
    void settings_changed();
    /// Another part of the x axis is visible.
    void moved();
    /// A chart has been drawn, or another one is the current one.
    void picture_changed();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    struct Cell {
        std::string series;
        QFrame* frame = nullptr;
        QToolButton* name = nullptr;
        LossWidget* chart = nullptr;
    };
    void build_options();
    void add_cell(const std::string& series);
    void connect_cell(const Cell& cell);
    void choose(const std::string& series);
    void mark_current();
    void arrange();
    void apply(const LossSettings& settings);
    void link(LossWidget* from, Range x);
    void make_large(const std::string& series);
    bool is_wanted(const Cell& cell) const;

    LossSettings settings_;
    std::vector<RunPointer> runs_;
    Theme theme_;
    std::vector<Cell> cells_;
    std::string current_, large_;
    bool is_large_ = false, linking_ = false;
    QWidget* options_;
    LossControls* controls_;
    QLineEdit* filter_;
    QScrollArea* scroll_;
    QGridLayout* grid_;
    QLabel* nothing_;
};

}  // namespace headroom
