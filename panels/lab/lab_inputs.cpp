#include "panels/lab/lab_inputs.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <algorithm>

#include "panels/qt/style_property.h"
#include "panels/qt/wheel_guard.h"

namespace headroom {
namespace {

std::string value_of(const QWidget* input) {
    if (const auto* edit = qobject_cast<const QLineEdit*>(input))
        return edit->text().trimmed().toStdString();
    return qobject_cast<const QComboBox*>(input)->currentText().toStdString();
}

void mark_input(QWidget* input, const LabField& field, const QString& problem) {
    mark_wrong(*input, problem, QString::fromStdString(field.help));
}

}  // namespace

LabInputs::LabInputs(Experiment& experiment, QWidget* parent)
    : QWidget(parent), defaults_(lab_fields(experiment)) {
    setObjectName(QString::fromStdString(experiment.name()));
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setRowWrapPolicy(QFormLayout::WrapLongRows);
    layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    for (const LabField& field : defaults_) {
        inputs_.push_back(make_input(field));
        layout->addRow(QString::fromStdString(field.name), inputs_.back());
    }
}

QWidget* LabInputs::make_input(const LabField& field) {
    QWidget* input = nullptr;
    const auto unmark = [this, at = inputs_.size()] {
        mark_input(inputs_[at], defaults_[at], {});
        emit changed();
    };
    if (field.choices.empty()) {
        auto* edit = new QLineEdit(QString::fromStdString(field.value));
        connect(edit, &QLineEdit::textChanged, this, unmark);
        connect(edit, &QLineEdit::returnPressed, this, &LabInputs::entered);
        input = edit;
    } else {
        auto* combo = new QComboBox;
        WheelGuard::protect(combo);
        for (const std::string& choice : field.choices)
            combo->addItem(QString::fromStdString(choice));
        combo->setCurrentText(QString::fromStdString(field.value));
        connect(combo, &QComboBox::currentIndexChanged, this, unmark);
        input = combo;
    }
    input->setObjectName(QString::fromStdString(field.name));
    input->setToolTip(QString::fromStdString(field.help));
    return input;
}

std::vector<LabField> LabInputs::fields() const {
    std::vector<LabField> fields = defaults_;
    for (size_t i = 0; i < fields.size(); ++i) fields[i].value = value_of(inputs_[i]);
    return fields;
}

void LabInputs::mark(const std::vector<std::string>& names, const QString& problem) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
        const bool named = std::find(names.begin(), names.end(), defaults_[i].name) != names.end();
        mark_input(inputs_[i], defaults_[i], named ? problem : QString());
    }
}

}  // namespace headroom
