#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/config/schema.h"
#include "core/train/predict_memory.h"

namespace headroom {

/// What a person has put into the launch form: only what differs from the defaults, as text.
struct LaunchInput {
    std::string preset = "tiny";
    std::vector<std::string> variants{"gpt2"};  ///< architectures; one run for each and each seed
    std::string seeds = "1";                    ///< "1", "1, 2, 5" or "1-3"
    std::map<std::string, std::string> values;  ///< schema path -> text; see grid_points
    std::set<std::string> matched;              ///< paths of values that matching filled in
    /// Architecture -> schema path -> text: sizes that matching gave to one of several variants.
    std::map<std::string, std::map<std::string, std::string>> sizes;
    std::string name;  ///< prefix of the runs' names; may be empty
    /// Kind of probe -> steps between two, "" for the end only; none: the study's own probes.
    std::optional<std::map<std::string, std::string>> probes;
    std::string probe_options;  ///< a list of probes whose options hold for their kinds; "": none

    bool operator==(const LaunchInput&) const = default;
};

/// What is known of the data of a configuration; found out off the UI thread.
struct DataFacts {
    int64_t vocab_size = 0;  ///< 0 where only data say it that cannot be used
    std::string description;
    std::string error;      ///< why the data cannot be used; "" if they can
    std::string error_key;  ///< the key to mend then, such as data.val

