#include "panels/memory/memory_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/account/memory_ledger.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

constexpr int64_t kUnknownVocabulary = 256;

Job with_vocabulary(Job job) {
    if (job.model.vocab_size == 0) job.model.vocab_size = kUnknownVocabulary;
    return job;
}

MemoryLedger inference(const Job& job, const MemoryFigureSettings& settings) {
    MemoryRequest request = memory_request(job, MemoryUse::kInference);
    request.precision = settings.dtype;
    request.batch_size = settings.batch_size;
    const bool bounded = job.model.pos == Positions::kLearned;
    if (settings.context > 0 && (!bounded || settings.context < request.context))
        request.context = settings.context;
    return memory_report(std::move(request)).predicted;
}

std::string heading_text(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

MemoryTable::Section section(const std::string& title, const std::vector<MemoryLedger>& ledgers) {
    MemoryTable::Section section{title, {}};
    for (const auto& [name, heading] : kMemoryHeadings) {
        const auto bytes = heading;
        if (std::all_of(ledgers.begin(), ledgers.end(),
                        [&](const MemoryLedger& ledger) { return ledger.*bytes == 0; }))
            continue;
        section.rows.push_back({heading_text(name), {}});
        for (const MemoryLedger& ledger : ledgers)
            section.rows.back().cells.push_back(format_bytes(ledger.*bytes));
    }
    return section;
}

}  // namespace

MemoryTable build_memory_table(const std::vector<MemoryRun>& runs,
                               const MemoryFigureSettings& settings) {
    MemoryTable table;
    if (runs.empty()) return table;
    std::vector<MemoryLedger> decoding, training;
    for (const MemoryRun& run : runs) {
        const Job job = with_vocabulary(*run.job);
        table.names.push_back(run.name);
        decoding.push_back(inference(job, settings));
        training.push_back(memory_report(memory_request(job, MemoryUse::kTraining)).predicted);
    }
    table.sections.push_back(section(
        fmt::format("Inference, {}, batch {}", name_of(settings.dtype), settings.batch_size),
        decoding));
    table.sections.push_back(section("Training, as each job says", training));
    return table;
}

}  // namespace headroom
