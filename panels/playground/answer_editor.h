#pragma once

#include <QPlainTextEdit>
#include <cstddef>
#include <optional>
#include <vector>

#include "panels/base/theme.h"
#include "panels/playground/answer_view.h"

namespace headroom {

/// The words of one model behind its prompt. Pointing at a token, or moving the cursor over it,
/// tells which it is. UI thread only.
class AnswerEditor : public QPlainTextEdit {
    Q_OBJECT
  public:
    explicit AnswerEditor(QWidget* parent = nullptr);

    /// Colours of what is written from now on.
    void set_look(const Theme& theme, bool shade);
    /// Clears everything and writes the prompt.
    void begin(const std::string& prompt);
    /// Writes what the answer has more than last time. REQUIRES: the answer only grew since
    /// begin().
    void append(const Answer& answer);

  signals:
    /// The token under the mouse or the cursor; nothing over the prompt and beside the text.
    void token_pointed(std::optional<size_t> token);

  protected:
    void mouseMoveEvent(QMouseEvent* event) override;

  private:
    void write(const std::string& text, const QTextCharFormat& format);
    QTextCharFormat format_of(const GeneratedToken& token) const;
    std::optional<size_t> token_at(int position) const;

    Theme theme_;
    bool shade_ = true;
    std::vector<int> ends_;  ///< position in the document behind each token
    int begin_ = 0;          ///< behind the prompt
    bool ended_ = false;     ///< what comes after the last token is written
};

}  // namespace headroom
