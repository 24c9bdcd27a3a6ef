#pragma once

#include <QFrame>
#include <functional>
#include <vector>

class QToolButton;

namespace headroom {

class ElidedLabel;

/// Something that a person should see, with one thing to do about it.
struct Notice {
    QString text;
    QString action = {};  ///< of its button; "" = none
    std::function<void()> work = {};
    int seconds = 0;  ///< after which it goes by itself; 0 = when it is closed
    bool warning = false;
};

/// The newest notice in one line and, once that is closed, the older ones. It stands in the strip
/// below the pages: a notice that comes while somebody points at a page must not move the page.
/// UI thread only.
class NoticeBar : public QFrame {
    Q_OBJECT
  public:
    NoticeBar();

    /// Its number, for withdraw().
    int post(Notice notice);
    /// Takes one away that is no longer true; does nothing where it has gone.
    void withdraw(int number);
    /// Takes all of them away.
    void clear();
    QString text() const;
    QToolButton* action_button() const { return action_; }

  private:
    struct Posted {
        int number = 0;
        Notice notice;
    };
    void show_newest();

    ElidedLabel* text_;
    QToolButton *action_, *close_;
    std::vector<Posted> posted_;
    int last_number_ = 0;
};

}  // namespace headroom
