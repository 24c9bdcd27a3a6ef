#pragma once

#include <QObject>
#include <QRect>
#include <QString>

class QFrame;
class QLabel;
class QPushButton;
class QToolButton;

namespace headroom {

class Panel;
class Workspace;

/// A few hints for a newcomer, one after the other: a card beside what it is about, which is framed
/// meanwhile. Return, Space or → goes on, ← back; whoever hears Esc calls end(). UI thread only.
class Tour : public QObject {
    Q_OBJECT
  public:
    /// Walks through `workspace`, on which its card lies.
    explicit Tour(Workspace& workspace);
    ~Tour() override;

    void start();
    /// Back to the page where it began.
    void end();
    bool is_running() const { return at_ >= 0; }
    /// Of the hint that is shown, from 0 on; -1 while it does not run.
    int at() const { return at_; }
    static int count();
    QString text() const;
    QFrame* card() const { return card_; }
    QPushButton* next() const { return next_; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void lay_out_card();
    void go(int hint);
    /// Where what the hint is about lies in the workspace.
    QRect target() const;
    void place();

    Workspace& workspace_;
    int at_ = -1;
    Panel* began_at_ = nullptr;
    QFrame *ring_, *card_;
    QLabel *title_, *text_, *where_;
    QToolButton *back_, *close_;
    QPushButton* next_;
};

}  // namespace headroom
