#include "panels/launch/field_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "core/data/data_spec.h"
#include "panels/qt/elided_label.h"
#include "panels/qt/labelled.h"
#include "panels/qt/style_property.h"
#include "panels/qt/wheel_guard.h"

namespace headroom {

FieldEditor::FieldEditor(const Field& field, QWidget* parent)
    : QWidget(parent),
      field_(field),
      label_(new QLabel(QString::fromStdString(field.key()))),
      unit_(new QLabel(QString::fromStdString(field.unit))),
      error_(make_hint("error")) {
    make_editor();
    input()->setObjectName(QString::fromStdString(field.path));
    label_->setBuddy(input());
    input()->setAccessibleName(label_->text());
    unit_->setProperty("role", "muted");

    const bool wide = line_ && field.type == FieldType::kText;
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(input(), wide ? 1 : 0);
    if (field.path == "data.train") row->addWidget(make_browse_button());
    row->addWidget(unit_);
    if (!wide) row->addWidget(error_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(row);
    if (wide) column->addWidget(error_);
    // Never squeezed, not even while the form around it does not know yet how high it is.
    column->setSizeConstraint(QLayout::SetMinimumSize);
}

void FieldEditor::make_editor() {
    if (field_.type == FieldType::kBoolean) {
        check_ = new QCheckBox;
        connect(check_, &QCheckBox::clicked, this,
                [this](bool on) { emit edited(field_.path, on ? "true" : "false"); });
    } else if (field_.type == FieldType::kChoice) {
        combo_ = new QComboBox;
        WheelGuard::protect(combo_);
        if (field_.input_only) combo_->addItem("");  // "not given"
        for (const std::string& choice : field_.choices)
            combo_->addItem(QString::fromStdString(choice));
        combo_->setMinimumWidth(120);
        connect(combo_, &QComboBox::textActivated, this,
                [this](const QString& text) { emit edited(field_.path, text); });
    } else {
        line_ = new QLineEdit;
        constexpr int kNumberWidth = 120;
        if (field_.type != FieldType::kText) line_->setFixedWidth(kNumberWidth);
        connect(line_, &QLineEdit::textEdited, this,
                [this](const QString& text) { emit edited(field_.path, text); });
    }
}

QWidget* FieldEditor::make_browse_button() {
    auto* button = new QPushButton(tr("Text file…"));
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, [this] {
        const QString file = QFileDialog::getOpenFileName(this, tr("Text to train on"));
        if (file.isEmpty()) return;
        line_->setText(
            QString::fromStdString(data_spec_text(DataSpec::Kind::kText, file.toStdString())));
        emit edited(field_.path, line_->text());
    });
    return button;
}

QWidget* FieldEditor::input() const {
    if (check_) return check_;
    return combo_ ? static_cast<QWidget*>(combo_) : line_;
}

bool FieldEditor::has_error() const {
    return refused_;
}

void FieldEditor::show_field(const LaunchField& field) {
    const QString value = QString::fromStdString(field.value);
    if (check_) {
        // A list with one entry per layer is neither.
        const bool by_layer = field.value.starts_with('[');
        check_->setCheckState(by_layer                ? Qt::PartiallyChecked
                              : field.value == "true" ? Qt::Checked
                                                      : Qt::Unchecked);
    } else if (combo_) {
        const QSignalBlocker quiet(combo_);
        if (combo_->findText(value) < 0) combo_->addItem(value);  // a list by layer
        combo_->setCurrentText(value);
    } else if (!field.changed) {
        // An untouched field shows what the others imply; one being emptied shows it faintly.
        if (line_->hasFocus() && line_->text().isEmpty()) {
            line_->setPlaceholderText(value);
        } else if (line_->text() != value) {
            line_->setText(value);
        }
    } else if (line_->text() != value) {
        line_->setText(value);
    }
    // Of a long number the end alone would be read.
    if (line_ && !line_->hasFocus()) line_->setCursorPosition(0);
    refused_ = !field.error.empty();
    show_hint(error_, field.error);
    set_style_property(*input(), "wrong", refused_);
    set_style_property(*label_, "changed", field.changed);
    label_->setToolTip(QString::fromStdString(field.hint));
    input()->setToolTip(QString::fromStdString(field.hint));
}

}  // namespace headroom
