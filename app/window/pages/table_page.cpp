#include <QLineEdit>
#include <QSettings>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/run_commands.h"
#include "panels/qt/panel.h"
#include "panels/run_table/run_table_panel.h"

namespace headroom {
namespace {

class TablePage : public Panel {
  public:
    TablePage(const PageInfo& info, const StudioServices& services)
        : Panel(info), table_(new RunTablePanel) {
        fill_page(this, table_);
        connect(table_, &RunTablePanel::settings_changed, this, &Panel::settings_changed);
        connect(table_, &RunTablePanel::selection_asked, this,
                [this](const auto& ids) { emit selection_asked(ids); });
        connect(table_, &RunTablePanel::hidden_asked, this,
                [this](const auto& ids) { emit hidden_asked(ids); });
        connect(table_, &RunTablePanel::reference_asked, this,
                [this](const auto& id) { emit reference_asked(id); });
        connect(table_, &RunTablePanel::label_asked, services.commands, &RunCommands::label);
        connect(table_, &RunTablePanel::removal_asked, services.commands,
                [commands = services.commands](const auto& ids) {
                    commands->run(JobCommand::kRemove, ids);
                });
    }

    void set_theme(const Theme& theme) override { table_->set_theme(theme); }
    QWidget* options() override { return table_->options(); }
    QWidget* focus_target() override { return table_->filter(); }

    void set_study(const StudyLook& look) override { table_->set_study(look); }

    void save(QSettings& store) const override {
        const RunTableSettings& settings = table_->settings();
        QStringList columns;
        for (const std::string& column : settings.columns)
            columns << QString::fromStdString(column);
        store.setValue("columns", columns);
        store.setValue("only_differing", settings.only_differing);
        store.setValue("filter", QString::fromStdString(settings.filter));
        store.setValue("sort_by", QString::fromStdString(settings.sort_by));
        store.setValue("descending", settings.descending);
        store.setValue("group_by", QString::fromStdString(settings.group_by));
    }

    void restore(QSettings& store) override {
        RunTableSettings settings;
        for (const QString& column : store.value("columns").toStringList())
            settings.columns.push_back(column.toStdString());
        settings.only_differing = store.value("only_differing").toBool();
        settings.filter = store.value("filter").toString().toStdString();
        settings.sort_by = store.value("sort_by").toString().toStdString();
        settings.descending = store.value("descending").toBool();
        settings.group_by = store.value("group_by").toString().toStdString();
        table_->set_settings(settings);
    }

  private:
    RunTablePanel* table_;
};

}  // namespace

Page table_page() {
    return {{"table", Panel::tr("Table"),
             Panel::tr(
                 "All runs with any key, count or series as a column; a click on a heading sorts. "
                 "Several rows are edited together: keys T tags, N note, C colour, F2 name, E show "
                 "or "
                 "hide, R reference, Delete; the menu has them, too. The filter takes words, "
                 "/regular expressions/ and conditions such as "
                 "`arch:skipv1,gpt2 lr>1e-3 state:finished -tag:old`; the groups show mean ± "
                 "sample deviation and n, a repeated seed counting once. `headroom study runs` "
                 "prints the same table.")},
            make_panel<TablePage>};
}

}  // namespace headroom
