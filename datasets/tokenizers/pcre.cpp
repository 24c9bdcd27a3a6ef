#include "datasets/tokenizers/pcre.h"

namespace headroom {

std::string pcre_message(int error) {
    char text[256] = "";
    pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(text), sizeof text);
    return text;
}

}  // namespace headroom
