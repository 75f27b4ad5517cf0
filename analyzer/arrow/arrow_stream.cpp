// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/arrow/arrow_stream.h"

#include <array>
#include <bit>
#include <flatbuffers/flatbuffers.h>

#include "sanscope/arrow/arrow_messages_generated.h"

namespace sanscope {
namespace {

static_assert(std::endian::native == std::endian::little, "buffers go out as they lie in memory");

// Of buffers within a body, and of messages: what the format demands.
constexpr size_t alignment = 8;

constexpr size_t padded(size_t size) {
    return (size + alignment - 1) / alignment * alignment;
}

std::string_view text_of(const std::array<uint32_t, 2>& words) {
    return {reinterpret_cast<const char*>(words.data()), sizeof words};
}

using Metadata = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<arrow::KeyValue>>>;

Metadata add_metadata(flatbuffers::FlatBufferBuilder& builder, const ArrowMetadata& metadata) {
    std::vector<flatbuffers::Offset<arrow::KeyValue>> pairs;
    for (const auto& [key, value] : metadata) {
        const auto key_text = builder.CreateString(key);
        pairs.push_back(arrow::CreateKeyValue(builder, key_text, builder.CreateString(value)));
    }
    return builder.CreateVector(pairs);
}

struct AddedType {
    arrow::Type kind;
    flatbuffers::Offset<void> table;
};

AddedType add_type(flatbuffers::FlatBufferBuilder& builder, ArrowType type) {
    switch (type) {
        case ArrowType::int64:
            return {arrow::Type::Int, arrow::CreateInt(builder, 64, true).Union()};
        case ArrowType::uint64:
            return {arrow::Type::Int, arrow::CreateInt(builder, 64, false).Union()};
        case ArrowType::boolean:
            return {arrow::Type::Bool, arrow::CreateBool(builder).Union()};
        case ArrowType::timestamp: {
            const auto zone = builder.CreateString("UTC");
            return {arrow::Type::Timestamp,
                    arrow::CreateTimestamp(builder, arrow::TimeUnit::NANOSECOND, zone).Union()};
        }
        case ArrowType::duration:
            return {arrow::Type::Duration,
                    arrow::CreateDuration(builder, arrow::TimeUnit::NANOSECOND).Union()};
        case ArrowType::utf8:
        case ArrowType::dictionary:
            break;
    }
    return {arrow::Type::Utf8, arrow::CreateUtf8(builder).Union()};
}

flatbuffers::Offset<arrow::Field> add_field(flatbuffers::FlatBufferBuilder& builder, const ArrowField& field,
                                            size_t id) {
    const auto name = builder.CreateString(field.name.data(), field.name.size());
    const AddedType type = add_type(builder, field.type);
    flatbuffers::Offset<arrow::DictionaryEncoding> dictionary = 0;
    if (field.type == ArrowType::dictionary) {
        dictionary = arrow::CreateDictionaryEncoding(builder, static_cast<int64_t>(id),
                                                     arrow::CreateInt(builder, 32, true), false);
    }
    // Some readers want the list of children to be there, though it is empty.
    const auto children = builder.CreateVector(std::vector<flatbuffers::Offset<arrow::Field>>());
    const Metadata metadata = add_metadata(builder, {{"description", std::string(field.description)}});
    return arrow::CreateField(builder, name, true, type.kind, type.table, dictionary, children, metadata);
}

struct Layout {
    std::vector<arrow::FieldNode> nodes;
    std::vector<arrow::Buffer> buffers;
    size_t size = 0;
};

Layout layout_of(std::span<const ArrowArray> body) {
    Layout layout;
    for (const ArrowArray& array : body) {
        layout.nodes.emplace_back(static_cast<int64_t>(array.length), static_cast<int64_t>(array.null_count));
        for (const std::span<const char> buffer : array.buffers) {
            layout.buffers.emplace_back(static_cast<int64_t>(layout.size),
                                        static_cast<int64_t>(buffer.size()));
            layout.size += padded(buffer.size());
        }
    }
    return layout;
}

flatbuffers::Offset<arrow::RecordBatch> add_batch(flatbuffers::FlatBufferBuilder& builder, size_t rows,
                                                  const Layout& layout) {
    const auto nodes = builder.CreateVectorOfStructs(layout.nodes);
    const auto buffers = builder.CreateVectorOfStructs(layout.buffers);
    return arrow::CreateRecordBatch(builder, static_cast<int64_t>(rows), nodes, buffers);
}

template <class Header>
std::span<const uint8_t> finish(flatbuffers::FlatBufferBuilder& builder, flatbuffers::Offset<Header> header,
                                size_t body_size) {
    builder.Finish(arrow::CreateMessage(builder, arrow::MetadataVersion::V5,
                                        arrow::MessageHeaderTraits<Header>::enum_value, header.Union(),
                                        static_cast<int64_t>(body_size)));
    return {builder.GetBufferPointer(), builder.GetSize()};
}

}  // namespace

bool ArrowStream::schema(std::span<const ArrowField> fields, const ArrowMetadata& metadata) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<arrow::Field>> added;
    for (size_t i = 0; i < fields.size(); i++) added.push_back(add_field(builder, fields[i], i));
    const auto list = builder.CreateVector(added);
    const Metadata pairs = add_metadata(builder, metadata);
    const auto schema = arrow::CreateSchema(builder, arrow::Endianness::Little, list, pairs);
    return message(finish(builder, schema, 0), {});
}

bool ArrowStream::dictionary(size_t id, const ArrowArray& words) {
    flatbuffers::FlatBufferBuilder builder;
    const Layout layout = layout_of({&words, 1});
    const auto batch = add_batch(builder, words.length, layout);
    const auto dictionary = arrow::CreateDictionaryBatch(builder, static_cast<int64_t>(id), batch);
    return message(finish(builder, dictionary, layout.size), {&words, 1});
}

bool ArrowStream::batch(size_t rows, std::span<const ArrowArray> columns) {
    flatbuffers::FlatBufferBuilder builder;
    const Layout layout = layout_of(columns);
    return message(finish(builder, add_batch(builder, rows, layout), layout.size), columns);
}

bool ArrowStream::end() {
    constexpr std::array<uint32_t, 2> end_of_stream = {0xffffffff, 0};
    out_.append(text_of(end_of_stream));
    return out_.finish();
}

bool ArrowStream::message(std::span<const uint8_t> metadata, std::span<const ArrowArray> body) {
    constexpr std::string_view zeros("\0\0\0\0\0\0\0", alignment - 1);
    const auto append_padded = [&](std::string_view bytes) {
        out_.append(bytes);
        out_.append(zeros.substr(0, padded(bytes.size()) - bytes.size()));
    };
    const std::array<uint32_t, 2> prefix = {0xffffffff, static_cast<uint32_t>(padded(metadata.size()))};
    out_.append(text_of(prefix));
    append_padded({reinterpret_cast<const char*>(metadata.data()), metadata.size()});
    for (const ArrowArray& array : body) {
        for (const std::span<const char> buffer : array.buffers)
            append_padded({buffer.data(), buffer.size()});
    }
    return out_.ok();
}

}  // namespace sanscope
