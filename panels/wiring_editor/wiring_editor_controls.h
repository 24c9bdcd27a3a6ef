#pragma once

#include <QWidget>
#include <string>

#include "panels/wiring_editor/wiring_counts.h"
#include "panels/wiring_editor/wiring_editor.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace headroom {

/// What counts are compared with.
enum class WiringBaseline { kStart, kUnshared, kReference };

/// Beside the wiring editor's canvas: heads, the brushes' options, and what the drawing costs.
class WiringEditorControls : public QWidget {
    Q_OBJECT
  public:
    explicit WiringEditorControls(QWidget* parent = nullptr);

    /// REQUIRES: an editor that is not empty.
    void show_drawing(const WiringEditor& editor);
    void set_counts(const WiringCounts& counts);
    void set_control(const std::string& text);
    void set_reference(const std::string& name);
    void set_memory(const std::string& text);
    void set_step_time(const std::string& text);
    void set_sensitivity(const std::string& note, bool can_measure);
    const WiringChoice& choice() const { return choice_; }
    void set_choice(const WiringChoice& choice);
    WiringBaseline baseline() const;
    bool show_keys() const;
    bool show_values() const;
    QComboBox* kv_heads() const { return kv_heads_; }
    QCheckBox* latent() const { return latent_; }
    QPushButton* measure() const { return measure_; }
    QLabel* counts() const { return counts_; }

  signals:
    void kv_heads_chosen(int n_kv_head);
    void latent_chosen(bool latent);
    void measure_asked();
    /// Options of brushes, the baseline, what is shown.
    void changed();

  private:
    void make_heads();
    void make_brushes();
    void make_counts();
    void take_choice();

    WiringChoice choice_;
    bool filling_ = false;
    QComboBox *kv_heads_, *inject_, *baseline_;
    QCheckBox *show_keys_, *show_values_, *learned_, *latent_;
    QSpinBox *skip_layer_, *cla_factor_, *yoco_split_;
    QDoubleSpinBox *skip_ratio_, *res_lambda_;
    QLabel *counts_, *memory_, *step_time_, *control_, *layers_, *sensitivity_;
    QPushButton* measure_;
};

}  // namespace headroom
