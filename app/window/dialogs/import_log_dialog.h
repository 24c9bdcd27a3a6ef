#pragma once

#include <QDialog>
#include <memory>
#include <string>
#include <vector>

#include "core/log/interop/foreign_log.h"
#include "core/study/import_log.h"
#include "panels/base/latest_task.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace headroom {

/// Asks for the log of another tool and for what it does not say: how many tokens a step has,
/// which of its scalars are the losses, and which run is meant where it holds several. The log is
/// read on a thread of its own as soon as it is named, and what an import would make of it is said
/// before anything is written.
class ImportLogDialog : public QDialog {
    Q_OBJECT
  public:
    explicit ImportLogDialog(QWidget* parent = nullptr);
    ~ImportLogDialog() override;

    void set_source(const QString& path);
    /// What was chosen. REQUIRES: it was accepted.
    QString source() const;
    std::string source_run() const;  ///< "" where the log is of one
    ImportChoice choice() const;

  private:
    struct Request {
        std::string path;
        std::string run;  ///< "": the first, where there are several

        bool operator==(const Request&) const = default;
    };
    struct Result {
        Request asked;
        std::vector<std::string> runs;          ///< where there are several
        std::shared_ptr<const ForeignLog> log;  ///< null after an error
        std::string error;
    };
    static Result load(const Request& request);
    void read(Request request);
    void offer_runs(const Result& result);
    void lay_out();
    void take(const Result& result);
    void judge();
    void say(const std::string& text, bool can_import);

    QLineEdit* source_;
    QFormLayout* form_;
    QComboBox* run_;
    QSpinBox* tokens_;
    QComboBox* train_;
    QComboBox* val_;
    QLabel* note_;
    QPushButton* import_;
    Request asked_;
    Result read_;
    LatestTask<Request, Result> task_;  ///< last: it stops before the rest goes
};

}  // namespace headroom
