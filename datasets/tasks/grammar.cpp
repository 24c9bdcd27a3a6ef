#include <string>

#include "datasets/tasks/grammar_story.h"
#include "datasets/tasks/tasks.h"

namespace headroom {
namespace {

class GrammarSource : public TaskSource {
  public:
    int64_t vocab_size() const override { return 256; }

    void sample(CounterRandom& random, std::span<int32_t> inputs,
                std::span<int32_t> targets) const override {
        const size_t needed = inputs.size() + 1;
        std::string text = GrammarStory(rules_, random).write();
        text.erase(0, static_cast<size_t>(random.below(static_cast<int64_t>(text.size()))));
        while (text.size() < needed) text += GrammarStory(rules_, random).write();
        for (size_t i = 0; i + 1 < needed; ++i) {
            inputs[i] = static_cast<unsigned char>(text[i]);
            targets[i] = static_cast<unsigned char>(text[i + 1]);
        }
    }

    std::string describe() const override { return "task:grammar: endless short stories, bytes"; }

  private:
    GrammarRules rules_ = grammar_rules();
};

}  // namespace

TaskInfo grammar_task() {
    return {"grammar",
            "short English-like stories with agreement and facts to remember, one token per byte",
            {},
            [](const TaskOptions&) -> std::unique_ptr<SequenceSource> {
                return std::make_unique<GrammarSource>();
            },
            true};
}

}  // namespace headroom
