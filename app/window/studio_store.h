#pragma once

#include <QSettings>

namespace headroom {

/// What the studio remembers of a person, whatever study is open.
class StudioStore : public QSettings {
  public:
    StudioStore() : QSettings("headroom", "studio") {}
};

}  // namespace headroom
