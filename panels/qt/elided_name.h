#pragma once

#include <QString>

class QFontMetrics;

namespace headroom {

/// A name such as "SkipV1Former · lr 1e-3, seed 1" in `room` pixels. What follows its last " · "
/// tells runs of one variant apart, so the variant's name gives way first ("Skip… lr 1e-3, seed
/// 1"), then the beginning of the rest; a name without such a dot loses its middle.
QString elided_name(const QString& name, const QFontMetrics& metrics, int room);

}  // namespace headroom
