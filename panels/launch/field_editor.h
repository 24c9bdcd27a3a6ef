#pragma once

#include <QWidget>

#include "panels/launch/launch_form.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace headroom {

class ElidedLabel;

/// One row of the launch form: label, editor after the field's type, and the reader's message where
/// the value is refused: beside a short editor, below one that takes the row's width. It has its
/// room in any case, so that nothing moves under the mouse. Emptying a text editor goes back to the
/// default.
class FieldEditor : public QWidget {
    Q_OBJECT
  public:
    explicit FieldEditor(const Field& field, QWidget* parent = nullptr);

    void show_field(const LaunchField& field);
    bool is_advanced() const { return field_.advanced; }
    bool has_error() const;
    const std::string& path() const { return field_.path; }
    QLabel* label() const { return label_; }
    /// What the person types into, for tests and for the keyboard focus.
    QWidget* input() const;
    ElidedLabel* error() const { return error_; }

  signals:
    /// Text as for --set; empty = back to the default.
    void edited(const std::string& path, const QString& text);

  private:
    void make_editor();
    QWidget* make_browse_button();

    const Field& field_;
    QLabel* label_;
    QLabel* unit_;
    ElidedLabel* error_;
    bool refused_ = false;
    QLineEdit* line_ = nullptr;
    QComboBox* combo_ = nullptr;
    QCheckBox* check_ = nullptr;
};

}  // namespace headroom
