// headroom-parquet.so: the one file that knows Apache Arrow, loaded where a Parquet file is read.
#include <exception>
#include <memory>
#include <string>

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <nlohmann/json.hpp>
#include <parquet/arrow/reader.h>
#include <parquet/properties.h>

#include "datasets/text/parquet_rows.h"

namespace {

using nlohmann::ordered_json;

constexpr int64_t kRowsAtATime = 256;

void check(const arrow::Status& status) {
    if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <class T>
T taken(arrow::Result<T> result) {
    check(result.status());
    return std::move(result).ValueUnsafe();
}

ordered_json value_of(const arrow::Array& array, int64_t row);

template <class List>
ordered_json elements_of(const arrow::Array& array, int64_t row) {
    const auto& list = static_cast<const List&>(array);
    ordered_json elements = ordered_json::array();
    for (int64_t i = 0; i < list.value_length(row); ++i)
        elements.push_back(value_of(*list.values(), list.value_offset(row) + i));
    return elements;
}

ordered_json members_of(const arrow::StructArray& array, int64_t row) {
    ordered_json object = ordered_json::object();
    for (int f = 0; f < array.num_fields(); ++f)
        object[array.struct_type()->field(f)->name()] = value_of(*array.field(f), row);
    return object;
}

template <class Array>
ordered_json plain(const arrow::Array& array, int64_t row) {
    return static_cast<const Array&>(array).Value(row);
}

template <class Array>
ordered_json text(const arrow::Array& array, int64_t row) {
    return std::string(static_cast<const Array&>(array).GetView(row));
}

ordered_json value_of(const arrow::Array& array, int64_t row) {
    using arrow::Type;
    if (array.IsNull(row)) return nullptr;
    switch (array.type_id()) {
        case Type::NA:
            return nullptr;
        case Type::BOOL:
            return plain<arrow::BooleanArray>(array, row);
        case Type::INT8:
            return plain<arrow::Int8Array>(array, row);
        case Type::INT16:
            return plain<arrow::Int16Array>(array, row);
        case Type::INT32:
            return plain<arrow::Int32Array>(array, row);
        case Type::INT64:
            return plain<arrow::Int64Array>(array, row);
        case Type::UINT8:
            return plain<arrow::UInt8Array>(array, row);
        case Type::UINT16:
            return plain<arrow::UInt16Array>(array, row);
        case Type::UINT32:
            return plain<arrow::UInt32Array>(array, row);
        case Type::UINT64:
            return plain<arrow::UInt64Array>(array, row);
        case Type::FLOAT:
            return plain<arrow::FloatArray>(array, row);
        case Type::DOUBLE:
            return plain<arrow::DoubleArray>(array, row);
        case Type::STRING:
            return text<arrow::StringArray>(array, row);
        case Type::LARGE_STRING:
            return text<arrow::LargeStringArray>(array, row);
        case Type::BINARY:
            return text<arrow::BinaryArray>(array, row);
        case Type::LARGE_BINARY:
            return text<arrow::LargeBinaryArray>(array, row);
        case Type::LIST:
            return elements_of<arrow::ListArray>(array, row);
        case Type::LARGE_LIST:
            return elements_of<arrow::LargeListArray>(array, row);
        case Type::FIXED_SIZE_LIST:
            return elements_of<arrow::FixedSizeListArray>(array, row);
        case Type::STRUCT:
            return members_of(static_cast<const arrow::StructArray&>(array), row);
        case Type::DICTIONARY: {
            const auto& words = static_cast<const arrow::DictionaryArray&>(array);
            return value_of(*words.dictionary(), words.GetValueIndex(row));
        }
        default:  // dates, decimals and the like, as Arrow writes them
            return taken(array.GetScalar(row))->ToString();
    }
}

/// Arrow changed what this returns.
template <class FileReader>
std::unique_ptr<arrow::RecordBatchReader> batches_of(FileReader& file) {
    if constexpr (requires { file.GetRecordBatchReader().status(); }) {
        return taken(file.GetRecordBatchReader());
    } else {
        std::unique_ptr<arrow::RecordBatchReader> batches;
        check(file.GetRecordBatchReader(&batches));
        return batches;
    }
}

template <class Work>
void told(std::string* error, const Work& work) {
    try {
        work();
    } catch (const std::exception& caught) {
        *error = caught.what();
        if (error->empty()) *error = "an error without a text";
    }
}

}  // namespace

struct HeadroomParquetRows {
    std::unique_ptr<parquet::arrow::FileReader> file;
    std::unique_ptr<arrow::RecordBatchReader> batches;
};

extern "C" {

HeadroomParquetRows* headroom_parquet_open(const char* path, std::string* error) {
    auto rows = std::make_unique<HeadroomParquetRows>();
    told(error, [&] {
        parquet::arrow::FileReaderBuilder builder;
        check(builder.Open(taken(arrow::io::ReadableFile::Open(path))));
        parquet::ArrowReaderProperties properties;
        properties.set_batch_size(kRowsAtATime);
        builder.properties(properties);
        check(builder.Build(&rows->file));
        rows->batches = batches_of(*rows->file);
    });
    return error->empty() ? rows.release() : nullptr;
}

void headroom_parquet_next(HeadroomParquetRows* rows, std::string* lines, std::string* error) {
    told(error, [&] {
        std::shared_ptr<arrow::RecordBatch> batch;
        check(rows->batches->ReadNext(&batch));
        if (batch == nullptr) return;
        for (int64_t row = 0; row < batch->num_rows(); ++row) {
            ordered_json object = ordered_json::object();
            for (int c = 0; c < batch->num_columns(); ++c)
                object[batch->column_name(c)] = value_of(*batch->column(c), row);
            *lines += object.dump() + "\n";
        }
    });
}

void headroom_parquet_close(HeadroomParquetRows* rows) {
    delete rows;
}
}
