#pragma once

#include <QTimer>
#include <QWidget>
#include <string>
#include <vector>

#include "panels/playground/answer_box.h"

class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QSplitter;
class QToolButton;

namespace headroom {

class RestLine;

/// One prompt, and up to four models that continue it beside each other. The panel asks for workers
/// and shows what they say; it starts none. UI thread only.
class TryPanel : public QWidget {
    Q_OBJECT
  public:
    static constexpr size_t kMostAnswers = 4;

    explicit TryPanel(QWidget* parent = nullptr);

    /// What can be chosen; checkpoints of a run stand together.
    void set_checkpoints(const std::vector<TryCheckpoint>& checkpoints);
    /// Runs whose newest checkpoints stand beside each other: now, or once the models that speak
    /// are done and something is asked anew.
    void select_runs(const std::vector<std::string>& run_ids);
    /// Back to how it was at first.
    void clear();

    TrySettings settings() const;
    void set_settings(const TrySettings& settings);
    void set_theme(const Theme& theme);

    size_t answer_count() const { return boxes_.size(); }
    AnswerBox* box(size_t index) const { return boxes_.at(index); }
    bool is_busy() const;
    /// Presses the button: asks all models, or stops them.
    void generate_or_stop();
    /// What a worker says and how it ends; shown a moment later, many events at once.
    void take(size_t index, const GenerationEvent& event);
    void take_worker_end(size_t index, const WorkerEnd& end, bool asked);
    /// The answer's worker is about to start.
    void set_loading(size_t index);

    QPlainTextEdit* prompt() const { return prompt_; }
    QPushButton* button() const { return button_; }

  signals:
    /// The boxes wait for the workers of their checkpoints; see settings().
    void generate_asked();
    void stop_asked();

  private:
    QWidget* make_strip();
    void connect_controls();
    AnswerBox* add_box();
    void remove_box(AnswerBox* box);
    void set_boxes(const std::vector<size_t>& checkpoints);
    void take_selection();
    void start();
    void refresh();
    void update_controls();

    std::vector<TryCheckpoint> checkpoints_;
    std::vector<std::string> selected_;
    bool selection_waits_ = false;
    Theme theme_;
    QTimer refresh_;
    std::vector<AnswerBox*> boxes_;
    QPlainTextEdit* prompt_;
    QDoubleSpinBox* temperature_;
    QSpinBox* top_k_;
    QDoubleSpinBox* top_p_;
    QSpinBox* max_new_;
    QSpinBox* seed_;
    QCheckBox* greedy_;
    QCheckBox* in_turns_;
    QCheckBox* shade_;
    QToolButton* add_;
    QPushButton* button_;
    QLabel* empty_;
    QSplitter* columns_;
    RestLine* rest_;
};

}  // namespace headroom
