#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/wiring/source_rules.h"
#include "panels/base/numbering.h"
#include "panels/wiring_editor/wiring_editor.h"

namespace headroom {

namespace {

/// "layer 5", "layers 5 to 8", "layers 1, 3 and 5" or "7 layers".
std::string list_of(const std::set<int>& numbers, const char* one, const char* many) {
    const int first = *numbers.begin(), last = *numbers.rbegin();
    if (numbers.size() == 1) return fmt::format("{} {}", one, shown_number(first));
    if (last - first + 1 == std::ssize(numbers))
        return fmt::format("{} {} {} {}", many, shown_number(first),
                           numbers.size() == 2 ? "and" : "to", shown_number(last));
    if (numbers.size() > 4) return fmt::format("{} {}", numbers.size(), many);
    std::string text = many;
    for (const int number : numbers)
        text += fmt::format("{} {}",
                            number == first  ? ""
                            : number == last ? " and"
                                             : ",",
                            shown_number(number));
    return text;
}

std::string tables_word(EditedTables tables) {
    if (tables == EditedTables::kBoth) return "keys and values";
    return tables == EditedTables::kKeys ? "keys" : "values";
}

std::string source_words(const WiringEdit& edit, bool several) {
    const std::string layer = edit.layer == WiringEdit::kOwnLayer
                                  ? "their own layer"
                                  : fmt::format("layer {}", shown_number(edit.layer));
    if (edit.head) return fmt::format("{} head {}", layer, shown_number(*edit.head));
    return several ? layer + ", each head its own number" : layer + ", the same head";
}

std::string weight_words(const WiringEdit& edit) {
    if (edit.learned == SourceWeight::kLambda) return "learned λ ×";
    if (edit.learned == SourceWeight::kOneMinusLambda) return "(1 − λ) ×";
    return edit.weight == 1.0 ? "" : fmt::format("{:g} ×", edit.weight);
}

}  // namespace

std::vector<WiringBrush> wiring_brushes(const WiringChoice& choice) {
    std::vector<WiringBrush> brushes;
    for (const SourceRule& rule : source_rules()) {
        WiringBrush brush{rule.title, rule.help, {.kind = WiringEdit::Kind::kRule}};
        brush.edit.choice = choice;
        brush.edit.choice.key_source = brush.edit.choice.value_source = rule.name;
        brushes.push_back(brush);
        if (rule.name != "skip" || choice.inject != "concat") continue;
        brush.title = "SkipV1 pool";
        brush.help =
            "the values of injected heads are means of two heads of the source layer, their keys "
            "are one "
            "head's";
        brush.edit.choice.inject = "pool";
        brushes.push_back(brush);
    }
    return brushes;
}

std::string edit_words(const WiringEdit& edit, EditedTables tables,
                       const std::vector<HeadId>& heads) {
    if (heads.empty()) return "";
    std::set<int> layers, columns;
    for (const HeadId head : heads) {
        layers.insert(head.layer);
        columns.insert(head.head);
    }
    const bool one = heads.size() == 1;
    std::string who =
        one ? fmt::format("{} of layer {} head {}", tables_word(tables),
                          shown_number(heads[0].layer), shown_number(heads[0].head))
            : fmt::format("{} of {}", tables_word(tables), list_of(layers, "layer", "layers"));
    const std::string weight = weight_words(edit);
    const std::string space = weight.empty() ? "" : " ";
    switch (edit.kind) {
        case WiringEdit::Kind::kRead:
            return fmt::format("{} read {}{}{}", who, weight, space,
                               source_words(edit, columns.size() > 1));
        case WiringEdit::Kind::kAdd:
            return fmt::format("{} read {}{}{} besides", who, weight, space,
                               source_words(edit, columns.size() > 1));
        case WiringEdit::Kind::kOwn:
            return who + " are their own again";
        case WiringEdit::Kind::kNothing:
            return who + " are zero";
        default:
            return who;
    }
}

}  // namespace headroom
