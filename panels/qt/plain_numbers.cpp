#include "panels/qt/plain_numbers.h"

#include <QLocale>
#include <clocale>

namespace headroom {

void use_plain_numbers() {
    std::setlocale(LC_NUMERIC, "C");
    QLocale::setDefault(QLocale::c());
}

}  // namespace headroom
