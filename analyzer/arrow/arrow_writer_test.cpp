// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/arrow/arrow_writer.h"

#include <cstring>
#include <flatbuffers/flatbuffers.h>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sanscope/arrow/arrow_messages_generated.h"

#include "analyzer/export/testing/grid_table.h"

namespace sanscope {
namespace {

// A stream taken apart as the format's documents say, independently of what wrote it.
class Reader {
  public:
    explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

    // The next message; nullptr at the end of the stream.
    const arrow::Message* next() {
        EXPECT_EQ(at_ % 8, 0u);
        EXPECT_EQ(word(), 0xffffffffu);
        const uint32_t size = word();
        EXPECT_EQ(size % 8, 0u);
        if (size == 0) {
            EXPECT_EQ(at_, bytes_.size());
            return nullptr;
        }
        metadata_ = bytes_.substr(at_, size);
        at_ += size;
        flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(metadata_.data()), metadata_.size());
        EXPECT_TRUE(arrow::VerifyMessageBuffer(verifier));
        const arrow::Message* const message = arrow::GetMessage(metadata_.data());
        EXPECT_EQ(message->version(), arrow::MetadataVersion::V5);
        body_ = bytes_.substr(at_, static_cast<size_t>(message->body_length()));
        at_ += body_.size();
        return message;
    }
    // Of the message that came last.
    std::string buffer(const arrow::RecordBatch& batch, unsigned index) const {
        const arrow::Buffer& place = *batch.buffers()->Get(index);
        EXPECT_EQ(place.offset() % 8, 0);
        return body_.substr(static_cast<size_t>(place.offset()), static_cast<size_t>(place.length()));
    }
    template <class T>
    std::vector<T> values(const arrow::RecordBatch& batch, unsigned index) const {
        const std::string bytes = buffer(batch, index);
        std::vector<T> values(bytes.size() / sizeof(T));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }

