#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "panels/probe/probed_runs.h"

class QLabel;
class QPushButton;

namespace headroom {

/// The line above a probe's picture that says which runs were not probed yet, or before they
/// trained on, with the button that has them probed, and what went wrong. UI thread only.
class ProbeStatusBar : public QWidget {
    Q_OBJECT
  public:
    explicit ProbeStatusBar(QWidget* parent = nullptr);

    /// `busy`: probes that are being made; `problem`: of the last one, "" if all went well.
    void show_state(const std::string& kind, const FoundProbes& found, int busy,
                    const std::string& problem);
    QPushButton* button() const { return button_; }
    QLabel* text() const { return text_; }

  signals:
    void probe_asked();

  private:
    QLabel* text_;
    QPushButton* button_;
};

}  // namespace headroom
