#pragma once

#include <QWidget>
#include <optional>

#include "panels/architecture/architecture_page.h"
#include "panels/architecture/architecture_view.h"
#include "panels/base/theme.h"

class QCheckBox;
class QComboBox;
class QToolButton;

namespace headroom {

class DrawingCanvas;

/// The picture of one model with what one may choose about it. UI thread only.
class ArchitecturePanel : public QWidget {
    Q_OBJECT
  public:
    explicit ArchitecturePanel(QWidget* parent = nullptr);

    /// An empty view shows what to do instead.
    void set_view(ArchitectureView view);
    /// What stands in place of the picture while there is no model.
    void set_empty_text(const QString& text);
    void set_theme(const Theme& theme);
    const ArchitectureView& view() const { return view_; }
    DrawingCanvas* canvas() const { return canvas_; }
    QComboBox* detail() const { return detail_; }
    QCheckBox* all_layers() const { return all_layers_; }
    QToolButton* export_button() const { return export_; }

    /// What is on the screen, for export_page(), in light colours. REQUIRES: a view that is not
    /// empty.
    FigurePage page() const;

  signals:
    void export_asked();

  private:
    void fill_details();
    void rebuild();
    /// Kinds chosen, or as many as there is room for without drawing them much smaller.
    std::vector<int> shown_kinds() const;
    int most_rows() const;

    ArchitectureView view_;
    QComboBox* detail_;
    QCheckBox* all_layers_;
    QToolButton* export_;
    DrawingCanvas* canvas_;
    bool filling_ = false;
};

}  // namespace headroom
