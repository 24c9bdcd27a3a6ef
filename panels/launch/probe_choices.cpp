#include "panels/launch/probe_choices.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLineEdit>

#include "panels/qt/elided_label.h"
#include "panels/qt/labelled.h"

namespace headroom {

ProbeChoices::ProbeChoices(QWidget* parent) : QWidget(parent), error_(make_hint("error")) {
    error_->setParent(this);
}

void ProbeChoices::make_rows(const std::vector<ProbeChoice>& choices) {
    constexpr int kColumns = 2, kStepsWidth = 76;
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    int place = 0;
    for (const ProbeChoice& choice : choices) {
        const QString title = QString::fromStdString(choice.title);
        auto* box = new QCheckBox(title);
        box->setObjectName("probe:" + QString::fromStdString(choice.kind));
        box->setToolTip(QString::fromStdString(choice.help));
        auto* steps = new QLineEdit;
        steps->setFixedWidth(kStepsWidth);
        steps->setPlaceholderText(tr("at the end"));
        steps->setAccessibleName(tr("Steps between probes of kind %1").arg(title));
        steps->setToolTip(tr("Look again after so many steps; nothing: at the end alone"));
        const auto tell = [this, box, steps, kind = choice.kind] {
            emit edited(kind, box->isChecked(), steps->text().trimmed().toStdString());
        };
        connect(box, &QCheckBox::clicked, this, tell);
        connect(steps, &QLineEdit::textEdited, this, tell);
        grid->addWidget(box, place / kColumns, 3 * (place % kColumns));
        grid->addWidget(steps, place / kColumns, 3 * (place % kColumns) + 1);
        rows_[choice.kind] = {box, steps};
        ++place;
    }
    grid->setColumnMinimumWidth(2, 16);
    grid->setColumnStretch(5, 1);
    grid->addWidget(error_, (place + 1) / kColumns, 0, 1, 6);
}

void ProbeChoices::set_choices(const std::vector<ProbeChoice>& choices, const std::string& error) {
    if (rows_.empty()) make_rows(choices);
    for (const ProbeChoice& choice : choices) {
        const Row& row = rows_.at(choice.kind);
        const QString every = QString::fromStdString(choice.every);
        row.box->setChecked(choice.chosen);
        row.steps->setEnabled(choice.chosen);
        if (row.steps->text() != every) row.steps->setText(every);
    }
    show_hint(error_, error);
}

QCheckBox* ProbeChoices::box(const std::string& kind) const {
    return rows_.at(kind).box;
}

QLineEdit* ProbeChoices::steps(const std::string& kind) const {
    return rows_.at(kind).steps;
}

}  // namespace headroom
