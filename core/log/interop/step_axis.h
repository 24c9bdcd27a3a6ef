#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/log/interop/foreign_log.h"

namespace headroom {

/// Weights & Biases' own counter. It counts calls of log(), whatever the steps of the run are.
inline constexpr char kCallCounter[] = "_step";

/// What tools and scripts call the column of steps, the surest first: train/global_step of Hugging
/// Face's Trainer, trainer/global_step of Lightning, iter of nanoGPT, …, kCallCounter last.
const std::vector<std::string>& step_names();

/// What they call the column of times.
bool is_time_name(const std::string& name);

/// A step is a whole number from 0 on.
std::optional<int64_t> step_of(std::optional<double> value);

/// Rows or places that are left out, for a note.
class Omissions {
  public:
    void add(const std::string& first) {
        if (count_++ == 0) first_ = first;
    }
    int64_t count() const { return count_; }
    const std::string& first() const { return first_; }

  private:
    int64_t count_ = 0;
    std::string first_;
};

/// Notes the rows without a step. UserError if they are all of the log's.
void tell_rows_without_step(ForeignLog& log, const Omissions& rows, int64_t all);

/// Finds out which column of a log is its steps, then gives every row one.
class StepAxis {
  public:
    /// `asked`: the column to take; "": one of step_names().
    explicit StepAxis(std::string asked = {}) : asked_(std::move(asked)) {}

    bool may_be(const std::string& column) const;
    /// The log has this column, and in this row a step or none. REQUIRES: may_be(column).
    void see(const std::string& column, std::optional<int64_t> step);
    void end_row() { ++rows_; }

    /// What was asked for; else the first name whose column has a step in more than half of the
    /// rows and never begins anew, as one that counts within an epoch does; else the one with most
    /// steps, if they are a tenth of the rows at least. "": there is none.
    std::string taken() const;
    bool is_asked() const { return !asked_.empty(); }
    /// Whether what was asked for, if anything, was seen.
    bool has_asked() const { return asked_.empty() || seen_.contains(asked_); }

    /// The step of the next row, of which taken() says `step`. A row of Weights & Biases without
    /// one stands where the row before stands, as that tool draws it; any other such row has none.
    std::optional<int64_t> place(std::optional<int64_t> step);
    /// For a row without the column that is taken, the first of the other usual ones but the
    /// tool's counter that it has: training and validation rows may name their steps differently.
    static bool stands_in(const std::string& column);
    /// Notes which column was taken where there were several, or that none was.
    void tell(ForeignLog& log) const;

  private:
    struct Seen {
        int64_t steps = 0, first = 0, last = 0;
        bool begins_anew = false;
    };

    std::string asked_;
    std::map<std::string, Seen> seen_;
    int64_t rows_ = 0, last_ = 0, placed_ = 0;
};

/// Rows of named numbers, until it is known which of them are the steps.
class LoggedRows {
  public:
    explicit LoggedRows(std::string step_column) : axis_(std::move(step_column)) {}

    /// `line` is the row's number, for notes and where no column has steps.
    void take(int64_t line, double time,
              const std::vector<std::pair<std::string, double>>& numbers);
    /// The next row has this name, and no number under it.
    void see_without_number(const std::string& name) {
        if (axis_.may_be(name)) axis_.see(name, std::nullopt);
    }
    /// Adds all points and what there is to note. UserError where no row has a step, or what was
    /// asked for.
    void put_into(ForeignLog& log);

  private:
    struct Row {
        int64_t line;
        double time;
        std::vector<std::pair<uint32_t, double>> numbers;  ///< by the place in names_
    };

    StepAxis axis_;
    std::map<std::string, uint32_t> places_;
    std::vector<std::string> names_;
    std::vector<Row> rows_;
};

}  // namespace headroom
