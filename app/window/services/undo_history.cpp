#include "app/window/services/undo_history.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QUndoStack>
#include <utility>

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr int kMostSteps = 200;
constexpr qint64 kOneStepMs = 1000;

class Step : public QUndoCommand {
  public:
    /// Does nothing while `idle`.
    Step(const QString& text, UndoHistory::Work undo, UndoHistory::Work redo, QString kind,
         const bool& idle)
        : QUndoCommand(text),
          undo_(std::move(undo)),
          redo_(std::move(redo)),
          kind_(std::move(kind)),
          idle_(idle) {
        since_.start();
    }

    void undo() override {
        if (!idle_) undo_();
    }
    void redo() override {
        if (std::exchange(is_done_, true) && !idle_) redo_();
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
    const bool& idle_;
    QElapsedTimer since_;
    bool is_done_ = false;
};

}  // namespace

UndoHistory::UndoHistory(QObject* parent) : QObject(parent), stack_(new QUndoStack(this)) {
    stack_->setUndoLimit(kMostSteps);
    connect(stack_, &QUndoStack::indexChanged, this, &UndoHistory::changed);
}

void UndoHistory::add(const QString& text, Work undo, Work redo, const QString& kind) {
    if (moving_ == Move::kNone)
        stack_->push(new Step(text, std::move(undo), std::move(redo), kind, taken_back_));
}

void UndoHistory::undo() {
    emit asked();
    if (!can_undo()) return;
    message_ = tr("Undone: %1").arg(undo_text());
    move(Move::kUndo);
}

void UndoHistory::redo() {
    emit asked();
    if (!can_redo()) return;
    message_ = tr("Done again: %1").arg(redo_text());
    move(Move::kRedo);
}

void UndoHistory::move(Move way) {
    moving_ = way;
    ends_later_ = false;
    way == Move::kUndo ? stack_->undo() : stack_->redo();
    moving_ = Move::kNone;
    if (!ends_later_) emit done(message_);
}

std::function<void(bool)> UndoHistory::ends_later() {
    CHECK(moving_ != Move::kNone, "work of a step");
    ends_later_ = true;
    const int end = position() + (moving_ == Move::kUndo ? -1 : 1);  // the stack counts behind it
    return [self = QPointer<UndoHistory>(this), way = moving_, message = message_, end](bool ok) {
        if (!self) return;
        if (ok) return emit self->done(message);
        if (self->position() != end) return;  // something else was done since
        self->taken_back_ = true;
        way == Move::kUndo ? self->stack_->redo() : self->stack_->undo();
        self->taken_back_ = false;
    };
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
