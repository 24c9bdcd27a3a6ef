#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"
#include "core/study/claim.h"

namespace headroom {

/// What a study.json calls itself under "schema".
inline constexpr char kStudySchema[] = "headroom-study/1";

/// One run of a study, ready to be written as runs/ID/job.json.
struct StudyRun {
    std::string id;        ///< the folder's name: the variant, with "-s2" for seed 2 of several
    std::string variant;   ///< "id" in study.json, with its point of a sweep; equal over the seeds
    Job job;               ///< job.name is "id" and the seed unless the study names the run
    std::string entry{};   ///< "id" in study.json, where it was read from there
    int64_t priority = 0;  ///< those of a higher one are trained first
};

/// "gpt2-s2": the run of a variant with one of several seeds.
std::string id_of_seed(std::string_view variant, int64_t seed);
/// The variant of an id like that: "gpt2"; any other id as it is.
std::string variant_of_id(std::string_view id, int64_t seed);

/// A study lists variants within each seed, as they are trained; people look at them by variant.
std::vector<StudyRun> with_seeds_together(std::vector<StudyRun> runs);

struct StudyFigure {
    std::string name;                            ///< figures/NAME.pdf, .svg, .png, .csv
    std::string recipe;                          ///< "loss"
    std::vector<std::string> runs;               ///< ids of StudyRun, in legend order
    std::map<std::string, std::string> options;  ///< long options of `headroom figure RECIPE`
    bool all_runs = false;                       ///< it names none: also those yet to come
    std::vector<std::string> panels{};           ///< of "panels": the figures on it, by name

    bool operator==(const StudyFigure&) const = default;
};

/// What a paper says that its own runs came to, to be shown beside ours.
struct PublishedValues {
    std::string source;                    ///< "000, table 2"
    std::string measure;                   ///< as claims name it: "final" for val.loss
    std::map<std::string, double> values;  ///< by variant
};

/// study.json, checked and expanded over the seeds. core/study/README.md documents the file.
struct Study {
    std::string name;
    std::string description;
    std::vector<int64_t> seeds;  ///< of the runs that list none of their own
    std::vector<StudyRun> runs;  ///< variant by variant within each seed, seeds in order
    std::vector<StudyFigure> figures;
    std::vector<Claim> expect;               ///< what its runs are expected to show
    std::vector<PublishedValues> published;  ///< of the same variants at the paper's scale
    std::vector<std::string> measures;       ///< of its table of results; empty: the usual ones
};

/// Throws UserError naming the file, the run and the key. Models that this version cannot train are
/// refused here already, before the first run starts. `source` is the file, which messages name;
/// figures may name the imported runs in runs/ beside it.
Study load_study(const std::filesystem::path& study_json);
Study parse_study(const nlohmann::json& document, const std::string& source);

/// Of what people name, and of a folder with the point of a sweep and the seed behind that.
inline constexpr size_t kLongestRunName = 100, kLongestRunFolder = 255;
/// Whether it can name a run or a figure, which become folders and files: up to `longest` letters,
/// digits, "-", "_" and ".", the first a letter, a digit or "_".
bool names_a_file(std::string_view text, size_t longest = kLongestRunName);

/// `changes` laid over `base`: objects are merged key by key, everything else is replaced.
nlohmann::json merged(nlohmann::json base, const nlohmann::json& changes);

}  // namespace headroom
