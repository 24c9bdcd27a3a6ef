#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "panels/playground/answer_editor.h"
#include "panels/playground/try_settings.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace headroom {

/// One model beside others: which checkpoint, what it says, how fast, and with how much cache. UI
/// thread only.
class AnswerBox : public QWidget {
    Q_OBJECT
  public:
    explicit AnswerBox(QWidget* parent = nullptr);

    /// Keeps the choice where it is still there.
    void set_checkpoints(const std::vector<TryCheckpoint>& checkpoints);
    void choose(size_t index);
    /// Path of the chosen checkpoint, "" if there is none.
    std::string checkpoint() const;
    /// TryCheckpoint::sets of it.
    std::vector<std::string> sets() const;
    /// Name of its run; that of the last answer while there is one.
    std::string name() const;

    void set_look(const Theme& theme, bool shade);
    void set_removable(bool removable);
    /// A new prompt: everything that was said goes.
    void begin(const std::string& prompt, AnswerPhase phase, bool shared);
    Answer& answer() { return answer_; }
    const Answer& answer() const { return answer_; }
    /// Shows what came in since, and how it compares with the first answer (null: this one is).
    void refresh(const AnswerBox* first);

    QComboBox* choice() const { return choice_; }
    AnswerEditor* text() const { return text_; }
    QLabel* progress() const { return progress_; }
    QLabel* cache() const { return cache_; }
    QLabel* token() const { return token_; }
    QToolButton* remove_button() const { return remove_; }

  signals:
    void chosen();
    void remove_asked();

  private:
    void show_token(std::optional<size_t> token);

    std::vector<TryCheckpoint> checkpoints_;
    Answer answer_;
    std::string prompt_, name_;
    Theme theme_;
    QComboBox* choice_;
    QToolButton* remove_;
    AnswerEditor* text_;
    QLabel* progress_;
    QLabel* cache_;
    QLabel* token_;
};

}  // namespace headroom
