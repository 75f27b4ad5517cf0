// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/packed_rows.h"

#include <gtest/gtest.h>
#include <random>

namespace sanscope {
namespace {

using Random = std::mt19937_64;

struct Shape {
    const char* name;
    uint64_t (*value)(Random&, uint64_t row);
};

constexpr uint64_t most = std::numeric_limits<uint64_t>::max();

const Shape shapes[] = {
    {"alike", [](Random&, uint64_t) { return uint64_t{77}; }},
    {"all absent", [](Random&, uint64_t) { return uint64_t{0}; }},
    {"greatest", [](Random&, uint64_t) { return most; }},
    {"rising", [](Random&, uint64_t row) { return 1'000'000 + row * 3; }},
    {"from one", [](Random&, uint64_t row) { return 1 + row % 200; }},
    {"rising, some absent",
     [](Random& random, uint64_t row) { return random() % 5 == 0 ? 0 : 1'000'000 + row; }},
    {"absent or greatest", [](Random& random, uint64_t) { return random() % 2 == 0 ? 0 : most; }},
    {"few", [](Random& random, uint64_t) { return (random() % 7) << 40; }},
    {"32 of them", [](Random& random, uint64_t) { return (random() % 32) << 40; }},
    {"33 of them", [](Random& random, uint64_t) { return (random() % 33) << 40; }},
    {"any", [](Random& random, uint64_t) { return random(); }},
    {"any of 57 bits", [](Random& random, uint64_t) { return random() >> 7; }},
    {"of any width", [](Random& random, uint64_t) { return random() >> random() % 64; }},
    {"one unlike the others", [](Random&, uint64_t row) { return row == 100 ? most : 5; }},
};

// Every width, and each of two columns beside every shape of the other.
TEST(BitPacking, GivesBackWhatWasPacked) {
    Random random(1);
    const auto check = [&](const std::array<PackedValues, 3>& columns, const std::string& name) {
        std::array<uint64_t, most_packed_words(3)> room;
        room.fill(random());
        BlockPacker packer(room, columns.size());
        for (size_t column = 0; column < columns.size(); ++column) {
            PackedRange range;
            for (const uint64_t value : columns[column]) range.take(value);
            const bool of_bits = column == 2 && columns[2][0] % 2 == 1;
            packer.add(column, columns[column], of_bits ? PackedRange::of_bits(most) : range, column != 1);
        }
        const std::span<const uint64_t> packed = packer.finish();
        ASSERT_LE(packed.size(), room.size());
        const std::vector<uint64_t> words(packed.begin(), packed.end());  // nothing behind it is read
        const PackedBlock block(words.data());
        for (size_t column = 0; column < columns.size(); ++column) {
            PackedValues all;
            block.values(column, columns.size(), 0, all);
            for (size_t row = 0; row < packed_run; ++row) {
                ASSERT_EQ(block.value(column, columns.size(), row), columns[column][row])
                    << name << ", " << row;
                ASSERT_EQ(all[row], columns[column][row]) << name << ", " << row;
            }
            std::array<uint64_t, 5> some;
            block.values(column, columns.size(), 60, some);
            for (size_t i = 0; i < some.size(); ++i) ASSERT_EQ(some[i], columns[column][60 + i]) << name;
        }
    };
    for (const Shape& one : shapes) {
        for (const Shape& other : shapes) {
            std::array<PackedValues, 3> columns;
            for (size_t row = 0; row < packed_run; ++row) {
                columns[0][row] = columns[1][row] = one.value(random, row);
                columns[2][row] = other.value(random, row);
            }
            check(columns, std::string(one.name) + " beside " + other.name);
        }
    }
    for (unsigned width = 1; width <= 64; ++width) {
        std::array<PackedValues, 3> columns;
        for (PackedValues& column : columns) {
            for (uint64_t& value : column) value = random() >> (64 - width);
            column[width % packed_run] = most >> (64 - width);
            column[127] = 1;
        }
        check(columns, std::to_string(width) + " bits");
    }
}

WindowRow any_window(Random& random, uint64_t number) {
    const auto sometimes = [&](uint32_t value) { return random() % 9 == 0 ? unknown<uint32_t> : value; };
    const auto some = [&] { return static_cast<uint32_t>(random() % 5 * 1448 + 14480); };
    WindowRow row;
    row.packet = number * 2 + random() % 2;
    row.time_ns = random() % 50 == 0 ? no_time : static_cast<int64_t>(random()) >> random() % 60;
    row.srtt_ns = random() % 3 == 0 ? no_time : static_cast<int64_t>(random() % 1'000'000);
    row.connection = static_cast<uint32_t>(1 + random() % 4);
    row.snd_una = static_cast<uint32_t>(random());
    row.snd_nxt = row.snd_una + (random() % 20 == 0 ? static_cast<uint32_t>(random()) : some());
    row.in_flight = some();
    row.cwnd = sometimes(some());
    row.cwnd_low = sometimes(0);
    row.cwnd_high = sometimes(static_cast<uint32_t>(random()));
    row.ssthresh = unknown<uint32_t>;
    row.advertised_window = sometimes(some() << 7);
    row.ca_state = static_cast<CaState>(random() % ca_states);
    row.limit = static_cast<SendLimit>(random() % (send_limits + 1));
    row.sender = random() % 2 == 0 ? Side::a : Side::b;
    row.ca_state_known = random() % 2 == 0;
    return row;
}

// All members, so that none is packed as another one.
auto members(const WindowRow& row) {
    return std::tuple(row.packet, row.time_ns, row.srtt_ns, row.connection.value(), row.snd_una, row.snd_nxt,
                      row.in_flight, row.cwnd, row.cwnd_low, row.cwnd_high, row.ssthresh,
                      row.advertised_window, row.ca_state, row.limit, row.sender, row.ca_state_known);
}

TEST(PackedRows, GiveBackEveryMember) {
    for (const size_t count : {0UL, 1UL, 127UL, 128UL, 129UL, 256UL, 1000UL}) {
        Random random(count);
        std::vector<WindowRow> wanted;
        PackedRows<WindowRow> rows;
        EXPECT_TRUE(rows.empty());
        for (size_t i = 0; i < count; ++i) {
            wanted.push_back(any_window(random, i));
            WindowRow& row = rows.append({});
            row = wanted.back();  // settled until the next one comes
        }
        ASSERT_EQ(rows.size(), count);
        for (size_t i = 0; i < count; ++i) {
            ASSERT_EQ(members(rows[i]), members(wanted[i])) << i;
            ASSERT_EQ(rows.get<&WindowRow::cwnd_high>(i), wanted[i].cwnd_high);
            ASSERT_EQ(rows.get<&WindowRow::time_ns>(i), wanted[i].time_ns);
            ASSERT_EQ(rows.get<&WindowRow::connection>(i), wanted[i].connection);
        }
        size_t next = 0;
        for (const WindowRow& row : rows) ASSERT_EQ(members(row), members(wanted[next++]));
        EXPECT_EQ(next, count);
        for (size_t first = 0; first <= count; first += 50) {
            next = first;
            const size_t some = std::min<size_t>(count - first, 300);
            rows.for_each_run(first, some, [&](std::span<const WindowRow> run, size_t begin) {
                ASSERT_EQ(begin, next);
                for (const WindowRow& row : run) ASSERT_EQ(members(row), members(wanted[next++]));
            });
            EXPECT_EQ(next, first + some);
            next = first;
            rows.for_each_value<&WindowRow::time_ns>(first, some, [&](size_t i, int64_t time_ns) {
                ASSERT_EQ(first + i, next);
                ASSERT_EQ(time_ns, wanted[next++].time_ns);
            });
            EXPECT_EQ(next, first + some);
            next = first;
            rows.for_each_run<&WindowRow::cwnd, &WindowRow::limit>(
                first, some, [&](std::span<const WindowRow> run, size_t) {
                    for (const WindowRow& row : run) {
                        ASSERT_EQ(row.cwnd, wanted[next].cwnd);
                        ASSERT_EQ(row.limit, wanted[next++].limit);
                    }
                });
            EXPECT_EQ(next, first + some);
        }
    }
}

TEST(PackedRows, ChangeWhatIsPackedAndWhatWaits) {
    Random random(2);
    PackedRows<WindowRow> rows;
    std::vector<WindowRow> wanted;
    for (size_t i = 0; i < 500; ++i) {
        wanted.push_back(any_window(random, i));
        rows.append(wanted.back());
    }
    rows.change_each([](WindowRow& row) {
        if (row.connection != 2) return false;
        row.srtt_ns = no_time;
        row.cwnd = unknown<uint32_t>;
        return true;
    });
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].connection == 2) {
            wanted[i].srtt_ns = no_time;
            wanted[i].cwnd = unknown<uint32_t>;
        }
        ASSERT_EQ(members(rows[i]), members(wanted[i])) << i;
    }
    rows.append(wanted.front());
    EXPECT_EQ(members(rows[500]), members(wanted.front()));
}

TEST(PackedRows, TakeLessRoom) {
    PackedRows<SegmentRow> rows;
    constexpr size_t count = 1'000'000;
    for (uint32_t i = 0; i < count; ++i)
        rows.append({1 + i / 1000 % 8, i * 1448, 7, i % 8 == 0 ? 48U : 1448U, 501, 0x10, Side::b});
    EXPECT_LT(rows.memory_bytes(), count * sizeof(SegmentRow) / 2);
    EXPECT_GT(rows.memory_bytes(), count);
    EXPECT_EQ(rows[999'999].seq, 999'999U * 1448);
}

}  // namespace
}  // namespace sanscope
