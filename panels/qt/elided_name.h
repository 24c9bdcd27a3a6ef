#pragma once

#include <QString>
#include <QStringList>

class QFontMetrics;

namespace headroom {

/// A name such as "SkipV1Former · lr 1e-3, seed 1" in `room` pixels. What follows its last " · "
/// tells runs of one variant apart, so the variant's name gives way first ("Skip… lr 1e-3, seed
/// 1"), but for its beginning, then the key ("Skip… weig… 0.1, seed 1") and last the value; a name
/// without such a dot loses its middle.
QString elided_name(const QString& name, const QFontMetrics& metrics, int room);

/// The same in one line where it fits, else in two: broken before what tells runs apart, or else
/// where most of it fits. Only what is too long even for that is elided.
QStringList name_lines(const QString& name, const QFontMetrics& metrics, int room);

}  // namespace headroom
