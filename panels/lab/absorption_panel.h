#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <string_view>

#include "panels/base/theme.h"
#include "panels/figure/page_export.h"
#include "panels/lab/absorption_answers.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;
class QToolButton;

namespace headroom {

class FigureChart;

/// Whether the MLPs of a checkpoint can take in the skips around them: an answer for every layer,
/// and the coefficients of its neurons, which would all have to be 0 or 1. UI thread only.
class AbsorptionPanel : public QWidget {
    Q_OBJECT
  public:
    explicit AbsorptionPanel(QWidget* parent = nullptr);

    void set_theme(const Theme& theme);
    /// The checkpoint that is asked about; "" = none. Answers about another one go.
    void set_name(const std::string& name);
    QPushButton* decide_button() const { return decide_; }
    QTableWidget* table() const { return table_; }
    FigureChart* chart() const { return chart_; }

    void set_busy(bool busy);
    /// The output of `absorb decide --json`. UserError.
    void take_answers(std::string_view json);
    void show_problem(const QString& problem);

    FigurePage page() const;
    bool has_picture() const { return !answers_.empty(); }

  signals:
    void open_asked();
    void decide_asked();
    void stop_asked();
    void export_asked();
    void picture_changed();

  private:
    QWidget* make_strip();
    void fill();

    std::string checkpoint_;
    std::vector<AbsorptionAnswer> answers_;
    Theme theme_;
    bool busy_ = false;
    QLabel *name_, *status_;
    QToolButton *open_, *export_;
    QPushButton* decide_;
    QProgressBar* progress_;
    QTableWidget* table_;
    FigureChart* chart_;
};

}  // namespace headroom