  private:
    uint32_t word() {
        uint32_t value = 0;
        EXPECT_LE(at_ + sizeof value, bytes_.size());
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

    std::string bytes_;
    size_t at_ = 0;
    std::string metadata_;
    std::string body_;
};

std::string stream_of(const Table& table, const ArrowOrigin& origin = {"a.pcap", {}}) {
    StringSink sink;
    EXPECT_TRUE(write_arrow(table, origin, sink));
    return sink.text;
}

std::vector<std::string> words_of(const Reader& reader, const arrow::RecordBatch& batch) {
    const auto offsets = reader.values<int32_t>(batch, 1);
    const std::string text = reader.buffer(batch, 2);
    std::vector<std::string> words;
    for (size_t i = 0; i + 1 < offsets.size(); i++) {
        words.push_back(
            text.substr(static_cast<size_t>(offsets[i]), static_cast<size_t>(offsets[i + 1] - offsets[i])));
    }
    return words;
}

TEST(WriteArrow, a_table_without_rows_is_its_schema) {
    Reader reader(
        stream_of(GridTable({{"request_ns", ColumnType::integer, "Of it, nanoseconds since the epoch"},
                             {"turnaround_ns", ColumnType::integer, "From it, nanoseconds"},
                             {"lba", ColumnType::unsigned_integer, "Address"},
                             {"residual", ColumnType::integer, "Bytes not transferred"},
                             {"final", ColumnType::boolean, "Whether"},
                             {"name", ColumnType::text, "Name"},
                             {"itt", ColumnType::text, "Task tag, 0x and 8 hexadecimal digits"}},
                            {}),
                  {"a.pcap", {{"sanscope.version", "1"}}}));
    const arrow::Message* const message = reader.next();
    ASSERT_NE(message, nullptr);
    const arrow::Schema* const schema = message->header_as_Schema();
    ASSERT_NE(schema, nullptr);
    ASSERT_EQ(schema->custom_metadata()->size(), 1u);
    EXPECT_EQ(schema->custom_metadata()->Get(0)->key()->str(), "sanscope.version");
    const auto field = [&](unsigned i) { return schema->fields()->Get(i); };
    ASSERT_EQ(schema->fields()->size(), 8u);
    for (const arrow::Field* each : *schema->fields()) EXPECT_TRUE(each->nullable()) << each->name()->str();
    EXPECT_EQ(field(0)->type_as_Timestamp()->unit(), arrow::TimeUnit::NANOSECOND);
    EXPECT_EQ(field(0)->type_as_Timestamp()->timezone()->str(), "UTC");
    EXPECT_EQ(field(1)->type_as_Duration()->unit(), arrow::TimeUnit::NANOSECOND);
    EXPECT_EQ(field(2)->type_as_Int()->bit_width(), 64);
    EXPECT_FALSE(field(2)->type_as_Int()->is_signed());
    EXPECT_TRUE(field(3)->type_as_Int()->is_signed());
    EXPECT_NE(field(4)->type_as_Bool(), nullptr);
    EXPECT_NE(field(5)->type_as_Utf8(), nullptr);
    ASSERT_NE(field(5)->dictionary(), nullptr);
    EXPECT_EQ(field(5)->dictionary()->id(), 5);
    EXPECT_EQ(field(6)->dictionary(), nullptr);
    EXPECT_EQ(field(7)->name()->str(), "capture");
    EXPECT_EQ(field(7)->dictionary()->id(), 7);
    EXPECT_EQ(reader.next(), nullptr);
}

TEST(WriteArrow, cells_of_every_kind_and_none) {
    Reader reader(
        stream_of(GridTable({{"i", ColumnType::integer, ""},
                             {"u", ColumnType::unsigned_integer, ""},
                             {"b", ColumnType::boolean, ""}},
                            {{number_cell(std::numeric_limits<int64_t>::min()),
                              number_cell(std::numeric_limits<uint64_t>::max()), number_cell(true)},
                             {nothing(), nothing(), nothing()},
                             {number_cell(int64_t{-1}), number_cell(uint64_t{0}), number_cell(false)}})));
    reader.next();
    ASSERT_NE(reader.next()->header_as_DictionaryBatch(), nullptr);
    const arrow::RecordBatch* const batch = reader.next()->header_as_RecordBatch();
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(batch->length(), 3);
    ASSERT_EQ(batch->nodes()->size(), 4u);
    ASSERT_EQ(batch->buffers()->size(), 8u);
    for (const unsigned column : {0u, 1u, 2u}) {
        EXPECT_EQ(batch->nodes()->Get(column)->null_count(), 1);
        EXPECT_EQ(reader.buffer(*batch, 2 * column), std::string("\x05"));
    }
    EXPECT_EQ(reader.values<int64_t>(*batch, 1),
              (std::vector<int64_t>{std::numeric_limits<int64_t>::min(), 0, -1}));
    EXPECT_EQ(reader.values<uint64_t>(*batch, 3),
              (std::vector<uint64_t>{std::numeric_limits<uint64_t>::max(), 0, 0}));
    EXPECT_EQ(reader.buffer(*batch, 5), std::string("\x01"));
    EXPECT_EQ(batch->nodes()->Get(3)->null_count(), 0);
    EXPECT_EQ(reader.buffer(*batch, 6), "") << "no validity where nothing is null";
    EXPECT_EQ(reader.next(), nullptr);
}

TEST(WriteArrow, text_is_a_dictionary_and_task_tags_are_not) {
    Reader reader(stream_of(
        GridTable({{"name", ColumnType::text, ""}, {"itt", ColumnType::text, "0x and 8 hexadecimal digits"}},
                  {{text_cell("READ(10)"), text_cell("0x00000001")},
                   {nothing(), nothing()},
                   {text_cell("a\xffz"), text_cell("0x00000002")},
                   {text_cell("READ(10)"), text_cell("0x00000003")}})));
    reader.next();
    const arrow::DictionaryBatch* dictionary = reader.next()->header_as_DictionaryBatch();
    ASSERT_NE(dictionary, nullptr);
    EXPECT_EQ(dictionary->id(), 0);
    EXPECT_FALSE(dictionary->is_delta());
    EXPECT_EQ(words_of(reader, *dictionary->data()), (std::vector<std::string>{"READ(10)", "a\ufffdz"}));
    dictionary = reader.next()->header_as_DictionaryBatch();
    EXPECT_EQ(dictionary->id(), 2);
    EXPECT_EQ(words_of(reader, *dictionary->data()), std::vector<std::string>{"a.pcap"});
    const arrow::RecordBatch* const batch = reader.next()->header_as_RecordBatch();
    EXPECT_EQ(reader.values<int32_t>(*batch, 1), (std::vector<int32_t>{0, 0, 1, 0}));
    EXPECT_EQ(reader.buffer(*batch, 0), std::string("\x0d"));
    EXPECT_EQ(reader.values<int32_t>(*batch, 3), (std::vector<int32_t>{0, 10, 10, 20, 30}));
    EXPECT_EQ(reader.buffer(*batch, 4), "0x000000010x000000020x00000003");
}

TEST(WriteArrow, a_dictionary_is_sent_again_only_with_new_words) {
    std::vector<GridTable::Row> rows;
    for (size_t i = 0; i < 3 * arrow_batch_rows + 1; i++) {
        rows.push_back({text_cell(i < 2 * arrow_batch_rows ? "READ(10)" : "WRITE(10)")});
    }
    Reader reader(stream_of(GridTable({{"name", ColumnType::text, ""}}, rows)));
    reader.next();
    std::string order;
    std::vector<std::string> last_words;
    std::vector<int64_t> lengths;
    while (const arrow::Message* message = reader.next()) {
        if (const auto* dictionary = message->header_as_DictionaryBatch()) {
            order += dictionary->id() == 0 ? 'd' : 'c';
            if (dictionary->id() == 0) last_words = words_of(reader, *dictionary->data());
        } else {
            order += 'b';
            const arrow::RecordBatch* const batch = message->header_as_RecordBatch();
            lengths.push_back(batch->length());
            for (const int32_t index : reader.values<int32_t>(*batch, 1))
                ASSERT_LT(static_cast<size_t>(index), last_words.size());
        }
    }
    EXPECT_EQ(order, "dcbbdbb");
    EXPECT_EQ(last_words, (std::vector<std::string>{"READ(10)", "WRITE(10)"}));
    const auto full = static_cast<int64_t>(arrow_batch_rows);
    EXPECT_EQ(lengths, (std::vector<int64_t>{full, full, full, 1}));
}

TEST(WriteArrow, a_sink_that_refuses_ends_the_writing) {
    const std::vector<GridTable::Row> rows(20 * arrow_batch_rows, {number_cell(uint64_t{1})});
    const GridTable table({{"u", ColumnType::unsigned_integer, ""}}, rows);
    StringSink some(100'000);
    EXPECT_FALSE(write_arrow(table, {"a", {}}, some));
    EXPECT_LE(some.calls, 8u);
    StringSink none(0);
    EXPECT_FALSE(write_arrow(GridTable({{"u", ColumnType::unsigned_integer, ""}}, {}), {"a", {}}, none));
}

}  // namespace
}  // namespace sanscope
