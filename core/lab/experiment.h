#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/lab/lab_result.h"

namespace headroom {

/// A setting of an experiment: what a command line or a form asks for, bound to where it goes.
struct LabOption {
    using Value =
        std::variant<int64_t*, double*, std::string*, std::vector<int64_t>*, std::vector<double>*>;
    std::string name;
    Value value;
    std::string help;
    double least = 0, most = 1e12;          ///< of numbers
    std::vector<std::string> choices = {};  ///< of text
};

/// Told how far an experiment is, from 0 to 1, and at what; false asks it to stop.
using LabProgress = std::function<bool(double share, const std::string& doing)>;

/// A theorem of the papers as an experiment with numbers. To add one, derive from this in a file of
/// its own and name it in experiments(): the command, the result file, the figure and the studio's
/// page follow from what it says of itself.
class Experiment {
  public:
    virtual ~Experiment() = default;

    virtual std::string name() const = 0;     ///< "score-scale"
    virtual std::string title() const = 0;    ///< a line for people
    virtual std::string theorem() const = 0;  ///< whose, which number
    virtual std::string shows() const = 0;    ///< a sentence: what holds under which assumptions
    virtual std::vector<LabOption> options() = 0;
    /// Runs with the options as they are. Stops early when progress says so: what there is by then
    /// comes back with `stopped`. Equal options give equal numbers. UserError for options that do
    /// not go together.
    virtual LabResult run(const LabProgress& progress) = 0;
};

/// Every experiment, in the order of the help.
std::vector<std::unique_ptr<Experiment>> experiments();

/// The options as "name" -> number, text or list.
nlohmann::ordered_json options_json(Experiment& experiment);

/// UserError naming the option that is out of its range or none of its choices.
void check_options(Experiment& experiment);

}  // namespace headroom
