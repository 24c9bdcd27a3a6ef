#include "panels/study/job_difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/parse_number.h"
#include "core/base/utf8.h"
#include "core/config/schema.h"

namespace headroom {
namespace {

using Jobs = std::vector<const std::map<std::string, std::string>*>;

/// What a key is in each of the jobs.
std::vector<std::string> values_of(const Jobs& jobs, const std::string& key) {
    std::vector<std::string> texts, wholes;
    for (const auto* job : jobs) {
        const auto at = job->find(key);
        texts.push_back(at == job->end() ? "–" : short_value(at->second));
        wholes.push_back(at == job->end() ? "–" : whole_value(at->second));
    }
    return told_apart(std::move(texts), wholes);
}

/// The last `count` names of a path.
std::string end_of_path(const std::string& path, size_t count) {
    size_t slash = path.size();
    while (count-- > 0 && slash != std::string::npos && slash > 0)
        slash = path.rfind('/', slash - 1);
    return slash == std::string::npos || slash == 0 ? path : path.substr(slash + 1);
}

/// Texts for different values that all had one.
std::vector<std::string> longer_texts(const std::string& text,
                                      const std::vector<std::string>& values) {
    constexpr size_t kMostFolders = 8, kReadable = 24;
    std::vector<std::string> texts;
    const bool are_paths = std::all_of(values.begin(), values.end(), [](const std::string& value) {
        return value.find('/') != std::string::npos && value.find(';') == std::string::npos;
    });
    for (size_t folders = 2; folders <= kMostFolders && are_paths; ++folders) {
        texts.clear();
        for (const std::string& value : values) texts.push_back(end_of_path(value, folders));
        if (std::set(texts.begin(), texts.end()).size() == values.size()) return texts;
    }
    if (std::all_of(values.begin(), values.end(),
                    [](const std::string& value) { return value.size() <= kReadable; }))
        return values;
    texts.clear();
    for (size_t i = 0; i < values.size(); ++i) texts.push_back(fmt::format("{} #{}", text, i + 1));
    return texts;
}

/// "lr" of "train.lr".
std::string last_name(const std::string& key) {
    return key.substr(key.rfind('.') + 1);
}

size_t count_values(const Jobs& jobs, const std::string& key) {
    const std::vector<std::string> values = values_of(jobs, key);
    return std::set(values.begin(), values.end()).size();
}

/// The shorter of 0.001 and 1e-3; whole numbers stay whole, fractions have six digits at most.
std::string short_number(double value) {
    constexpr size_t kReadable = 8;
    std::string plain = fmt::format("{}", value);
    if (plain.size() > kReadable && value != std::floor(value)) {
        plain = fmt::format("{:.6g}", value);
        value = parse_number(plain).value_or(value);
    }
    std::string power = fmt::format("{:e}", value);
    const size_t e = power.find('e');
    if (e == std::string::npos) return plain;
    std::string digits = power.substr(0, e);
    while (digits.find('.') != std::string::npos &&
           (digits.back() == '0' || digits.back() == '.')) {
        const bool point = digits.back() == '.';
        digits.pop_back();
        if (point) break;
    }
    power = fmt::format("{}e{}", digits, std::stoi(power.substr(e + 1)));
    const bool exact = parse_number(power) == value;
    const bool fraction = value != std::floor(value);
    return exact && fraction && power.size() < plain.size() ? power : plain;
}

}  // namespace

std::string whole_value(const std::string& json_text) {
    const nlohmann::json value = parse_json_or_null(json_text);
    return value.is_string() ? value.get<std::string>() : json_text;
}

std::string short_value(const std::string& json_text, size_t longest) {
    const nlohmann::json value = parse_json_or_null(json_text);
    std::string text = json_text;
    if (value.is_string()) {
        text = value.get<std::string>();
        if (const size_t slash = text.find_last_of('/');
            slash + 1 < text.size() && slash != text.npos)
            text = text.substr(slash + 1);
    } else if (value.is_number_float()) {
        text = short_number(value.get<double>());
    }
    if (text.size() <= longest) return text;
    return text.substr(0, cut_between_characters(text, longest)) + "…";
}

std::vector<std::string> told_apart(std::vector<std::string> texts,
                                    const std::vector<std::string>& wholes) {
    std::map<std::string, std::vector<std::string>> values;  // of each text, in their order
    for (size_t i = 0; i < texts.size(); ++i) {
        std::vector<std::string>& known = values[texts[i]];
        if (std::find(known.begin(), known.end(), wholes[i]) == known.end())
            known.push_back(wholes[i]);
    }
    for (size_t i = 0; i < texts.size(); ++i) {
        const std::vector<std::string>& known = values[texts[i]];
        if (known.size() < 2) continue;
        const auto at = std::find(known.begin(), known.end(), wholes[i]) - known.begin();
        texts[i] = longer_texts(texts[i], known)[static_cast<size_t>(at)];
    }
    return texts;
}

std::vector<std::string> differing_keys(const Jobs& jobs) {
    std::set<std::string> all;
    for (const auto* job : jobs)
        for (const auto& [key, value] : *job) all.insert(key);
    std::vector<std::string> differing;
    for (const std::string& key : all) {
        const auto raw = [&](const auto* job) {
            const auto at = job->find(key);
            return at == job->end() ? std::string() : at->second;
        };
        const std::string first = raw(jobs.front());
        if (std::any_of(jobs.begin(), jobs.end(), [&](const auto* j) { return raw(j) != first; }))
            differing.push_back(key);
    }
    return differing;
}

namespace {

/// Whether a key is only of what is written down of a run, not of its result.
bool is_of_the_record(const std::string& key) {
    const Field* field = find_field(key);
    return field != nullptr && field->concern == Concern::kRecord;
}

/// What decides about the result comes before what is written down of it; then the key with the
/// most values tells most apart, and of equal ones the first of the schema.
std::vector<std::string> ranked_keys(const Jobs& jobs) {
    std::vector<std::string> keys =
        jobs.empty() ? std::vector<std::string>{} : differing_keys(jobs);
    const auto rank = [&](const std::string& key) {
        const Field* field = find_field(key);
        return std::tuple(is_of_the_record(key), -static_cast<int64_t>(count_values(jobs, key)),
                          field == nullptr ? std::ptrdiff_t{-1} : field - job_schema().data());
    };
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    return keys;
}

}  // namespace

std::vector<std::string> describe_differences(const Jobs& jobs) {
    constexpr size_t kNamed = 3;
    std::vector<std::string> texts(jobs.size()), unnamed;
    size_t told_apart = 1, named = 0;
    const auto with = [&](const std::string& key) {
        std::vector<std::string> longer = texts;
        const std::vector<std::string> values = values_of(jobs, key);
        for (size_t i = 0; i < jobs.size(); ++i)
            longer[i] +=
                fmt::format("{}{} {}", texts[i].empty() ? "" : ", ", last_name(key), values[i]);
        return longer;
    };
    for (const std::string& key : ranked_keys(jobs)) {
        std::vector<std::string> longer = with(key);
        const size_t count = std::set(longer.begin(), longer.end()).size();
        if (count > told_apart) {
            told_apart = count;
            texts = std::move(longer);
            ++named;
        } else if (!is_of_the_record(key)) {
            unnamed.push_back(key);
        }
    }
    // Runs that differ in two things must not read as if one of them made the difference.
    for (const std::string& key : unnamed)
        if (named++ < kNamed) texts = with(key);
    if (named > kNamed && !unnamed.empty())
        for (std::string& text : texts) text += ", …";
    return texts;
}

}  // namespace headroom
