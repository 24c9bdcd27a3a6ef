#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "panels/base/theme.h"
#include "panels/compare/compare_view.h"
#include "panels/figure/page_export.h"

class QComboBox;
class QLabel;
class QSplitter;
class QToolButton;
class QTreeWidget;

namespace headroom {

class DrawingCanvas;

/// Two models beside each other: their pictures with what differs marked, and the table of
/// differences. UI thread only.
class ComparePanel : public QWidget {
    Q_OBJECT
  public:
    explicit ComparePanel(QWidget* parent = nullptr);

    void set_view(CompareView view);
    /// What there is to compare with: ids and names. The choice stays while its id is there.
    void set_choices(const std::vector<std::pair<std::string, std::string>>& choices);
    /// The chosen id; "" where nothing can be chosen.
    std::string choice() const;
    void choose(const std::string& id);
    /// Said where there is nothing to compare.
    void set_empty_text(const QString& text);
    void set_theme(const Theme& theme);
    const CompareView& view() const { return view_; }
    QTreeWidget* table() const { return table_; }
    DrawingCanvas* model_canvas() const { return model_; }
    DrawingCanvas* baseline_canvas() const { return baseline_; }

    /// Both pictures for export_page(). REQUIRES: a view that is not empty.
    FigurePage page() const;

  signals:
    void choice_changed();
    void export_asked();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fill_table();
    void draw();

    CompareView view_;
    std::vector<std::pair<std::string, std::string>> choices_;
    QLabel* name_;
    QComboBox* choice_;
    QToolButton* export_;
    QLabel* note_;
    QSplitter* pictures_;
    DrawingCanvas* model_;
    DrawingCanvas* baseline_;
    QTreeWidget* table_;
};

}  // namespace headroom
