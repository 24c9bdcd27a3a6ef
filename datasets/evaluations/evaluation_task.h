#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/eval/continuation_scores.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

class EvaluationLine;

/// One question of a zero-shot evaluation, as text.
struct EvaluationItem {
    struct Choice {
        std::string context, continuation;
        int64_t characters = 0;  ///< of the choice itself, for the normalised score
    };
    std::vector<Choice> choices;
    int64_t answer = 0;  ///< the right choice
};

/// A kind of evaluation: how a line of its file becomes an item, with the prompts of
/// lm-evaluation-harness 0.4.13 without examples; or how the program makes its items up.
struct EvaluationTask {
    std::string name, summary;
    bool one_choice = false;  ///< LAMBADA: is the continuation what the model would say?
    EvaluationItem (*read)(const EvaluationLine& line) = nullptr;
    std::vector<EvaluationItem> (*make)(int64_t count) = nullptr;  ///< where there is no file

    bool needs_file() const { return make == nullptr; }
};

/// Those that the field reports, and two in the language of task:grammar (grammar_items.h).
const std::vector<EvaluationTask>& evaluation_tasks();

/// UserError naming the closest one for a name that is none.
const EvaluationTask& find_evaluation_task(const std::string& name);

/// The items of a file, at most `limit` of them (0: all). Of lines (LineReader: JSONL, plain or
/// compressed, or Parquet) each that is not blank is one; a JSON array holds them, as SciQ is
/// distributed. Items without "label" take those of NAME-labels.lst beside NAME.jsonl, as PIQA is.
/// Of a task without a file `limit` items (0: 500). UserError naming file and item for what is
/// none.
std::vector<EvaluationItem> read_evaluation(const EvaluationTask& task, const std::string& file,
                                            int64_t limit);

/// Context and continuation cut into tokens together: spaces at the end of the context go over to
/// the continuation, and the split is where the tokens of the context alone end (lm-evaluation-
/// harness, _encode_pair). `prefix` stands for an empty context.
ContinuationRequest encode_pair(const Tokenizer& tokenizer, const std::string& context,
                                const std::string& continuation);

}  // namespace headroom
