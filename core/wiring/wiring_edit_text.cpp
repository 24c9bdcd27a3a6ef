#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/wiring/wiring_edit.h"

namespace headroom {
namespace {

using Kind = WiringEdit::Kind;

constexpr char kForm[] =
    "write TABLE HEADS WHAT, such as \"values 4-7 read 1\" or \"both 3.0-1 own\"; `headroom "
    "describe --help` tells more";

struct Verb {
    const char* name;
    Kind kind;
    bool has_source;
    int weights;  ///< 0: takes none, 1: may, 2: must
};

constexpr std::array<Verb, 10> kVerbs{{{"own", Kind::kOwn, false, 0},
                                       {"nothing", Kind::kNothing, false, 0},
                                       {"read", Kind::kRead, true, 0},
                                       {"add", Kind::kAdd, true, 1},
                                       {"weigh", Kind::kWeigh, true, 2},
                                       {"drop", Kind::kDrop, true, 0},
                                       {"copy", Kind::kCopy, true, 0},
                                       {"mirror", Kind::kMirror, false, 0},
                                       {"reverse", Kind::kReverse, false, 0},
                                       {"rule", Kind::kRule, false, 0}}};

[[noreturn]] void refuse(const std::string& line, const std::string& what) {
    throw UserError(fmt::format("\"{}\" is no edit of a wiring: {}", line, what), kForm);
}

/// One line taken apart word by word.
class EditLine {
  public:
    EditLine(const std::string& line, const Wiring& wiring) : line_(line), wiring_(wiring) {
        std::istringstream words(line);
        for (std::string word; words >> word;) words_.push_back(word);
    }

    WiringEdit parse(const WiringChoice& choice) {
        WiringEdit edit;
        const std::string table = next("TABLE is missing");
        if (table != "keys" && table != "values" && table != "both")
            refuse(line_, fmt::format("{} is not keys, values or both", table));
        const auto [layers, heads] = places(next("HEADS are missing"));
        for (const KvTable which : {KvTable::kKeys, KvTable::kValues}) {
            if (table == (which == KvTable::kKeys ? "values" : "keys")) continue;
            for (int layer = layers.first; layer <= layers.second; ++layer)
                for (int head = heads.first; head <= heads.second; ++head)
                    edit.heads.push_back({which, {layer, head}});
        }
        const Verb& verb = parse_verb(next("WHAT is missing"));
        edit.kind = verb.kind;
        if (verb.has_source) parse_source(edit);
        if (verb.kind == Kind::kReverse) take_pattern(edit, layers);
        if (verb.kind == Kind::kRule) parse_rule(edit, choice);
        if (verb.weights == 2 || (verb.weights == 1 && at_ < words_.size())) parse_weight(edit);
        if (at_ < words_.size()) refuse(line_, fmt::format("{} is too much", words_[at_]));
        return edit;
    }

  private:
    using Range = std::pair<int, int>;

    const std::string& next(const char* missing) {
        if (at_ == words_.size()) refuse(line_, missing);
        return words_[at_++];
    }

    int number(std::string_view text, int count, const char* what) const {
        int value = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 0 || value >= count)
            refuse(line_, fmt::format("{} is not a {} from 0 to {}", text, what, count - 1));
        return value;
    }

    Range range(std::string_view text, int count, const char* what) const {
        if (text == "*") return {0, count - 1};
        const size_t dash = text.find('-');
        if (dash == std::string_view::npos) {
            const int one = number(text, count, what);
            return {one, one};
        }
        const Range found{number(text.substr(0, dash), count, what),
                          number(text.substr(dash + 1), count, what)};
        if (found.first > found.second) refuse(line_, fmt::format("{} runs backwards", text));
        return found;
    }

    std::pair<Range, Range> places(const std::string& text) const {
        const size_t dot = text.find('.');
        const std::string_view heads = dot == std::string::npos
                                           ? std::string_view("*")
                                           : std::string_view(text).substr(dot + 1);
        return {range(std::string_view(text).substr(0, dot), wiring_.n_layer, "layer"),
                range(heads, wiring_.n_kv_head, "key/value head")};
    }

    const Verb& parse_verb(const std::string& word) const {
        std::vector<std::string> known;
        for (const Verb& verb : kVerbs) {
            if (word == verb.name) return verb;
            known.emplace_back(verb.name);
        }
        refuse(line_, fmt::format("{} is nothing to do{}", word, suggestion(word, known)));
    }

    static void take_pattern(WiringEdit& edit, Range layers) {
        edit.layer = layers.first;
        edit.span = layers.second - layers.first + 1;
    }

    void parse_source(WiringEdit& edit) {
        const std::string text = next("the layer to read is missing");
        if (edit.kind == Kind::kCopy)
            return take_pattern(edit, range(text, wiring_.n_layer, "layer"));
        const size_t dot = text.find('.');
        const std::string_view layer = std::string_view(text).substr(0, dot);
        edit.layer =
            layer == "own" ? WiringEdit::kOwnLayer : number(layer, wiring_.n_layer, "layer");
        if (dot == std::string::npos) return;
        edit.head =
            number(std::string_view(text).substr(dot + 1), wiring_.n_kv_head, "key/value head");
    }

    void parse_weight(WiringEdit& edit) {
        const std::string text = next("the weight is missing");
        const bool one_minus = text == "1-lambda";
        if (one_minus || text == "lambda") {
            edit.learned = one_minus ? SourceWeight::kOneMinusLambda : SourceWeight::kLambda;
            return;
        }
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), edit.weight);
        if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(edit.weight))
            refuse(line_, fmt::format("{} is not a number, lambda or 1-lambda", text));
    }

    void parse_rule(WiringEdit& edit, const WiringChoice& choice) {
        const std::string name = next("the name of the rule is missing");
        edit.choice = choice;
        edit.choice.key_source = edit.choice.value_source = name;
    }

    const std::string& line_;
    const Wiring& wiring_;
    std::vector<std::string> words_;
    size_t at_ = 0;
};

}  // namespace

WiringEdit parse_wiring_edit(const std::string& line, const Wiring& wiring,
                             const WiringChoice& choice) {
    return EditLine(line, wiring).parse(choice);
}

Wiring edited(Wiring wiring, const std::vector<std::string>& lines, const WiringChoice& choice,
              EditFor model) {
    ProjectedHeads projected = projected_heads(wiring);
    for (const std::string& line : lines) {
        WiringEditResult result = apply(wiring, parse_wiring_edit(line, wiring, choice), projected);
        if (!result.wiring)
            throw UserError(
                fmt::format("the edit \"{}\" cannot be done: {}", line, result.refusal));
        wiring = std::move(*result.wiring);
        projected = std::move(result.projected);
    }
    if (model == EditFor::kWeights) check_projected(wiring, projected);
    return wiring;
}

}  // namespace headroom
