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

/// A kind of evaluation: how a line of its file becomes an item. The prompts are those of
/// lm-evaluation-harness 0.4.13 without examples.
struct EvaluationTask {
    std::string name, summary;
    bool one_choice = false;  ///< LAMBADA: is the continuation what the model would say?
    EvaluationItem (*read)(const EvaluationLine& line) = nullptr;
};

/// hellaswag, arc (arc_easy, arc_challenge), piqa, winogrande, openbookqa, boolq, lambada, sciq.
const std::vector<EvaluationTask>& evaluation_tasks();

/// UserError naming the closest one for a name that is none.
const EvaluationTask& find_evaluation_task(const std::string& name);

/// The items of a JSONL file, at most `limit` of them (0: all). UserError naming file and line for
/// what is no such item; blank lines are skipped.
std::vector<EvaluationItem> read_evaluation(const EvaluationTask& task, const std::string& file,
                                            int64_t limit);

/// Context and continuation cut into tokens together: spaces at the end of the context go over to
/// the continuation, and the split is where the tokens of the context alone end (lm-evaluation-
/// harness, _encode_pair). `prefix` stands for an empty context.
ContinuationRequest encode_pair(const Tokenizer& tokenizer, const std::string& context,
                                const std::string& continuation);

}  // namespace headroom
