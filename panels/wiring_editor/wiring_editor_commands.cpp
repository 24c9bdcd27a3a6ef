#include "panels/wiring_editor/wiring_editor_commands.h"

namespace headroom {

bool perform(WiringEditor& editor, const WiringEditorCommands& commands) {
    if (commands.tables) editor.set_tables(*commands.tables);
    if (commands.weight) editor.set_weight(*commands.weight);
    if (commands.stop_asking) editor.stop_asking();
    if (commands.mark) editor.mark(commands.mark->box, commands.mark->mode);
    if (commands.mark_all) editor.mark_all();
    if (commands.clear_marks) editor.clear_marks();
    if (commands.cursor) editor.move_cursor(*commands.cursor);
    if (commands.stretch) editor.stretch_to(*commands.stretch);
    if (commands.ask_source) editor.ask_source(commands.adds_source);
    return commands.edit && editor.apply(*commands.edit);
}

}  // namespace headroom
