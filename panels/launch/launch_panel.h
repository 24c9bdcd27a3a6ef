#pragma once

#include <QWidget>
#include <map>
#include <vector>

#include "panels/launch/launch_form.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QGridLayout;
class QLabel;
class QLineEdit;
class QScrollArea;
class QVBoxLayout;

namespace headroom {

class ElidedLabel;
class FieldEditor;
class LaunchSummary;
class MatchBox;
class ProbeChoices;
struct LaunchMatch;
struct MatchQuestion;

/// The launch form as widgets: on the left what a person chooses, on the right what will run. It
/// shows a LaunchView and reports the changed LaunchInput; building the view is the owner's work.
class LaunchPanel : public QWidget {
    Q_OBJECT
  public:
    explicit LaunchPanel(QWidget* parent = nullptr);

    void set_input(const LaunchInput& input);
    const LaunchInput& input() const { return input_; }
    void set_view(const LaunchView& view);
    /// Whether a form is left from before, to be taken up or forgotten.
    void set_offer(bool offered);

    FieldEditor* editor(const std::string& path) const;
    QCheckBox* variant_box(const std::string& arch) const;
    LaunchSummary* summary() const { return summary_; }
    MatchBox* match_box() const { return match_; }
    ProbeChoices* probes() const { return probes_; }
    /// Brings the place of a problem into sight and gives it the focus; see LaunchProblem.
    void go_to(const std::string& path);
    /// Shows the answer to match_asked, unless the form has changed since.
    void show_match(const LaunchMatch& match);

  signals:
    void input_changed();
    void offer_taken();
    void offer_forgotten();
    /// Take back one change of the form by its path.
    void undo_asked(const std::string& path);
    /// Probe with this kind every so many steps, or not.
    void probe_asked(const std::string& kind, bool chosen, const std::string& every);
    void match_asked(const headroom::MatchQuestion& question);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void change_input(const LaunchInput& input, const std::string& note = "");
    QWidget* make_choices();
    void make_presets(const LaunchView& view);
    void make_variants(const LaunchView& view);
    void make_sections(const LaunchView& view);
    void show_variants();
    void put_in_tab_order();
    void show_rows();
    void change_value(const std::string& path, const QString& text);

    struct Row {
        FieldEditor* editor = nullptr;
        QFormLayout* form = nullptr;
        bool relevant = true;
    };

    LaunchInput input_;
    QLabel* offer_;
    QComboBox* preset_;
    QLabel* preset_help_;
    QWidget* variants_;
    QGridLayout* variants_grid_;
    int variant_columns_ = 3;
    ElidedLabel* variants_error_;
    QLineEdit* seeds_;
    ElidedLabel* seeds_hint_;  ///< what is wrong with them, or what they mean
    QLineEdit* name_;
    QScrollArea* scroll_;
    QCheckBox* show_all_;
    QVBoxLayout* sections_;
    LaunchSummary* summary_;
    MatchBox* match_;
    ProbeChoices* probes_;
    std::vector<std::pair<std::string, QCheckBox*>> variant_boxes_;
    std::map<std::string, Row> rows_;
    std::vector<std::pair<QWidget*, std::vector<std::string>>> section_boxes_;
};

}  // namespace headroom
