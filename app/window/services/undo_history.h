#pragma once

#include <QObject>
#include <QString>
#include <functional>

class QUndoStack;

namespace headroom {

/// Everything that can be taken back in the open study, in the order in which it was done, whatever
/// part of the window did it. UI thread only.
class UndoHistory : public QObject {
    Q_OBJECT
  public:
    explicit UndoHistory(QObject* parent = nullptr);

    using Work = std::function<void()>;
    /// Notes what has been done already: `text` names it in the menu. Steps of the same `kind` that
    /// follow each other within a second count as one; "" stands alone. What undo() and redo() set
    /// off is not noted.
    void add(const QString& text, Work undo, Work redo, const QString& kind = {});
    /// Says in `done` what was taken back or done anew; does nothing where there is none.
    void undo();
    void redo();
    void clear();
    /// For the work of a step that ends later, on another thread: what it returns is to be called
    /// then, on the UI thread, with whether all went well. Where it did not nothing is said in
    /// `done`, and the step can be taken again. REQUIRES: called by the work of undo() or redo().
    std::function<void(bool)> ends_later();

    bool can_undo() const;
    bool can_redo() const;
    /// How many steps could be taken back: another number after another step.
    int position() const;
    QString undo_text() const;
    QString redo_text() const;

  signals:
    /// Somebody is about to undo or redo: what is still to be noted is noted now.
    void asked();
    /// Other things can be taken back.
    void changed();
    void done(const QString& message);

  private:
    enum class Move { kNone, kUndo, kRedo };
    void move(Move way);

    QUndoStack* stack_;
    Move moving_ = Move::kNone;
    QString message_;          ///< of the move
    bool ends_later_ = false;  ///< the move's work said so
    bool taken_back_ = false;  ///< steps move and do nothing
};

}  // namespace headroom
