#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A part of a mix: spec, "WEIGHT SPEC": the words as they stand. `weight` is "" where only one
/// word stands.
struct MixturePart {
    std::string weight, spec;
};

/// What follows mix: in a data spec, taken apart at the semicolons.
std::vector<MixturePart> split_mixture(std::string_view parts);

/// A spec of data or of a tokenizer with `change` made to every path that it names: those of text:,
/// tokens:, images:, gpt2:, json: and sp:, and of the parts of a mix:. Anything else stays as it
/// is.
std::string change_paths(const std::string& spec,
                         const std::function<std::string(const std::string& path)>& change);

/// Zero-shot tasks, NAME:FILE each, taken apart at the semicolons.
std::vector<std::string> split_tasks(std::string_view tasks);

/// Such a text with `change` made to every file.
std::string change_task_paths(const std::string& tasks,
                              const std::function<std::string(const std::string& path)>& change);

}  // namespace headroom
