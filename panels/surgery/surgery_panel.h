#pragma once

#include <QWidget>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "panels/base/theme.h"
#include "panels/figure/page_export.h"
#include "panels/surgery/surgery_plan.h"
#include "panels/surgery/surgery_report.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTabWidget;
class QToolButton;
class QTreeWidget;

namespace headroom {

class DrawingCanvas;
class FigureChart;

/// A checkpoint that can be operated on.
struct SurgeryModel {
    std::string name;
    std::filesystem::path checkpoint;
    ModelConfig model;
    std::string data = {};  ///< on which to measure losses; "" where nothing is known

    bool operator==(const SurgeryModel&) const = default;
};

/// The plan of a checkpoint: what can be removed exactly and which assumption fails elsewhere, the
/// model before and after as pictures with what goes marked, and how far what a surgery made is
/// from its original. UI thread only.
class SurgeryPanel : public QWidget {
    Q_OBJECT
  public:
    explicit SurgeryPanel(QWidget* parent = nullptr);

    void set_theme(const Theme& theme);
    /// Nothing happens where it is the same; an empty one shows how to begin.
    void set_model(std::optional<SurgeryModel> model);
    const std::optional<SurgeryModel>& model() const { return model_; }
    QTreeWidget* table() const { return table_; }
    QPushButton* apply_button() const { return apply_; }
    QToolButton* open_button() const { return open_; }
    /// Whether tied embeddings get a head of their own first.
    QCheckBox* untie_box() const { return untie_; }
    bool unties() const;
    /// On what losses and the norms' scales are measured, as a job spells it; "" where nobody said.
    std::string data() const;
    QLineEdit* data_edit() const { return data_; }
    /// Makes a study of what remains of the model without its norms.
    QToolButton* recover_button() const { return recover_; }
    FigureChart* chart() const { return chart_; }
    /// The line that is chosen, or nullptr.
    const PlanLine* chosen() const;
    /// The surgery of the chosen line, or nullptr.
    const PlanGroup* chosen_group() const;
    /// The model with what goes and what stays marked.
    DrawingCanvas* model_canvas() const { return before_; }

    /// A worker is at work on `words`; "" = none.
    void set_busy(const QString& words);
    /// The output of `surgery plan --json`. UserError.
    void take_plan(std::string_view json);
    /// The file of `surgery apply --report`. UserError.
    void take_report(std::string_view json);
    void show_problem(const QString& problem);
    /// Layers are called otherwise now.
    void relabel();

    /// What is looked at: the report's figure. REQUIRES: has_picture().
    FigurePage page() const;
    bool has_picture() const { return report_.has_value(); }

  signals:
    void open_asked();
    /// Condition numbers of the model, from its weights.
    void numbers_asked();
    void apply_asked();
    void recover_asked();
    /// A text file or a folder of tokens is to be chosen.
    void data_asked();
    void stop_asked();
    void export_asked();
    void picture_changed();

  private:
    QWidget* make_strip();
    QWidget* make_below();
    /// `kept` is the chosen_key() to choose again; "": the first that removes weights.
    void fill_table(const std::string& kept);
    std::string chosen_key() const;
    void plan_anew();
    void show_choice();
    void draw_models();
    void draw_report();
    /// Of the chosen line with the choices that would be applied.
    std::string report_key() const;
    void show_facts();

    std::optional<SurgeryModel> model_;
    std::vector<PlanGroup> plan_;
    std::optional<SurgeryReport> report_;
    std::string reported_;  ///< report_key() of what was applied
    QString measured_;      ///< what the report says, in words
    Theme theme_;
    bool busy_ = false, recovers_ = false;
    QLabel *name_, *status_, *reason_, *facts_;
    QToolButton *open_, *numbers_, *browse_, *recover_, *export_;
    QLineEdit* data_;
    QCheckBox* untie_;
    QPushButton* apply_;
    QProgressBar* progress_;
    QTreeWidget* table_;
    QTabWidget* tabs_;
    DrawingCanvas *before_, *after_;
    FigureChart* chart_;
};

}  // namespace headroom
