#include "panels/memory/memory_table.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "core/account/memory_ledger.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

struct Ledgers {
    MemoryLedger predicted;
    std::shared_ptr<const MeasuredMemory> measured;
};

std::vector<Ledgers> ledgers_of(const MemoryTableQuestion& question) {
    std::vector<Ledgers> ledgers;
    std::vector<std::string> unused;
    for (const MemoryModel& model : question.models)
        ledgers.push_back(
            {memory_report(memory_question(model, question.settings, unused)).predicted,
             model.measured});
    return ledgers;
}

std::string heading_text(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

std::string title_of(const MemoryFigureSettings& settings) {
    std::string title = conditions_text(settings);
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return title;
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
    for (const MemoryTableQuestion& question : questions)
        table.sections.push_back(
            section(title_of(question.settings), ledgers_of(question), with_measured));
    return table;
}

}  // namespace headroom
