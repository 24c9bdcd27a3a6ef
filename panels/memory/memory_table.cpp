#include "panels/memory/memory_table.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include <fmt/format.h>

#include "core/account/memory_ledger.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

struct Ledgers {
    int64_t context = 0;  ///< positions that were counted
    MemoryLedger predicted;
    std::shared_ptr<const MeasuredMemory> measured;
};

std::vector<Ledgers> ledgers_of(const MemoryTableQuestion& question) {
    std::vector<Ledgers> ledgers;
    std::vector<std::string> unused;
    for (const MemoryModel& model : question.models) {
        const MemoryRequest request = memory_question(model, question.settings, unused);
        ledgers.push_back({request.context, memory_report(request).predicted, model.measured});
    }
    return ledgers;
}

std::string heading_text(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

/// With the positions that were counted, where a model has fewer than were asked for.
std::string title_of(const MemoryTableQuestion& question, const std::vector<Ledgers>& ledgers) {
    MemoryFigureSettings counted = question.settings;
    const int64_t asked = counted.context;
    std::vector<std::string> fewer;
    int64_t most = 0;
    for (size_t i = 0; i < ledgers.size(); ++i) {
        most = std::max(most, ledgers[i].context);
        if (ledgers[i].context < asked)
            fewer.push_back(
                fmt::format("{}: {}", question.models[i].name, format_integer(ledgers[i].context)));
    }
    const bool all_alike = std::all_of(ledgers.begin(), ledgers.end(),
                                       [&](const Ledgers& each) { return each.context == most; });
    if (asked > 0 || all_alike) counted.context = most;
    std::string title = conditions_text(counted);
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    if (fewer.empty()) return title;
    if (!all_alike) title += fmt::format("; {}", fmt::join(fewer, ", "));
    return title + fmt::format(" ({} asked for)", format_integer(asked));
}

/// `with_measured`: models that have a column of their own for it.
MemoryTable::Section section(const std::string& title, const std::vector<Ledgers>& ledgers,
                             const std::vector<bool>& with_measured) {
    MemoryTable::Section section{title, {}};
    for (const auto& [name, heading] : kMemoryHeadings) {
        const auto bytes = heading;
        if (std::all_of(ledgers.begin(), ledgers.end(), [&](const Ledgers& each) {
                return each.predicted.*bytes == 0 &&
                       (!each.measured || each.measured->held.*bytes == 0);
            }))
            continue;
        section.rows.push_back({heading_text(name), {}});
        std::vector<std::string>& cells = section.rows.back().cells;
        for (size_t i = 0; i < ledgers.size(); ++i) {
            cells.push_back(format_bytes(ledgers[i].predicted.*bytes));
            if (with_measured[i])
                cells.push_back(ledgers[i].measured ? format_bytes(ledgers[i].measured->held.*bytes)
                                                    : "–");
        }
    }
    return section;
}

}  // namespace

MemoryTable build_memory_table(const std::vector<MemoryTableQuestion>& questions) {
    MemoryTable table;
    if (questions.empty() || questions[0].models.empty()) return table;
    const size_t count = questions[0].models.size();
    std::vector<bool> with_measured(count, false);
    for (const MemoryTableQuestion& question : questions)
        for (size_t i = 0; i < count; ++i)
            if (question.models[i].measured) with_measured[i] = true;
    for (size_t i = 0; i < count; ++i) {
        table.columns.push_back(questions[0].models[i].name);
        if (with_measured[i]) table.columns.emplace_back("measured");
    }
    for (const MemoryTableQuestion& question : questions) {
        const std::vector<Ledgers> ledgers = ledgers_of(question);
        table.sections.push_back(section(title_of(question, ledgers), ledgers, with_measured));
    }
    return table;
}

}  // namespace headroom
