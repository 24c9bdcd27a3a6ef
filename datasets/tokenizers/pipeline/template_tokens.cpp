#include "datasets/tokenizers/pipeline/template_tokens.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "datasets/tokenizers/pipeline/piece_model.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

using nlohmann::json;

int32_t checked_id(const json& id, const JsonPart& part) {
    if (!id.is_number_integer() || id.get<int64_t>() < 0 || id.get<int64_t>() >= kMostTokens)
        part.refuse(fmt::format("a token has the id {}", shown(id)), "expect a small whole number");
    return static_cast<int32_t>(id.get<int64_t>());
}

void add_special(const JsonPart& part, const std::string& name, std::vector<int32_t>& ids) {
    const JsonPart token = part.part("special_tokens").part(name.c_str());
    const json* list = token.find("ids");
    if (list == nullptr || !list->is_array())
        token.refuse("ids is no list", "expect {\"<s>\": {\"ids\": [1], ...}}");
    for (const json& id : *list) ids.push_back(checked_id(id, token));
}

void read_processing(const JsonPart& part, TemplateTokens& tokens) {
    bool behind = false;
    for (const JsonPart& item : part.parts("single")) {
        if (item.has("Sequence")) {
            behind = true;
        } else {
            add_special(part, item.part("SpecialToken").text("id"),
                        behind ? tokens.behind : tokens.before);
        }
    }
    if (!behind) part.refuse("\"single\" has no Sequence", "expect the text in the template");
}

/// ["</s>", 2]
int32_t pair_id(const JsonPart& part, const char* key) {
    const json* pair = part.find(key);
    if (pair == nullptr || !pair->is_array() || pair->size() != 2)
        part.refuse(fmt::format("{} is no token", key), "expect [\"</s>\", 2]");
    return checked_id((*pair)[1], part);
}

void add(const JsonPart& part, TemplateTokens& tokens, int depth) {
    part.check_depth(depth);
    const std::string type = part.type();
    if (type == "Sequence") {
        for (const JsonPart& inner : part.parts("processors")) add(inner, tokens, depth + 1);
    } else if (type == "TemplateProcessing") {
        read_processing(part, tokens);
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
        tokens.before.push_back(pair_id(part, "cls"));
        tokens.behind.push_back(pair_id(part, "sep"));
    } else if (type != "ByteLevel") {
        part.refuse_kind(
            "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel and Sequence");
    }
}

}  // namespace

TemplateTokens read_template(const JsonPart& part) {
    TemplateTokens tokens;
    add(part, tokens, 0);
    return tokens;
}

}  // namespace headroom
