#include "panels/study/merged_study.h"

#include <algorithm>
#include <set>

#include "panels/figure/palette.h"

namespace headroom {
namespace {

/// "other", "other 2" where two folders are called the same.
std::string name_for(const StudySnapshot& study, std::set<std::string>& taken) {
    const std::string folder = study.folder.filename().string();
    std::string name = folder;
    for (int n = 2; !taken.insert(name).second; ++n) name = folder + " " + std::to_string(n);
    return name;
}

/// The last one of the palette, or where it has none the first one beyond it.
int free_color(std::set<int>& taken) {
    for (int color = kPaletteSize - 1; color >= 0; --color)
        if (taken.insert(color).second) return color;
    int color = kPaletteSize;
    while (!taken.insert(color).second) ++color;
    return color;
}

}  // namespace

bool is_own_run(const StudySnapshot& study, const Run& run) {
    return run.folder.parent_path().parent_path() == study.folder;
}

std::vector<RunPointer> own_runs(const StudySnapshot& study) {
    std::vector<RunPointer> own;
    for (const RunPointer& run : study.runs)
        if (is_own_run(study, *run)) own.push_back(run);
    return own;
}

RunPointer StudyMerger::renamed(const RunPointer& run, const std::string& study, int color) {
    const Key key{run, {study, color}};
    RunPointer& known = used_[key];
    if (const auto kept = kept_.find(key); kept != kept_.end()) return known = kept->second;
    auto copy = std::make_shared<Run>(*run);
    const std::string from = " · " + study;
    copy->id = study + "/" + run->id;
    copy->group = run->group + from;
    // The group is the beginning of the name: "skipv1 · other, seed 2".
    copy->name = run->name.starts_with(run->group)
                     ? copy->group + run->name.substr(run->group.size())
                     : run->name + from;
    copy->color = color;
    return known = std::move(copy);
}

void StudyMerger::color_groups(std::span<const StudyPointer> others, std::set<int> taken) {
    std::map<std::pair<std::string, std::string>, int> colors;
    const auto for_each_group = [&](const auto& choose) {
        for (const StudyPointer& other : others)
            for (const RunPointer& run : other->runs)
                if (const std::pair group{other->folder.string(), run->group};
                    !colors.contains(group))
                    choose(group);
    };
    for_each_group([&](const auto& group) {
        const auto before = colors_.find(group);
        if (before == colors_.end()) return;
        int color = before->second;
        while (!taken.insert(color).second) color += kPaletteSize;
        colors[group] = color;
    });
    for_each_group([&](const auto& group) { colors[group] = free_color(taken); });
    colors_ = std::move(colors);
}

StudyPointer StudyMerger::merge(const StudyPointer& own, std::span<const StudyPointer> others) {
    if (others.empty()) return own;
    if (own == own_ && std::equal(others.begin(), others.end(), others_.begin(), others_.end()))
        return latest_;
    auto merged = std::make_shared<StudySnapshot>(*own);
    std::set<std::string> names{own->folder.filename().string()};
    std::set<int> colors;
    for (const RunPointer& run : own->runs) colors.insert(run->color);
    used_.clear();
    color_groups(others, colors);
    for (const StudyPointer& other : others) {
        const std::string name = name_for(*other, names);
        for (const RunPointer& run : other->runs)
            merged->runs.push_back(renamed(run, name, colors_.at({other->folder, run->group})));
        merged->reading = merged->reading || other->reading;
    }
    kept_ = std::move(used_);
    own_ = own;
    others_.assign(others.begin(), others.end());
    return latest_ = std::move(merged);
}

}  // namespace headroom