    bool operator==(const DataFacts&) const = default;
};

/// What a run will allocate; found out off the UI thread, for it means planning the whole graph.
struct MemoryFacts {
    RunMemory memory;
    std::string error;  ///< why no such run can be planned, "" if it can
};

/// Where runs go and what starts them.
struct LaunchPlace {
    std::string program = "headroom";
    std::string study;            ///< folder
    std::string study_job;        ///< job_of_study(), or ""
    std::set<std::string> taken;  ///< run ids that exist there, or in its trash
    std::map<std::string, std::shared_ptr<const Job>> runs;  ///< jobs of the study's runs, by id
    std::string working_folder;                 ///< relative paths in the form start here
    int64_t machine_bytes = 0;                  ///< memory of this machine; 0 = unknown
    std::map<std::string, MemoryFacts> memory;  ///< by LaunchRun::memory_key
    std::optional<DataFacts> data;              ///< of the configuration's data, once known
    double flops_per_second = 0;  ///< at which the study's runs train here; 0 = none has yet
};

/// One field of the form.
struct LaunchField {
    const Field* field = nullptr;
    std::string label;  ///< the last part of the path
    std::string value;  ///< as typed, or the value that the other fields imply
    std::string hint;   ///< help, range and unit in one text
    std::string error;  ///< the configuration reader's own message, "" if all is well
    bool changed = false;
    bool relevant = true;  ///< false: has no effect with the chosen variants
};

struct LaunchSection {
    std::string title;
    std::vector<LaunchField> fields;
};

/// A variant that the form offers.
struct VariantChoice {
    std::string arch;
    std::string title;  ///< "SkipV1Former"
    std::string help;   ///< one line
    bool chosen = false;
    std::string refused;  ///< why it does not go with these values, "" if it does
};

/// A kind of probe that the form offers.
struct ProbeChoice {
    std::string kind;
    std::string title;  ///< "logit lens"
    std::string help;   ///< one line
    bool chosen = false;
    std::string every;  ///< steps, as typed; "" for the end only
};

/// One run that "Launch" would queue.
struct LaunchRun {
    std::string id;  ///< its folder's name
    std::string variant;
    std::vector<std::string> listed;  ///< the values of the form's lists that it has: "lr=0.002"
    int64_t seed = 0;
    Job job;
    std::string command;       ///< what will be executed, quoted for a shell
    int64_t vocab_size = 0;    ///< that the data give it; 0: not known yet
    int64_t params_total = 0;  ///< 0 while the vocabulary is not known
    int64_t params_non_embedding = 0, params_active = 0;
    double tokens = 0;  ///< over the whole run
    int64_t kv_bytes_per_token = 0;
    std::string memory_key;  ///< equal for runs that allocate the same, "" until the data are known
    std::optional<RunMemory> memory;  ///< once it is known
    double flops = 0;                 ///< of the training; 0 while the vocabulary is not known
    int64_t disk_bytes = 0;           ///< of its checkpoints and log at the end
    double seconds = 0;               ///< as fast as the study's runs; 0 = unknown
};

/// What runs of one variant that count alike have in common.
struct CountedRuns {
    const LaunchRun* first = nullptr;  ///< of the runs that it was made of
    std::vector<std::string> listed;   ///< the values of lists that all of them have
};

/// A preset that the form offers.
struct PresetChoice {
    std::string name;
    std::string help;  ///< one line, with the source of its numbers
    std::string group;
};

inline constexpr char kSizesOf[] = "sizes of ";

/// A value of the form that is not the study's; can be taken back by its path.
struct LaunchChange {
    std::string path;
    std::string text;  ///< "train.lr = 0.002 (study: 0.001)"
};

/// Why the runs cannot be queued, with the place to mend it: a schema path, "variants", "seeds",
/// "probes", or "" where it concerns no single field.
struct LaunchProblem {
    std::string path;
    std::string text;
};

/// The form as plain data.
struct LaunchView {
    std::vector<PresetChoice> presets;
    std::vector<std::string> baselines;  ///< what "Match a baseline" offers
    std::string usual_baseline;          ///< of these, unless a person says
    std::string preset_help;
    std::vector<VariantChoice> variants;
    std::vector<LaunchSection> sections;
    std::vector<ProbeChoice> probes;
    std::string probes_error;
    std::string variants_error;
    std::string seeds_error;
    std::string seeds_note;   ///< what a lone number above 1 means
    std::string other_error;  ///< concerns no single field
    std::vector<LaunchRun> runs;
    std::vector<LaunchChange> changes;    ///< what differs from the study, or from the preset
    std::vector<LaunchProblem> problems;  ///< everything that keeps the button grey
    std::string warning;      ///< what may go wrong but is not refused, such as too little memory
    bool counts_hold = true;  ///< no value is refused: the runs are those that are asked for
    std::string cost;         ///< of all runs: "3 runs: about 4 min, 30 MiB of disk, …"
    std::string data_note;    ///< what the data are, or that they are being looked at
    bool can_launch = false;
    std::string button;  ///< "Queue 3 runs"
};

/// Pure: the same input gives the same view. Takes a few milliseconds.
LaunchView build_launch(const LaunchInput& input, const LaunchPlace& place);

/// Seeds for the form's variants: where the study has trained none of them, those of its own
/// variant, so that every run has a partner; else the least from 1 that none has.
std::string proposed_seeds(const LaunchInput& input, const LaunchPlace& place);

/// The form as a study begins it: its own job, nothing changed, with the proposed seeds.
LaunchInput start_input(const LaunchPlace& place);

/// The form that would train `job` again with the next seed that no run of that job has: what it
/// has in common with the study is not repeated. UserError where the study's job has what no key
/// takes back.
LaunchInput input_like(const Job& job, const LaunchPlace& place);

/// The form that would train this model, as `trained` is or else as the study says, with the first
/// seed. UserError as input_like.
LaunchInput input_of_model(const ModelConfig& model, const std::shared_ptr<const Job>& trained,
                           const LaunchPlace& place);

/// The form with one change taken back; "model.preset" goes back to the study's, and the path that
/// is kSizesOf and an architecture is the sizes of that variant.
LaunchInput without_change(LaunchInput input, const LaunchPlace& place, const std::string& path);

/// The form with another preset: values that a person typed stay, those that matching filled in for
/// the old sizes go. A preset that names an architecture brings it as the variant, and takes it
/// along when it goes.
LaunchInput with_preset(LaunchInput input, const std::string& preset);

/// The form with this text at a schema path, or nothing typed there where it is empty. What
/// matching gave to single variants holds for the model that was there, and goes with it.
LaunchInput with_value(LaunchInput input, const std::string& path, const std::string& text);

/// The form with a variant chosen or not; one that goes takes the sizes that matching gave it.
LaunchInput with_variant(LaunchInput input, const std::string& arch, bool chosen);

/// The field with this schema path, or nullptr.
const LaunchField* find_field(const LaunchView& view, const std::string& path);

/// The job as it will be planned: with the vocabulary that the data give. None before they are
/// known.
std::optional<Job> planned_job(const LaunchRun& run, const LaunchPlace& place);

/// Seeds and rates do not change what is counted; sizes and batches from lists do. In the order of
/// `runs`, which must outlive it.
std::vector<CountedRuns> counted_runs(const std::vector<LaunchRun>& runs);

/// "weights 10.5 MiB, gradients …": the parts of a ledger, for a tool tip.
std::string describe_memory(const RunMemory& memory);

/// Whole numbers from "1, 2, 5" or "1-3", ascending and without repetition. UserError otherwise.
std::vector<int64_t> parse_seeds(const std::string& text);

/// `argument` as a POSIX shell reads it back.
std::string shell_quoted(const std::string& argument);

}  // namespace headroom
