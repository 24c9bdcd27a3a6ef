#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <string_view>

#include "panels/base/theme.h"
#include "panels/figure/page_export.h"
#include "panels/lab/absorption_answers.h"
#include "panels/lab/absorption_history.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;
class QToolButton;

namespace headroom {

class FigureChart;

/// Whether the MLPs of a checkpoint can take in the skips around them: an answer for every layer,
/// the coefficients of its neurons, which would all have to be 0 or 1, and how far every layer was
/// from that over the training of its run. UI thread only.
class AbsorptionPanel : public QWidget {
    Q_OBJECT
  public:
    explicit AbsorptionPanel(QWidget* parent = nullptr);

    void set_theme(const Theme& theme);
    /// The checkpoint that is asked about; "" = none. Answers about another one go. `has_history`:
    /// it is one of a run that has several.
    void set_name(const std::string& name, bool has_history = false);
    QPushButton* decide_button() const { return decide_; }
    QToolButton* open_button() const { return open_; }
    QToolButton* history_button() const { return over_training_; }
    QToolButton* apply_button() const { return apply_; }
    QToolButton* make_button() const { return make_; }
    /// The layer of the one row that is selected; none: all of them are meant.
    std::optional<int> chosen_layer() const;
    QTableWidget* table() const { return table_; }
    FigureChart* chart() const { return chart_; }

    /// A worker is at work on `words`; "" = none.
    void set_busy(const QString& words);
    /// The output of `absorb decide --json`. UserError.
    void take_answers(std::string_view json);
    /// The output of `absorb history --json`. UserError.
    void take_history(std::string_view json);
    void show_problem(const QString& problem);

    FigurePage page() const;
    bool has_picture() const;

  signals:
    void open_asked();
    void decide_asked();
    void history_asked();
    void apply_asked();
    void make_asked();
    void stop_asked();
    void export_asked();
    void picture_changed();

  private:
    QWidget* make_strip();
    QWidget* make_theorem();
    void fill();
    void draw();
    void enable();
    Figure figure() const;

    std::string checkpoint_;
    bool has_history_ = false;
    std::vector<AbsorptionAnswer> answers_;
    AbsorptionHistory history_;
    Theme theme_;
    bool busy_ = false;
    QLabel *name_, *status_;
    QToolButton *open_, *over_training_, *apply_, *make_, *export_;
    QComboBox* shown_;
    QPushButton* decide_;
    QProgressBar* progress_;
    QTableWidget* table_;
    FigureChart* chart_;
};

}  // namespace headroom
