#include "panels/qt/labelled.h"

#include <QHBoxLayout>
#include <QLabel>

#include "panels/qt/elided_label.h"

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

QLabel* make_heading(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "heading");
    return label;
}

ElidedLabel* make_hint(const char* role) {
    auto* hint = new ElidedLabel;
    hint->setProperty("role", role);
    QSizePolicy policy = hint->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    hint->setSizePolicy(policy);
    hint->hide();
    return hint;
}

void show_hint(ElidedLabel* hint, const std::string& text) {
    if (!text.empty()) hint->set_line(QString::fromStdString(text));
    hint->setVisible(!text.empty());
}

QString breakable(const QString& text) {
    constexpr int kLongest = 24;
    const QChar zero_width_space(0x200b);
    QString broken;
    int since_blank = 0;
    for (const QChar letter : text) {
        since_blank = letter.isSpace() ? 0 : since_blank + 1;
        if (since_blank > kLongest) {
            broken += zero_width_space;
            since_blank = 1;
        }
        broken += letter;
    }
    return broken;
}

void show_text(QLabel* label, const std::string& text) {
    label->setText(QString::fromStdString(text));
    label->setVisible(!text.empty());
}

}  // namespace headroom
