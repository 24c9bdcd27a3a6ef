#include "app/window/services/undo_history.h"

#include <QElapsedTimer>
#include <QUndoStack>
#include <utility>

namespace headroom {
namespace {

constexpr int kMostSteps = 200;
constexpr qint64 kOneStepMs = 1000;

class Step : public QUndoCommand {
  public:
    Step(const QString& text, UndoHistory::Work undo, UndoHistory::Work redo, QString kind)
        : QUndoCommand(text),
          undo_(std::move(undo)),
          redo_(std::move(redo)),
          kind_(std::move(kind)) {
        since_.start();
    }

    void undo() override { undo_(); }
    void redo() override {
        if (std::exchange(is_done_, true)) redo_();
    }
    int id() const override { return kind_.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* later) override {
        const auto* step = static_cast<const Step*>(later);
        if (step->kind_ != kind_ || since_.elapsed() > kOneStepMs) return false;
        redo_ = step->redo_;
        since_.restart();
        return true;
    }

  private:
    UndoHistory::Work undo_, redo_;
    QString kind_;
    QElapsedTimer since_;
    bool is_done_ = false;
};

}  // namespace

UndoHistory::UndoHistory(QObject* parent) : QObject(parent), stack_(new QUndoStack(this)) {
    stack_->setUndoLimit(kMostSteps);
    connect(stack_, &QUndoStack::indexChanged, this, &UndoHistory::changed);
}

void UndoHistory::add(const QString& text, Work undo, Work redo, const QString& kind) {
    if (!moving_) stack_->push(new Step(text, std::move(undo), std::move(redo), kind));
}

void UndoHistory::undo() {
    emit asked();
    if (!can_undo()) return;
    const QString text = undo_text();
    moving_ = true;
    stack_->undo();
    moving_ = false;
    emit done(tr("Undone: %1").arg(text));
}

void UndoHistory::redo() {
    emit asked();
    if (!can_redo()) return;
    const QString text = redo_text();
    moving_ = true;
    stack_->redo();
    moving_ = false;
    emit done(tr("Done again: %1").arg(text));
}

void UndoHistory::clear() {
    stack_->clear();
}

bool UndoHistory::can_undo() const {
    return stack_->canUndo();
}

bool UndoHistory::can_redo() const {
    return stack_->canRedo();
}

int UndoHistory::position() const {
    return stack_->index();
}

QString UndoHistory::undo_text() const {
    return stack_->undoText();
}

QString UndoHistory::redo_text() const {
    return stack_->redoText();
}

}  // namespace headroom
