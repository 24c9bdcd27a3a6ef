#pragma once

#include <QString>
#include <functional>

#include "panels/figure/page_export.h"

class QWidget;

namespace headroom {

/// Asks for the shape of the page that `make_page` gives and for a file, at first NAME.ENDING in
/// `folder`, and writes it. Returns the file, "" if the person did not want to. Throws what writing
/// throws.
QString ask_and_write_page(QWidget* parent, const QString& folder, const QString& name,
                           const QString& ending, const std::function<FigurePage()>& make_page);

/// The same from a dialog of its own, which tells errors in a message box.
void export_from_dialog(QWidget* dialog, const QString& folder, const QString& name,
                        const std::function<FigurePage()>& make_page);

}  // namespace headroom
