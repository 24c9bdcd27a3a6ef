#include "core/study/import_log.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/name_char.h"
#include "core/base/nearest.h"
#include "core/base/printable.h"
#include "core/log/named_series.h"
#include "core/log/run_log_writer.h"
#include "core/log/series_reader.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/study/study.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

using Points = std::vector<ForeignPoint>;
using Names = std::vector<std::string>;

const Names kTrainLosses{"train/loss", "loss/train",      "train_loss",      "Loss/train",
                         "loss",       "train_loss_step", "train_loss_epoch"};
const Names kValLosses{"val/loss",  "eval/loss", "loss/val", "val_loss",
                       "eval_loss", "Loss/val",  "test/loss"};
const Names kTokens{"tokens", "train/tokens", "num_tokens", "train/num_tokens"};
const Names kRates{"train/lr", "lr",      "learning_rate", "train/learning_rate",
                   "lr-AdamW", "lr-Adam", "lr-SGD"};
const Names kNorms{"train/grad_norm", "grad_norm", "train/norm"};
const Names kSeconds{"train/seconds", "seconds", "_runtime"};

std::string first_known(const ForeignLog& log, const Names& names) {
    for (const std::string& name : names)
        if (log.scalars.contains(name)) return name;
    return "";
}

/// Of the usual names the one with the most numbers, the first of equals: Hugging Face's Trainer
/// logs its curve as loss and, once at the end, the mean over the run as train_loss.
std::string longest_known(const ForeignLog& log, const Names& usual, Names& notes) {
    const auto numbers = [&](const std::string& name) {
        const Points& points = log.scalars.at(name);
        return std::count_if(points.begin(), points.end(),
                             [](const ForeignPoint& point) { return !std::isnan(point.value); });
    };
    std::string longest;
    for (const std::string& name : usual)
        if (log.scalars.contains(name) && (longest.empty() || numbers(name) > numbers(longest)))
            longest = name;
    Names others;
    for (const std::string& name : usual)
        if (name != longest && log.scalars.contains(name))
            others.push_back(fmt::format("{} ({})", name, numbers(name)));
    if (!others.empty())
        notes.push_back(fmt::format("{} is taken for its {} points, not {}", longest,
                                    numbers(longest), fmt::join(others, " or ")));
    return longest;
}

/// The scalar that was asked for, or one of the usual names.
std::string chosen(const ForeignLog& log, const std::string& asked, const Names& usual,
                   Names& notes) {
    if (asked.empty()) return longest_known(log, usual, notes);
    Names known;
    for (const auto& [name, points] : log.scalars) known.push_back(name);
    if (!log.scalars.contains(asked))
        throw UserError(
            fmt::format("there is no scalar {} in the log{}", asked, suggestion(asked, known)),
            "name one that the log has");
    return asked;
}

/// What one of the usual names had been at the last step up to `step`.
class Beside {
  public:
    Beside(const ForeignLog& log, const Names& names) {
        const auto found = log.scalars.find(first_known(log, names));
        if (found != log.scalars.end()) points_ = &found->second;
    }

    bool is_there() const { return points_ != nullptr; }
    std::optional<double> at(int64_t step) const {
        if (!points_) return std::nullopt;
        const auto after =
            std::upper_bound(points_->begin(), points_->end(), step,
                             [](int64_t s, const ForeignPoint& point) { return s < point.step; });
        if (after == points_->begin()) return std::nullopt;
        return (after - 1)->value;
    }

  private:
    const Points* points_ = nullptr;
};

/// A scalar's name out of another tool's: "/" and the like become "_".
std::string scalar_name(const std::string& tag, const std::map<std::string, std::string>& taken) {
    std::string name;
    for (const char c : tag.substr(0, 56))
        name.push_back(is_scalar_name(std::string(1, c)) || (c == '.' && !name.empty()) ? c : '_');
    if (name.empty()) name = "_";
    std::string free = name;
    for (int n = 2; taken.contains(free); ++n) free = fmt::format("{}_{}", name, n);
    return free;
}

const std::string kImported = "imported from ";  ///< how the log's `program` begins

/// Of a log without a job: what an import left that was killed before it wrote the job.
bool is_half_imported(const std::filesystem::path& log) {
    try {
        return open_series(log)->tail().attributes.program.starts_with(kImported);
    } catch (const UserError&) {
        return false;
    }
}

