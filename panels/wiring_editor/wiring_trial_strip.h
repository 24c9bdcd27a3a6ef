#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "panels/wiring_editor/wiring_editor.h"
#include "panels/wiring_editor/wiring_trial.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace headroom {

/// "Try on RUN": which trained run, how its weights become those of the drawing, on how much of its
/// data, and what came out. UI thread only.
class WiringTrialStrip : public QWidget {
    Q_OBJECT
  public:
    explicit WiringTrialStrip(QWidget* parent = nullptr);

    /// The trained runs of the study. The one that the drawing started from (`preferred`, its id)
    /// is chosen unless the person chose another that is still there.
    void set_runs(std::vector<TrialRun> runs, const std::string& preferred);
    /// What would be tried. An answer is of one drawing, and stands when that one is back.
    void set_drawing(const WiringDrawing& drawn);

    /// REQUIRES for both: can_try().
    const TrialRun& run() const;
    std::string way() const;
    int64_t sequences() const;
    bool can_try() const;

    /// A worker is at work, or not any more.
    void set_running(bool running);
    void show_progress(double share);
    void take_answer(const WiringTrial& trial);
    void show_problem(const QString& problem);

    QComboBox* runs() const { return runs_; }
    QComboBox* ways() const { return ways_; }
    QPushButton* button() const { return try_; }
    QLabel* answer() const { return answer_; }

  signals:
    void try_asked();
    void stop_asked();

  private:
    void offer_runs();
    void fill_ways();
    void show_answer();

    std::vector<TrialRun> known_;    ///< all
    std::vector<TrialRun> offered_;  ///< those of the drawing's sizes
    std::string preferred_;
    std::shared_ptr<const Job> drawn_, asked_drawing_;
    ProjectedHeads projected_;  ///< of drawn_
    bool running_ = false, chosen_by_hand_ = false;
    std::string asked_, said_;
    bool is_problem_ = false;
    QComboBox *runs_, *ways_;
    QSpinBox* sequences_;
    QPushButton* try_;
    QProgressBar* progress_;
    QLabel* answer_;
};

}  // namespace headroom
