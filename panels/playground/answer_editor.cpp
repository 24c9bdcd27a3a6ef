#include "panels/playground/answer_editor.h"

#include <QMouseEvent>
#include <QScrollBar>
#include <QTextCursor>
#include <algorithm>

#include "panels/base/rgb.h"
#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

/// Of a long prompt the end is what the answer continues.
constexpr qsizetype kMostOfPrompt = 4000;
constexpr double kStrongestTint = 0.45;

}  // namespace

AnswerEditor::AnswerEditor(QWidget* parent) : QPlainTextEdit(parent), theme_(light_theme()) {
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    setUndoRedoEnabled(false);
    viewport()->setMouseTracking(true);
    connect(this, &QPlainTextEdit::cursorPositionChanged, this,
            [this] { emit token_pointed(token_at(textCursor().position())); });
}

void AnswerEditor::set_look(const Theme& theme, bool shade) {
    theme_ = theme;
    shade_ = shade;
}

void AnswerEditor::begin(const std::string& prompt) {
    clear();
    ends_.clear();
    ended_ = false;
    QTextCharFormat muted;
    muted.setForeground(to_qcolor(theme_.muted));
    QString text = QString::fromStdString(prompt);
    if (text.size() > kMostOfPrompt) text = "… " + text.right(kMostOfPrompt);
    write(text.toStdString(), muted);
    begin_ = document()->characterCount() - 1;
}

void AnswerEditor::append(const Answer& answer) {
    if (ends_.size() == answer.tokens.size() && (ended_ || answer.end.text.empty())) return;
    QScrollBar* bar = verticalScrollBar();
    const bool at_end = bar->value() == bar->maximum();
    const bool first = ends_.empty();
    while (ends_.size() < answer.tokens.size()) {
        const GeneratedToken& token = answer.tokens[ends_.size()];
        write(token.text, format_of(token));
        ends_.push_back(document()->characterCount() - 1);
    }
    if (!ended_ && answer.phase == AnswerPhase::kDone) {
        ended_ = true;
        write(answer.end.text, {});
    }
    if (at_end || first) bar->setValue(bar->maximum());
}

/// Appends without moving the person's own cursor.
void AnswerEditor::write(const std::string& text, const QTextCharFormat& format) {
    if (text.empty()) return;
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(QString::fromStdString(text), format);
}

QTextCharFormat AnswerEditor::format_of(const GeneratedToken& token) const {
    QTextCharFormat format;
    format.setForeground(to_qcolor(theme_.text));
    if (shade_)
        format.setBackground(to_qcolor(blend(theme_.panel, theme_.warning,
                                             kStrongestTint * surprise(token.choice.probability))));
    return format;
}

std::optional<size_t> AnswerEditor::token_at(int position) const {
    if (position < begin_) return std::nullopt;
    const auto at = std::upper_bound(ends_.begin(), ends_.end(), position);
    if (at == ends_.end()) return std::nullopt;
    return static_cast<size_t>(at - ends_.begin());
}

void AnswerEditor::mouseMoveEvent(QMouseEvent* event) {
    QPlainTextEdit::mouseMoveEvent(event);
    const QTextCursor nearest = cursorForPosition(event->pos());
    const QRect line = cursorRect(nearest);
    if (event->pos().y() > line.bottom()) return emit token_pointed(std::nullopt);
    // The nearest gap between characters may be the one behind the character under the mouse.
    const int back = event->pos().x() < line.left() ? 1 : 0;
    emit token_pointed(token_at(nearest.position() - back));
}

}  // namespace headroom
