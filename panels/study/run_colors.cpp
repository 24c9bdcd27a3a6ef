#include "panels/study/run_colors.h"

#include <map>
#include <set>

namespace headroom {

void assign_colors(std::vector<ColoredRun>& runs) {
    std::map<std::string, int> colors;
    std::set<int> taken;
    for (const ColoredRun& run : runs)
        if (run.stored && colors.try_emplace(run.group, *run.stored).second)
            taken.insert(*run.stored);
    for (ColoredRun& run : runs) {
        const auto [color, is_new] = colors.try_emplace(run.group, 0);
        if (is_new) {
            while (taken.contains(color->second)) ++color->second;
            taken.insert(color->second);
        }
        run.color = color->second;
    }
}

}  // namespace headroom
