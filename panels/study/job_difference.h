#pragma once

#include <map>
#include <string>
#include <vector>

namespace headroom {

/// Says of jobs (keys by dotted path, values as JSON) what each is among them: "lr 1e-3", "lr 10";
/// "n_layer 6, arch gpt2". All keys that it takes to tell them apart are named, and up to three of
/// those that decide about the result; "…" stands for the rest of these. What is written down of a
/// run, such as eval_every, is named where nothing else tells them apart. Texts are "" where
/// nothing differs.
std::vector<std::string> describe_differences(
    const std::vector<const std::map<std::string, std::string>*>& jobs);

/// The keys, by dotted path, that are not equal in all jobs.
std::vector<std::string> differing_keys(
    const std::vector<const std::map<std::string, std::string>*>& jobs);

/// What a model on another model.base differs in besides its variant: the end of a sentence.
inline constexpr char kOtherBaseDiffers[] =
    "norms, positions, MLPs and tied embeddings differ, too";

/// A JSON value for people: text without its quotes.
std::string whole_value(const std::string& json_text);
/// The same, of a path the file's name, numbers as short as they go (1e-3, 0.176777), at most
/// `longest` characters.
std::string short_value(const std::string& json_text, size_t longest = 24);

/// `texts`, which are short for `wholes`, with those that would stand for different values told
/// apart: paths by as many of their folders as that takes, others by a number.
std::vector<std::string> told_apart(std::vector<std::string> texts,
                                    const std::vector<std::string>& wholes);

}  // namespace headroom
