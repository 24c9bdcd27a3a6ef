#pragma once

#include <QImage>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "panels/figures/recipe_info.h"

class QComboBox;
class QHBoxLayout;
class QListWidget;
class QListWidgetItem;
class QToolButton;

namespace headroom {

class FigureControls;
class PagePreview;

/// A gallery of figures with small pictures, the chosen one as a page, and what can be done with
/// it. UI thread only.
class FiguresPanel : public QWidget {
    Q_OBJECT
  public:
    static constexpr double kDotsPerInch = 192;  ///< of the pages that it is given

    explicit FiguresPanel(const std::vector<RecipeInfo>& recipes);

    /// The gallery's names, in order; `chosen` is chosen if it is among them. Else it is the one
    /// that stands where `chosen` stood, or the first.
    void set_names(const std::vector<std::string>& names, const std::string& chosen);
    /// "" where there is no figure.
    const std::string& chosen() const { return chosen_; }
    /// What became of a figure: a page, or why there is none. Neither: it is still to be drawn.
    void set_picture(const std::string& name, const QImage& page, const QString& problem);

    /// Whether the chosen one is drawn.
    bool has_page() const;
    /// Of another study from now on.
    void forget_pictures() { pictures_.clear(); }

    FigureControls* controls() const { return controls_; }
    PagePreview* preview() const { return preview_; }
    QListWidget* gallery() const { return gallery_; }

  signals:
    void choice_changed();
    void add_asked(const std::string& recipe);
    void duplicate_asked();
    void remove_asked();
    /// One place earlier (-1) or later (+1).
    void move_asked(int by);
    void redraw_asked();

  private:
    struct Picture {
        QImage page;
        QString problem;
    };

    void lay_out();
    QWidget* make_strip();
    QToolButton* add_button(QHBoxLayout* row, const QString& name, const QString& text,
                            const QString& help);
    void add_move(QHBoxLayout* row, const QString& name, const QString& text, const QString& help,
                  Qt::Key key, int by);
    void add_recipes(QToolButton* button, const std::vector<RecipeInfo>& recipes);
    QListWidgetItem* item_of(const std::string& name) const;
    void dress(QListWidgetItem* item);
    void take_choice();
    void show_page();
    void show_zoom(double zoom);

    FigureControls* controls_;
    QListWidget* gallery_;
    PagePreview* preview_;
    QComboBox* zoom_;
    QToolButton* new_ = nullptr;
    std::vector<std::string> names_;
    std::string chosen_;
    std::map<std::string, Picture> pictures_;  ///< by name
    bool filling_ = false;
};

}  // namespace headroom
