#include "tests/source_rules/forbidden_calls.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace headroom {
namespace {

/// A call that only some files may make.
struct Forbidden {
    std::vector<std::string> words;
    std::regex allowed_in;
    std::string instead;
};

const std::vector<Forbidden>& forbidden_list() {
    static const std::regex nowhere("$^");
    static const std::vector<Forbidden> list = {
        {{"json::parse(", "json::accept("},
         std::regex("core/base/json_text\\.cpp"),
         "json::parse knows no depth; use parse_json or parse_json_or_null"},
        {{"H5F_ACC_TRUNC"},
         nowhere,
         "truncating follows links; use h5::create_file on a fresh_temporary"},
        {{".dump("},
         std::regex("(?!app/commands/|app/figure/figure_main).*"),
         "a name that is no UTF-8 makes it throw; use dump_text"},
        {{"ofstream", "fopen("},
         nowhere,
         "streams follow links and leave halves; use AtomicFile or open_for_writing"},
        {{"ifstream"},
         std::regex("core/base/system_info\\.cpp|app/(doctor|window)/.*"),  // of /proc
         "streams wait for pipes; use read_text or open_for_reading"},
        {{"O_CREAT"},
         std::regex("core/base/(open_)?file\\.cpp|cuda/.*algorithm_cache\\.cpp"),
         "opening follows links; use AtomicFile or open_for_writing"},
        {{" / \"study.json\"", " / \"runs\"", " / \"labels.json\"", " / \"queue.log\"",
          " / \"job.json\"", " / \"log.h5\"", " / \"checkpoints\"", " / \"probes\"",
          " / \"worker.log\""},
         std::regex("core/study/(run|study)_folder\\.h"),
         "names of a study's files are a contract; use StudyFolder and RunFolder"},
    };
    return list;
}

bool holds(const std::string& text, const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return text.find(word) != std::string::npos;
    });
}

}  // namespace

std::vector<std::string> forbidden_calls(const SourceFile& file) {
    std::vector<std::string> found;
    if (file.path.starts_with("tests/")) return found;
    std::istringstream lines(file.text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        for (const Forbidden& each : forbidden_list())
            if (holds(line, each.words) && !std::regex_match(file.path, each.allowed_in))
                found.push_back(file.path + ":" + std::to_string(number) + ": " + each.instead);
    }
    return found;
}

}  // namespace headroom
