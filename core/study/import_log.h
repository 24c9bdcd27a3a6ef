#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/log/interop/foreign_log.h"
#include "core/log/run_series.h"
#include "core/study/run_folder.h"

namespace headroom {

/// How the scalars of another tool become those of a run.
struct ImportChoice {
    std::string name = {};  ///< of the run, for people; "": the log's, else its folder's
    /// "": one of the usual names, such as train/loss, loss/train, train_loss, loss; where the log
    /// has several, the one with the most points.
    std::string train_loss = {};
    /// "": val/loss, eval/loss, loss/val, val_loss and the like, as above.
    std::string val_loss = {};
    /// 0: the log says it, or a scalar called tokens, else the import is refused.
    int64_t tokens_per_step = 0;
};

struct ImportReport {
    std::string train_loss, val_loss;  ///< the scalars that became them; "" = none
    std::vector<std::string> others;   ///< names below /scalars, as the log has them
    int64_t train_rows = 0, val_rows = 0;
    std::vector<std::string> notes;  ///< what was left out or assumed, for people
};

/// Writes RUN_DIR/log.h5 and a job.json that says where it is from: an ordinary finished run, whose
/// log has the losses where every run has them and everything else as /scalars/NAME; a learning
/// rate or gradient norm that was not logged is NaN. Names lose the
/// characters that a scalar may not have. UserError where there is no loss, tokens are not known or
/// too many to count, or the folder holds a run.
ImportReport import_log(const ForeignLog& log, const ImportChoice& choice,
                        const std::filesystem::path& run_dir);

/// What import_log() would make of it, and its UserError about the log; nothing is written and no
/// row counted.
ImportReport plan_import(const ForeignLog& log, const ImportChoice& choice);

/// What the run of a log file or folder may be called: its name, or that of `run` where it is one
/// of several there, with "-" for what a folder of a run should not have and "_" where that would
/// stand first, cut at kLongestRunName.
std::string run_id_of_source(const std::filesystem::path& source, const std::string& run = {});
/// STUDY_DIR/runs/ID. UserError unless names_a_file(id), as of every run that can be removed.
std::filesystem::path imported_run_folder(const std::filesystem::path& study_dir,
                                          const std::string& id);

/// Every series of a log by its name, as another tool can be given it. Times count from
/// `started_unix`; a series without times of its own has those of its steps.
ForeignLog exported_log(const RunSeries& series, double started_unix);

}  // namespace headroom