class Import {
  public:
    Import(const ForeignLog& log, const ImportChoice& choice)
        : log_(log),
          choice_(choice),
          tokens_(log, kTokens),
          rates_(log, kRates),
          norms_(log, kNorms),
          seconds_(log, kSeconds) {
        report_.notes = log.notes;
        report_.train_loss = chosen(log, choice.train_loss, kTrainLosses, report_.notes);
        report_.val_loss = chosen(log, choice.val_loss, kValLosses, report_.notes);
        if (report_.train_loss.empty() && report_.val_loss.empty()) {
            Names known;
            for (const auto& [name, points] : log.scalars) known.push_back(name);
            throw UserError(fmt::format("the log has no loss under a usual name, but {}",
                                        known.empty() ? "no scalar at all"
                                                      : fmt::format("{}", fmt::join(known, ", "))),
                            "name it with --train-loss or --val-loss");
        }
        if (report_.train_loss.empty())
            report_.notes.emplace_back(
                "no scalar has the name of a training loss: name it with --train-loss");
        if (per_step() <= 0 && !tokens_.is_there())
            throw UserError("the log does not say how many tokens a step has",
                            "give --tokens-per-step N: batch_size x seq_len x grad_accum");
        if (per_step() > std::numeric_limits<int64_t>::max() / (last_step() + 1))
            throw UserError(
                fmt::format("{} steps of {} tokens are too many to count", last_step(), per_step()),
                "give fewer tokens per step: batch_size x seq_len x grad_accum");
        if (log.overtaken > 0)
            report_.notes.push_back(
                fmt::format("{} points are left out, as the log goes on from an earlier or the "
                            "same step after them",
                            log.overtaken));
        if (log.misplaced > 0)
            report_.notes.push_back(
                fmt::format("left out: {} points, as no step has such a number", log.misplaced));
        if (const int64_t large = too_large(log); large > 0)
            report_.notes.push_back(
                fmt::format("beyond float32, and infinite in the log: {} value{}", large,
                            large == 1 ? "" : "s"));
        name_scalars();
    }

    const ImportReport& planned() const { return report_; }

    ImportReport write(const std::filesystem::path& run_dir) {
        std::error_code ignored;
        const RunFolder folder{run_dir};
        const bool has_log = std::filesystem::exists(folder.log(), ignored);
        if (std::filesystem::exists(folder.job(), ignored) ||
            (has_log && !is_half_imported(folder.log())))
            throw UserError(run_dir.string() + " holds a run already", "choose another name");
        create_run_folder(run_dir);
        if (has_log) std::filesystem::remove(folder.log());
        constexpr size_t kLongestTag = 200;
        std::vector<ScalarInfo> scalars;
        for (const auto& [name, tag] : names_)
            scalars.push_back(
                {name, "", fmt::format("{} of {}", printable(tag, kLongestTag), log_.tool)});
        // The run's own folder keeps it from being taken for a seed of another: nothing is known of
        // either job.
        const nlohmann::json job{
            {"name", name_for(run_dir)},
            {kImportedFrom, {{"tool", log_.tool}, {"run", run_dir.filename().string()}}},
            {"train", {{"steps", last_step()}}}};
        RunLogWriter writer = RunLogWriter::create(
            folder.log(), {dump_text(job), kImported + log_.tool, "", "", iso_time(start())},
            scalars);
        write_rows(writer);
        writer.set_state(RunState::kFinished);
        writer.close();
        write_job(folder, dump_text(job, 2));  // last: what has a job is a run
        return report_;
    }

  private:
    /// What is no loss becomes a scalar, as far as a log may have them.
    void name_scalars() {
        size_t left_out = 0;
        for (const auto& [name, points] : log_.scalars) {
            const bool is_loss = name == report_.train_loss || name == report_.val_loss;
            if (is_loss && !name.empty()) continue;
            if (names_.size() == kMostScalars)
                ++left_out;
            else
                names_[scalar_name(name, names_)] = name;
        }
        if (left_out > 0)
            report_.notes.push_back(fmt::format("left out: {} scalars, as a log has {} at most",
                                                left_out, kMostScalars));
        for (const auto& [name, tag] : names_) report_.others.push_back(name);
    }

    std::string name_for(const std::filesystem::path& run_dir) const {
        if (!choice_.name.empty()) return choice_.name;
        return log_.name.empty() ? run_dir.filename().string() : log_.name;
    }
    const Points& points(const std::string& name) const {
        static const Points none;
        const auto found = log_.scalars.find(name);
        return found == log_.scalars.end() ? none : found->second;
    }

    int64_t last_step() const {
        int64_t last = 0;
        for (const std::string& loss : {report_.train_loss, report_.val_loss})
            if (const Points& series = points(loss); !series.empty())
                last = std::max(last, series.back().step);
        return last;
    }

    double start() const {
        double first = 0;
        for (const auto& [name, series] : log_.scalars)
            for (const ForeignPoint& point : series)
                if (point.wall_time > 0 && (first == 0 || point.wall_time < first))
                    first = point.wall_time;
        return first;
    }

