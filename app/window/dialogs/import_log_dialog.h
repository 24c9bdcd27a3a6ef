#pragma once

#include <QDialog>
#include <memory>
#include <string>

#include "core/log/interop/foreign_log.h"
#include "core/study/import_log.h"
#include "panels/base/latest_task.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace headroom {

/// Asks for the log of another tool and for what it does not say: how many tokens a step has and
/// which of its scalars are the losses. The log is read on a thread of its own as soon as it is
/// named, and what an import would make of it is said before anything is written.
class ImportLogDialog : public QDialog {
    Q_OBJECT
  public:
    explicit ImportLogDialog(QWidget* parent = nullptr);
    ~ImportLogDialog() override;

    void set_source(const QString& path);
    /// What was chosen. REQUIRES: it was accepted.
    QString source() const;
    ImportChoice choice() const;

  private:
    struct Result {
        std::string path;
        std::shared_ptr<const ForeignLog> log;  ///< null after an error
        std::string error;
    };
    static Result load(const std::string& path);
    void lay_out();
    void take(const Result& result);
    void judge();
    void say(const std::string& text, bool can_import);

    QLineEdit* source_;
    QSpinBox* tokens_;
    QComboBox* train_;
    QComboBox* val_;
    QLabel* note_;
    QPushButton* import_;
    Result read_;
    LatestTask<std::string, Result> task_;  ///< last: it stops before the rest goes
};

}  // namespace headroom
