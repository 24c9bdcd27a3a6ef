#pragma once

#include <QDialog>
#include <functional>

#include "panels/figure/page_export.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;

namespace headroom {

class PagePreview;

/// Asks how a page is to be written and into which file, and shows what comes out at the size that
/// it will have on paper. What was chosen for all pictures alike is there again next time: width,
/// text, legend and resolution.
class ExportDialog : public QDialog {
    Q_OBJECT
  public:
    /// `file`: offered; its ending chooses the format.
    ExportDialog(FigurePage page, const QString& file, QWidget* parent);

    QString file() const;
    PageWishes wishes() const;

    /// Writes the file. What fails is told here, and the dialog stays.
    void accept() override;

  private:
    void make_fields(const QString& file);
    void lay_out();
    void recall();
    void keep() const;
    /// The ending of the file's name; "" without one.
    QString ending() const;
    void take_format();
    void take_file();
    void browse();
    /// Lays the page out anew; a shape that cannot be is told in place of the picture.
    void redraw();

    FigurePage page_, made_;
    bool can_be_made_ = false;
    QLineEdit *file_, *title_;
    QComboBox *format_, *venue_, *legend_, *resolution_;
    QDoubleSpinBox *width_, *height_, *text_;
    QLabel* note_;
    PagePreview* preview_;
};

}  // namespace headroom
