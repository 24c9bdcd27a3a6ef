#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headroom {

/// The value of an option of a probe.
using ProbeValue =
    std::variant<bool, int64_t, std::string, std::vector<int64_t>, std::vector<double>>;

/// What a kind of probe may be told: `name` in a job, --NAME (with - for _) on the command line.
struct ProbeOption {
    std::string name;
    std::string help;
    ProbeValue standard;  ///< by default; an empty list or text: the kind decides
    double minimum = 0;   ///< of a number and of the numbers of a list; a rate is above it
    double maximum = 1e9;
    std::string standard_text = {};  ///< said where the kind decides
    bool command_only = false;       ///< not in jobs
    bool names_tasks = false;        ///< a text of zero-shot tasks, whose files are paths
};

/// The values of a kind's options, by name.
class ProbeValues {
  public:
    void set(const std::string& name, ProbeValue value) { values_[name] = std::move(value); }
    bool has(const std::string& name) const { return values_.contains(name); }
    const ProbeValue& value(const std::string& name) const { return values_.at(name); }
    /// T is one of ProbeValue's. REQUIRES: an option of the kind, of that type.
    template <class T>
    const T& get(const std::string& name) const {
        return std::get<T>(value(name));
    }

    bool operator==(const ProbeValues&) const = default;

  private:
    std::map<std::string, ProbeValue> values_;
};

/// Which tokens a kind looks at.
enum class ProbeTokenUse {
    kOneSequence,   ///< seq_len of them
    kSequences,     ///< batch_size sequences
    kTrainingData,  ///< it trains on the data of the run
};

/// What a kind of probe is called, says of itself and may be told: job keys, `headroom probe KIND`,
/// its help and messages follow.
struct ProbeSchema {
    std::string kind;        ///< as users write it
    std::string old_kind{};  ///< an earlier word, which stays good
    std::string help;
    ProbeTokenUse tokens = ProbeTokenUse::kSequences;
    int64_t batch_size = 1;  ///< sequences, by default
    std::vector<ProbeOption> options = {};
    std::string needed = {};     ///< the option without which a job says nothing to measure, or ""
    bool of_images = false;      ///< models of images can be probed, too
    bool weights_alone = false;  ///< no tokens are read: the command needs none

    /// What its files and their group are called, which lie on disks: its first word for ever.
    const std::string& file_word() const { return old_kind.empty() ? kind : old_kind; }
    ProbeValues standard_values() const;
};

/// Of every kind, in the order of the help. Defined beside the kinds (core/probe/probe_kind.h),
/// since configuration lies below what it configures.
const std::vector<ProbeSchema>& probe_schemas();

/// The kind of that name, or of that earlier word; nullptr if there is none.
const ProbeSchema* find_probe_schema(std::string_view kind);

struct ProbeConfig;
/// The values of all options of the kind, as a job gives them.
ProbeValues values_of(const ProbeConfig& probe);

}  // namespace headroom
