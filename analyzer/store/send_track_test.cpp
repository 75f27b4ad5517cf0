// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/send_track.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace sanscope {
namespace {

WindowRow row(int64_t time_ns, uint32_t snd_nxt, uint32_t outstanding,
              SendLimit limit = SendLimit::application, CaState state = CaState::open) {
    WindowRow row;
    row.time_ns = time_ns;
    row.snd_nxt = snd_nxt;
    row.snd_una = snd_nxt - outstanding;
    row.limit = limit;
    row.ca_state = state;
    return row;
}

// That all ways of asking give these steps, each unlike the one before.
void expect_steps(const SendTrack& track, const std::vector<WindowRow>& rows, const char* name) {
    ASSERT_EQ(track.size(), rows.size()) << name;
    for (size_t i = 0; i < rows.size(); ++i) {
        const SendStep expected(rows[i]);
        ASSERT_EQ(track[i], expected) << name << ", " << i;
        ASSERT_EQ(track.time_ns(i), rows[i].time_ns) << name << ", " << i;
        ASSERT_EQ(track.snd_nxt(i), Serial32(rows[i].snd_nxt)) << name << ", " << i;
        ASSERT_EQ(track.outstanding(i), expected.outstanding()) << name << ", " << i;
        ASSERT_EQ(track[i].limit(), rows[i].limit) << name << ", " << i;
        ASSERT_EQ(track[i].state(), rows[i].ca_state) << name << ", " << i;
    }
    size_t passed = 0;
    track.for_each([&](const SendStep& step) {
        ASSERT_EQ(step, SendStep(rows[passed])) << name << ", " << passed;
        ++passed;
    });
    EXPECT_EQ(passed, rows.size()) << name;
}

struct Steps {
    const char* name;
    // From the row before.
    WindowRow (*next)(std::mt19937_64&, const WindowRow& before);
};

template <class Value>
Value any_of(std::mt19937_64& random, size_t count) {
    return static_cast<Value>(random() % count);
}

const Steps shapes_of_steps[] = {
    {"a segment, an acknowledgement",
     [](std::mt19937_64& random, const WindowRow& before) {
         const uint32_t outstanding = before.snd_nxt - before.snd_una;
         const bool sends = outstanding == 0 || random() % 2 == 0;
         return row(before.time_ns + 1 + static_cast<int64_t>(random() % 20'000),
                    before.snd_nxt + (sends ? 1448 : 0), sends ? outstanding + 1448 : outstanding / 2);
     }},
    {"the same but for time and kind",
     [](std::mt19937_64& random, const WindowRow& before) {
         return row(before.time_ns + 1, before.snd_nxt, 5,
                    before.limit == SendLimit::receiver ? any_of<SendLimit>(random, 1) : SendLimit::receiver);
     }},
    {"all kinds",
     [](std::mt19937_64& random, const WindowRow& before) {
         return row(before.time_ns + 10, before.snd_nxt + 1, 7, any_of<SendLimit>(random, send_limits + 1),
                    any_of<CaState>(random, ca_states));
     }},
    {"five kinds",
     [](std::mt19937_64& random, const WindowRow& before) {
         return row(before.time_ns + 10, before.snd_nxt + 1, 7, SendLimit::pacing,
                    any_of<CaState>(random, 5));
     }},
    {"four kinds",
     [](std::mt19937_64& random, const WindowRow& before) {
         return row(before.time_ns + 10, before.snd_nxt + 1, 7, SendLimit::unknown,
                    any_of<CaState>(random, 4));
     }},
    {"far and wide",
     [](std::mt19937_64& random, const WindowRow& before) {
         return row(before.time_ns + static_cast<int64_t>(random() >> 10),
                    before.snd_nxt + 1 + static_cast<uint32_t>(random() >> 34),
                    static_cast<uint32_t>(random()) & SendStep::most_outstanding,
                    any_of<SendLimit>(random, send_limits + 1), any_of<CaState>(random, ca_states));
     }},
    {"64 bits a step",
     [](std::mt19937_64& random, const WindowRow& before) {
         return row(before.time_ns + (1 << 26),
                    before.snd_nxt + (1 << 14) + static_cast<uint32_t>(random() % 100),
                    static_cast<uint32_t>(random() % (1 << 11)));
     }},
};

TEST(SendTrack, GivesBackWhatWasAdded) {
    std::mt19937_64 random(1);
    for (const Steps& shape : shapes_of_steps) {
        for (const size_t size : {1u, 2u, 63u, 64u, 65u, 128u, 129u, 1000u}) {
            WordPool words;
            SendTrack track(1, Side::a, words);
            std::vector<WindowRow> rows{row(1'000, UINT32_MAX - 5'000, 0)};
            while (rows.size() < size) rows.push_back(shape.next(random, rows.back()));
            for (const WindowRow& next : rows) track.add(next);
            expect_steps(track, rows, shape.name);
        }
    }
}

TEST(SendTrack, HasTimesAsFarApartAsCanBe) {
    WordPool words;
    SendTrack track(1, Side::a, words);
    std::vector<WindowRow> rows{row(std::numeric_limits<int64_t>::min(), 0, 0)};
    for (uint32_t i = 1; i < 100; ++i)
        rows.push_back(row(i < 50 ? static_cast<int64_t>(i) : std::numeric_limits<int64_t>::max(),
                           i * ((uint32_t{1} << 31) - 1), i % 2 == 0 ? 0 : SendStep::most_outstanding));
    for (const WindowRow& next : rows) track.add(next);
    expect_steps(track, rows, "far apart");
}

TEST(SendTrack, TellsMoreOutstandingThanFitsAsTheMost) {
    WordPool words;
    SendTrack track(1, Side::a, words);
    for (uint32_t i = 0; i < 100; ++i) track.add(row(i, i, UINT32_MAX - i));
    for (size_t i = 0; i < 100; ++i) EXPECT_EQ(track.outstanding(i), SendStep::most_outstanding);
}

// Across the places where steps are packed, too.
TEST(SendTrack, GoesNeitherBackNorRepeatsItself) {
    for (size_t before = 1; before < 140; ++before) {
        WordPool words;
        SendTrack track(1, Side::a, words);
        std::vector<WindowRow> rows;
        for (size_t i = 0; i < before; ++i)
            rows.push_back(row(static_cast<int64_t>(1'000 * i), static_cast<uint32_t>(100 * i), 100));
        for (const WindowRow& next : rows) track.add(next);
        const WindowRow last = rows.back();
        track.add(row(last.time_ns + 5, last.snd_nxt, 100));  // nothing new
        ASSERT_EQ(track.size(), before);
        track.add(row(last.time_ns - 5, last.snd_nxt - 50, 70));
        rows.push_back(row(last.time_ns, last.snd_nxt, 70));
        expect_steps(track, rows, "set back");
    }
}

TEST(SendTrack, NotesSilences) {
    WordPool words;
    SendTrack track(1, Side::a, words);
    std::vector<size_t> expected;
    int64_t time_ns = 0;
    for (uint32_t i = 0; i < 300; ++i) {
        track.add(row(time_ns, i, 1));
        const bool silent = i % 64 >= 62 || i % 64 == 0;
        time_ns += silent ? SendTrack::long_silence_ns : SendTrack::long_silence_ns - 1;
        if (silent && i < 299) expected.push_back(i);
    }
    EXPECT_EQ(track.silences(), expected);
}

TEST(SendTrack, StopsWhereItIsToldTo) {
    WordPool words;
    SendTrack track(1, Side::a, words);
    for (uint32_t i = 0; i < 200; ++i) track.add(row(i, i, 1));
    for (const size_t stop : {0u, 63u, 64u, 191u, 192u, 199u}) {
        size_t visited = 0;
        EXPECT_FALSE(track.all_of([&](const SendStep&) { return visited++ != stop; }));
        EXPECT_EQ(visited, stop + 1);
    }
    EXPECT_TRUE(track.all_of([](const SendStep&) { return true; }));
}

}  // namespace
}  // namespace sanscope
