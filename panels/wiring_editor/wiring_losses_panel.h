#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "panels/base/theme.h"
#include "panels/wiring_editor/rewire_figure.h"
#include "panels/wiring_editor/wiring_editor.h"
#include "panels/wiring_editor/wiring_findings.h"

class QAction;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace headroom {

class FigureChart;
class HeatmapWidget;

/// What a trained run says of wirings without training: what it costs to read each layer, from
/// which a click makes the edit; what each head is worth; in which order layers can share. UI
/// thread only.
class WiringLossesPanel : public QWidget {
    Q_OBJECT
  public:
    explicit WiringLossesPanel(QWidget* parent = nullptr);

    void set_theme(const Theme& theme);
    void set_findings(const WiringFindings& findings);
    /// REQUIRES: an editor that is not empty, outlived by this.
    void set_drawing(const WiringEditor& editor);
    /// The probe that is being made, "" if none, how far it is, and what the last one complained
    /// of.
    void set_work(const std::string& kind, double share, const std::string& problem);
    void relabel();
    /// Why the last edit could not be done, "" if it could.
    void say(const std::string& refusal);

    /// "Measure" of one kind of probe.
    QAction* measure(const std::string& kind) const;
    QPushButton* stop_button() const { return stop_; }
    HeatmapWidget* sources() const { return sources_; }
    HeatmapWidget* heads() const { return heads_; }
    FigureChart* importance() const { return importance_; }
    QComboBox* tables() const { return tables_; }
    QComboBox* readers() const { return readers_; }
    QSpinBox* sharing_count() const { return count_; }
    QPushButton* share_button() const { return share_; }
    QLabel* note() const { return note_; }

  signals:
    void measure_asked(const QString& kind);
    void stop_asked();
    /// The drawing is to be changed, all at once.
    void edits_asked(const std::vector<WiringEdit>& edits);

  private:
    QWidget* make_strip();
    QWidget* make_pictures();
    void take_click(int64_t row, int64_t column);
    void fill_readers();
    void show_sources();
    void show_marks();
    void show_heads();
    void show_note();
    bool fits_drawing() const;

    WiringFindings findings_;
    const WiringEditor* editor_ = nullptr;
    RewireFigure picture_;
    Theme theme_;
    std::string working_, problem_, refusal_;
    QComboBox *tables_, *readers_, *ablations_, *views_;
    QToolButton* measure_;
    QPushButton *stop_, *share_;
    QProgressBar* progress_;
    QSpinBox* count_;
    HeatmapWidget *sources_, *heads_;
    FigureChart* importance_;
    QStackedWidget* head_pictures_;
    QLabel* note_;
};

}  // namespace headroom
