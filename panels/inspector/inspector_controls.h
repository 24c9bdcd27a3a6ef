#pragma once

#include <QWidget>
#include <vector>

#include "panels/inspector/inspector_view.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace headroom {

/// The strip of controls above the maps: what is shown, where, and in which colours.
class InspectorControls : public QWidget {
    Q_OBJECT
  public:
    explicit InspectorControls(QWidget* parent = nullptr);

    void set_settings(const InspectorSettings& settings);
    const InspectorSettings& settings() const { return settings_; }
    /// What there is to choose from.
    void set_view(const InspectorView& view);
    void set_head(HeadId head);
    void set_query(const PictureQuery& query);
    /// The checkpoints of the run, ascending, and the one that is shown; -1: none.
    void set_steps(const std::vector<int64_t>& steps, int64_t shown);
    void set_text(const QString& text);
    QLineEdit* text() const { return text_; }

  signals:
    void changed(const headroom::InspectorSettings& settings);
    void head_chosen(headroom::HeadId head);
    void query_chosen(const headroom::PictureQuery& query);
    void step_chosen(qint64 step);
    /// A text to probe; "" for the run's own data.
    void text_entered(const QString& text);
    void fit_asked();
    void export_asked();

  private:
    void build();
    QComboBox* add_choice(const QString& label, const QString& name, const QStringList& choices,
                          const QString& help);
    QSpinBox* add_number(const QString& label, const QString& name, const QString& help);
    QDoubleSpinBox* add_limit(const QString& name, const QString& help);
    QCheckBox* add_switch(const QString& text, const QString& name, const QString& help);
    void add_button(const QString& text, const QString& name, const QString& help,
                    void (InspectorControls::*asked)());
    void build_picture();
    void fill_colors();
    void fill_queries(const MapInfo* info);
    void show_choices(const InspectorView& view);
    void show_settings();
    void show_limits();
    void take_settings();
    void take_colors();

    InspectorSettings settings_;
    bool filling_ = false;  ///< while the widgets are set by the program, not by the person
    bool both_signs_ = false;
    QLineEdit* text_;
    QComboBox *step_, *compare_, *signal_, *value_, *colors_, *range_, *scale_, *margin_;
    QComboBox *look_, *query_;  ///< of images
    QSpinBox *layer_, *head_, *heat_;
    std::vector<PictureQuery> queries_;  ///< as query_ lists them
    QDoubleSpinBox *lower_, *upper_;
    QCheckBox* atlas_;
};

}  // namespace headroom
