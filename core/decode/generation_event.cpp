#include "core/decode/generation_event.h"

#include <limits>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json write(const TokenChoice& choice) {
    return {{"id", choice.id}, {"text", choice.text}, {"probability", choice.probability}};
}

ordered_json write(const GenerationStart& start) {
    return {{"event", "start"},
            {"prompt_tokens", start.prompt_tokens},
            {"max_new", start.max_new},
            {"cache_bytes", start.cache_bytes},
            {"cache_bytes_per_token", start.cache_bytes_per_token},
            {"precision", start.precision}};
}

ordered_json write(const PromptRead& prompt) {
    return {{"event", "prompt"}, {"seconds", prompt.seconds}};
}

ordered_json write(const GeneratedToken& token) {
    ordered_json line{{"event", "token"},
                      {"id", token.choice.id},
                      {"token", token.choice.text},
                      {"text", token.text},
                      {"probability", token.choice.probability},
                      {"seconds", token.seconds},
                      {"likeliest", ordered_json::array()}};
    for (const TokenChoice& choice : token.likeliest) line["likeliest"].push_back(write(choice));
    return line;
}

ordered_json write(const GenerationEnd& end) {
    return {{"event", "end"},
            {"reason", end.reason},
            {"text", end.text},
            {"tokens", end.tokens},
            {"tokens_per_second", end.tokens_per_second}};
}

int64_t whole(const json& line, const char* key) {
    return whole_number(line.at(key)).value();
}

TokenChoice read_choice(const json& line, const char* text) {
    const int64_t id = whole(line, "id");
    if (id < 0 || id > std::numeric_limits<int32_t>::max())
        throw std::out_of_range("the id of no token");
    return {static_cast<int32_t>(id), line.at(text).get<std::string>(),
            line.at("probability").get<double>()};
}

GenerationEvent read_start(const json& line) {
    return GenerationStart{whole(line, "prompt_tokens"), whole(line, "max_new"),
                           whole(line, "cache_bytes"), whole(line, "cache_bytes_per_token"),
                           line.at("precision").get<std::string>()};
}

GenerationEvent read_token(const json& line) {
    GeneratedToken token{read_choice(line, "token"),
                         line.at("text").get<std::string>(),
                         {},
                         line.at("seconds").get<double>()};
    for (const json& choice : line.at("likeliest"))
        token.likeliest.push_back(read_choice(choice, "text"));
    return token;
}

GenerationEvent read_end(const json& line) {
    return GenerationEnd{line.at("reason").get<std::string>(), line.at("text").get<std::string>(),
                         whole(line, "tokens"), line.at("tokens_per_second").get<double>()};
}

}  // namespace

std::string to_line(const GenerationEvent& event) {
    const ordered_json line = std::visit([](const auto& each) { return write(each); }, event);
    return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

GenerationEvent parse_generation_event(std::string_view line) {
    const json parsed = parse_json(line, "generation event");
    try {
        const std::string kind = parsed.at("event").get<std::string>();
        if (kind == "start") return read_start(parsed);
        if (kind == "prompt") return PromptRead{parsed.at("seconds").get<double>()};
        if (kind == "token") return read_token(parsed);
        if (kind == "end") return read_end(parsed);
    } catch (const std::exception&) {
        // A key is missing, of another type or out of range: no event, like an unknown kind.
    }
    throw UserError(shown(parsed) + " is no event of a generation",
                    "expect what headroom generate --stream prints");
}

}  // namespace headroom
