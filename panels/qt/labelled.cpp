#include "panels/qt/labelled.h"

#include <QHBoxLayout>
#include <QLabel>

namespace headroom {

QWidget* with_label(const QString& text, QWidget* control, QWidget* parent) {
    auto* pair = new QWidget(parent);
    auto* layout = new QHBoxLayout(pair);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->setSpacing(4);
    auto* label = new QLabel(text, pair);
    label->setBuddy(control);
    layout->addWidget(label);
    layout->addWidget(control);
    return pair;
}

void show_text(QLabel* label, const std::string& text) {
    label->setText(QString::fromStdString(text));
    label->setVisible(!text.empty());
}

}  // namespace headroom