    static int64_t too_large(const ForeignLog& log) {
        int64_t count = 0;
        for (const auto& [name, points] : log.scalars)
            count += std::count_if(points.begin(), points.end(), [](const ForeignPoint& point) {
                return std::isfinite(point.value) &&
                       std::fabs(point.value) > std::numeric_limits<float>::max();
            });
        return count;
    }

    static std::string iso_time(double unix_time) {
        if (unix_time <= 0) return "";
        return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                           fmt::gmtime(static_cast<std::time_t>(unix_time)));
    }

    /// What was asked for, else what the log says; 0 if neither does.
    int64_t per_step() const {
        return choice_.tokens_per_step > 0 ? choice_.tokens_per_step : log_.tokens_per_step;
    }

    int64_t tokens_at(int64_t step) const {
        if (per_step() > 0) return step * per_step();
        const double tokens = tokens_.at(step).value_or(0);
        return std::isfinite(tokens) ? static_cast<int64_t>(std::clamp(tokens, 0.0, 9e18)) : 0;
    }

    void write_rows(RunLogWriter& writer) {
        const double begin = start();
        for (const ForeignPoint& point : points(report_.train_loss)) {
            const double elapsed = point.wall_time > 0 ? point.wall_time - begin : 0;
            const auto known = [&](const Beside& of) {
                return static_cast<float>(of.at(point.step).value_or(std::nan("")));
            };
            writer.append_train({.step = point.step,
                                 .tokens = tokens_at(point.step),
                                 .loss = static_cast<float>(point.value),
                                 .lr = known(rates_),
                                 .grad_norm = known(norms_),
                                 .seconds = seconds_.at(point.step).value_or(elapsed)});
            if (++report_.train_rows % 4096 == 0) writer.flush();
        }
        for (const ForeignPoint& point : points(report_.val_loss)) {
            writer.append_val({point.step, tokens_at(point.step), static_cast<float>(point.value)});
            ++report_.val_rows;
        }
        for (const auto& [name, tag] : names_)
            for (const ForeignPoint& point : points(tag))
                writer.append_scalar(name, point.step, static_cast<float>(point.value));
    }

    const ForeignLog& log_;
    const ImportChoice& choice_;
    Beside tokens_, rates_, norms_, seconds_;
    std::map<std::string, std::string> names_;  ///< ours to theirs
    ImportReport report_;
};

}  // namespace

ImportReport import_log(const ForeignLog& log, const ImportChoice& choice,
                        const std::filesystem::path& run_dir) {
    return Import(log, choice).write(run_dir);
}

ImportReport plan_import(const ForeignLog& log, const ImportChoice& choice) {
    return Import(log, choice).planned();
}

std::string run_id_of_source(const std::filesystem::path& source, const std::string& run) {
    std::filesystem::path path = source.lexically_normal();
    if (path.filename().empty()) path = path.parent_path();
    std::string id;
    for (const char c : run.empty() ? path.stem().string() : run)
        id.push_back(is_name_char(c) && c != '.' ? c : '-');
    if (id.starts_with('-')) id.front() = '_';
    return id.substr(0, kLongestRunName);
}

std::filesystem::path imported_run_folder(const std::filesystem::path& study_dir,
                                          const std::string& id) {
    if (!names_a_file(id))
        throw UserError(fmt::format("{} cannot be the folder of a run", shown(nlohmann::json(id))),
                        fmt::format("use up to {} letters, digits, dots, dashes and underscores, "
                                    "the first no dot or dash",
                                    kLongestRunName));
    return StudyFolder{study_dir}.run(id).root;
}

ForeignLog exported_log(const RunSeries& series, double started_unix) {
    ForeignLog log{"headroom", {}};
    std::map<int64_t, double> seconds;
    for (size_t row = 0; row < series.train.step.size(); ++row)
        seconds[series.train.step[row]] = series.train.seconds[row];
    const auto time_of = [&](int64_t step) {
        const auto after = seconds.upper_bound(step);
        return started_unix + (after == seconds.begin() ? 0.0 : std::prev(after)->second);
    };
    for (const SeriesName& name : list_series(series)) {
        const std::optional<NamedSeries> found = find_series(series, name.name);
        for (size_t row = 0; found && row < found->size; ++row)
            log.add(name.name, {found->step(row), time_of(found->step(row)), found->value(row)});
    }
    for (size_t row = 0; row < series.train.step.size(); ++row)
        log.add("train/tokens", {series.train.step[row], time_of(series.train.step[row]),
                                 static_cast<double>(series.train.tokens[row])});
    return log;
}

}  // namespace headroom
