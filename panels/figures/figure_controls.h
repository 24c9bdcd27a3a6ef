#pragma once

#include <QWidget>
#include <map>

#include "core/study/study.h"
#include "panels/figures/recipe_info.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;

namespace headroom {

/// Everything that makes one figure of a study: its name, its runs, its page, and the options of
/// its recipe. UI thread only.
class FigureControls : public QWidget {
    Q_OBJECT
  public:
    explicit FigureControls(std::vector<RecipeInfo> recipes);

    /// The runs that may be named, {id, what people call it}.
    void set_runs(const std::vector<std::pair<std::string, std::string>>& runs);
    /// The figures that may stand as panels on a page of them.
    void set_figures(const std::vector<std::string>& names);
    /// Shows a figure; does not emit changed().
    void set_figure(const StudyFigure& figure);
    const StudyFigure& figure() const { return figure_; }

    /// The last change cannot be: the figure is `before` again, and fields whose text is another
    /// keep it and are marked.
    void refuse_change(const StudyFigure& before);
    /// The same of a name that cannot be.
    void refuse_name(const StudyFigure& before, const QString& why);

  signals:
    /// The person finished a change; figure() is the new one.
    void changed();

  private:
    struct Field {
        QLineEdit* text = nullptr;
        QComboBox* choice = nullptr;
        QCheckBox* box = nullptr;
        QString help;
    };

    void lay_out();
    QWidget* make_size_row();
    void fill();
    void fill_runs();
    void fill_panels();
    void add_choice(const std::string& key, const std::string& name, bool chosen);
    std::vector<std::string> choices() const;
    void fill_size();
    void fill_options();
    void fill_run_lists();
    void list_runs(QComboBox& list) const;
    void add_option(const RecipeOption& option);
    QWidget* make_field(const RecipeOption& option, Field& field);
    void show_option(const Field& field, const std::string& value);
    std::string option(const std::string& name) const;
    void set_option(const std::string& name, const std::string& value);
    void take_name();
    void take_runs();
    void take_panels();
    void take_venue();
    void finish();

    std::vector<RecipeInfo> recipes_;
    std::vector<std::pair<std::string, std::string>> known_runs_;
    std::vector<std::string> known_figures_;
    StudyFigure figure_;
    bool filling_ = false;
    QLineEdit *name_, *title_;
    QLabel *recipe_, *runs_title_;
    QCheckBox *all_runs_, *notes_;
    QListWidget* runs_;
    QComboBox *venue_, *theme_;
    QDoubleSpinBox *width_, *height_;
    QFormLayout* own_;
    QWidget* own_place_;
    std::map<std::string, Field> fields_;  ///< of the recipe's own options
    std::string filled_recipe_;            ///< whose fields they are
};

}  // namespace headroom
