#pragma once

#include <string>

// What headroom-parquet.so offers. It shares nothing with the program but the standard library:
// what goes wrong comes back as a text, "" if nothing did.

extern "C" {

struct HeadroomParquetRows;

/// Null if it cannot be read.
HeadroomParquetRows* headroom_parquet_open(const char* path, std::string* error);
/// Some more rows as JSON Lines, behind what is in `lines`; nothing at the end of the file.
void headroom_parquet_next(HeadroomParquetRows* rows, std::string* lines, std::string* error);
void headroom_parquet_close(HeadroomParquetRows* rows);
}
