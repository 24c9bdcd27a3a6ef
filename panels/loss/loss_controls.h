#pragma once

#include <QWidget>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "panels/loss/loss_settings.h"
#include "panels/study/run.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSlider;
class QToolButton;

namespace headroom {

class RangeFields;

/// The strip of controls above the loss chart. It edits a LossSettings and knows nothing else.
class LossControls : public QWidget {
    Q_OBJECT
  public:
    explicit LossControls(QWidget* parent = nullptr);

    void set_settings(const LossSettings& settings);
    /// The runs that can be a baseline, and what they have logged. Leaves open lists alone where
    /// neither has changed.
    void set_runs(const std::vector<RunPointer>& runs);
    /// For a view of all series: neither which one nor what else there is of one alone.
    void leave_out_series();
    RangeFields* ranges() const { return ranges_; }

  signals:
    /// The person changed something other than the visible ranges.
    void changed(const headroom::LossSettings& settings);
    void fit_asked();

  private:
    void build();
    QComboBox* add_choice(const QString& label, const QString& name, const QStringList& choices,
                          const QString& help);
    QCheckBox* add_switch(const QString& text, const QString& name, const QString& help);
    void add_smoothing();
    void fill_metrics();
    void show_kind();
    void show_settings();
    void take_settings();

    LossSettings settings_;
    std::vector<std::pair<std::string, std::string>> baselines_;  ///< id and name
    std::set<std::string> logged_;                                ///< names of series
    bool filling_ = false;  ///< while the widgets are set by the program, not by the person
    QComboBox *metric_, *x_, *baseline_, *unit_, *seeds_;
    QCheckBox *train_, *val_, *log_x_, *log_y_, *outliers_, *legend_;
    QSlider* smoothing_;
    QDoubleSpinBox* smoothing_value_;
    RangeFields* ranges_;
    bool all_series_ = false;
};

}  // namespace headroom
