#pragma once

namespace headroom {

/// Decimals with a point and without marks between thousands, as files, commands and papers have
/// them, in what is read and shown, whatever the language of the desktop. QApplication takes that
/// language's, in which "3.25" is 325 or no number: call this directly behind it. What shall look
/// as people there write it, dates for one, takes QLocale::system().
void use_plain_numbers();

}  // namespace headroom
