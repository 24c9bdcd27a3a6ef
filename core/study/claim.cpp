#include "core/study/claim.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/base/parse_number.h"
#include "core/base/printable.h"
#include "core/study/known_keys.h"
#include "core/study/measure.h"

namespace headroom {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr char kExample[] =
    "write it like \"a < b by val.loss\", \"a / b < 0.99 by val.loss\" or \"a = b by val.loss "
    "within 0.01\"";
constexpr size_t kMostClaims = 200;
constexpr size_t kMostWords = 64;

Words words_of(const std::string& text) {
    std::istringstream stream(text);
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

std::optional<double> number_in(const std::string& word) {
    const std::optional<double> number = parse_number(word);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<ClaimRelation> relation_in(const std::string& word) {
    if (word == "<") return ClaimRelation::kLess;
    if (word == ">") return ClaimRelation::kGreater;
    if (word == "=") return ClaimRelation::kEqual;
    return std::nullopt;
}

/// Reads the words of a claim from left to right.
class ClaimParser {
  public:
    ClaimParser(const std::string& text, std::string place)
        : words_(words_of(text)), place_(std::move(place)) {
        if (words_.size() > kMostWords) fail("it is too long");
        claim_.text = printable(text);
    }

    Claim parse() {
        const std::string first = run();
        if (is("/"))
            ratio(first);
        else
            chain(first);
        if (!is("by")) fail(fmt::format("\"by\" and a measure are missing{}", behind()));
        ++at_;
        measure();
        if (is("within")) within();
        if (at_ < words_.size()) fail(fmt::format("\"{}\" is too much", words_[at_]));
        check_widths();
        return claim_;
    }

  private:
    bool is(const char* word) const { return at_ < words_.size() && words_[at_] == word; }
    std::string behind() const {
        return at_ == 0 ? "" : fmt::format(" behind \"{}\"", words_[at_ - 1]);
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(fmt::format("{}: {}", place_, printable(what, 200)), kExample);
    }

    std::string run() {
        if (at_ == words_.size() || relation_in(words_[at_]) || is("by") || is("/"))
            fail("a run is missing" + behind());
        return words_[at_++];
    }

    double number() {
        const auto value = at_ < words_.size() ? number_in(words_[at_]) : std::optional<double>{};
        if (!value) fail("a number is missing" + behind());
        ++at_;
        return *value;
    }

    ClaimRelation relation() {
        const auto value =
            at_ < words_.size() ? relation_in(words_[at_]) : std::optional<ClaimRelation>{};
        if (!value) fail("<, > or = is missing" + behind());
        ++at_;
        return *value;
    }

    /// left / right RELATION number
    void ratio(const std::string& left) {
        ++at_;
        ClaimStep step{left, run(), true};
        step.relation = relation();
        step.bound = number();
        claim_.steps.push_back(step);
    }

    /// left RELATION right [± number] {RELATION right [± number]}
    void chain(std::string left) {
        do {
            ClaimStep step;
            step.left = std::move(left);
            step.relation = relation();
            step.right = left = run();
            if (is("+") || is("-")) {
                const double sign = is("+") ? 1 : -1;
                ++at_;
                step.bound = sign * number();
            }
            claim_.steps.push_back(std::move(step));
        } while (at_ < words_.size() && relation_in(words_[at_]));
    }

    void measure() {
        if (at_ == words_.size()) fail("a measure is missing" + behind());
        claim_.measure = measure_of_word(words_[at_++]);
        require_measure(claim_.measure, place_);
    }

    void within() {
        ++at_;
        const double width = number();
        if (!(width > 0)) fail(fmt::format("within {} leaves no room", width));
        for (ClaimStep& step : claim_.steps)
            if (step.relation == ClaimRelation::kEqual) step.within = width;
    }

    /// No two trained losses are equal to the last digit.
    void check_widths() const {
        for (const ClaimStep& step : claim_.steps) {
            if (step.relation == ClaimRelation::kEqual && step.within == 0 &&
                !is_exact_measure(claim_.measure))
                fail("equal within what is missing");
        }
        const bool any = std::any_of(claim_.steps.begin(), claim_.steps.end(), [](const auto& s) {
            return s.relation == ClaimRelation::kEqual;
        });
        if (!any && std::find(words_.begin(), words_.end(), "within") != words_.end())
            fail("\"within\" goes with =");
    }

    Words words_;
    std::string place_;
    Claim claim_;
    size_t at_ = 0;
};

std::string text_under(const json& entry, const char* key, const std::string& place) {
    if (!entry.contains(key)) return "";
    if (!entry.at(key).is_string())
        throw UserError(
            fmt::format("{}: \"{}\" = {} is not text", place, key, shown(entry.at(key))),
            "put it in quotes");
    return printable(entry.at(key).get<std::string>());
}

Claim read_claim(const json& entry, const std::string& place) {
    if (entry.is_string()) return parse_claim(entry.get<std::string>(), place);
    if (!entry.is_object() || !entry.contains("claim"))
        throw UserError(fmt::format("{} = {} is no claim", place, shown(entry)), kExample);
    check_keys(entry, place, {"claim", "says", "source", "at", "pair"});
    Claim claim = parse_claim(text_under(entry, "claim", place), place);
    claim.says = text_under(entry, "says", place);
    claim.source = text_under(entry, "source", place);
    if (const json pair = entry.value("pair", json("batches")); pair == "seed")
        claim.by_seed = true;
    else if (pair != "batches")
        throw UserError(fmt::format("{}: \"pair\" = {} is not known", place, shown(pair)),
                        "give batches (equal seed and equal batches, the default) or seed");
    if (!entry.contains("at")) return claim;
    const json& at = entry.at("at");
    if (!at.is_number_integer() || at.get<int64_t>() < 0)
        throw UserError(
            fmt::format("{}: \"at\" = {} is no number of tokens", place, shown(at)),
            "give a whole number (0: before the first step), or leave it out for the end");
    claim.at_tokens = at.get<int64_t>();
    return claim;
}

void require_run(const std::string& id, const Words& variants, const std::string& place) {
    if (std::find(variants.begin(), variants.end(), id) == variants.end())
        throw UserError(fmt::format("{} names the run \"{}\", which the study has not{}", place,
                                    printable(id, 100), suggestion(id, variants)));
}

}  // namespace

const char* sign_of(ClaimRelation relation) {
    switch (relation) {
        case ClaimRelation::kLess:
            return "<";
        case ClaimRelation::kGreater:
            return ">";
        case ClaimRelation::kEqual:
            break;
    }
    return "=";
}

Claim parse_claim(const std::string& text, const std::string& place) {
    return ClaimParser(text, place).parse();
}

std::vector<Claim> parse_claims(const json& list, const Words& variants) {
    if (!list.is_array())
        throw UserError(fmt::format("\"expect\" = {} is not a list", shown(list)), "write [ ... ]");
    if (list.size() > kMostClaims)
        throw UserError(fmt::format("\"expect\" has {} claims", list.size()),
                        fmt::format("stay within {}", kMostClaims));
    std::vector<Claim> claims;
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string place = fmt::format("expect[{}]", i);
        claims.push_back(read_claim(list[i], place));
        for (const ClaimStep& step : claims.back().steps) {
            require_run(step.left, variants, place);
            require_run(step.right, variants, place);
        }
    }
    return claims;
}

}  // namespace headroom
