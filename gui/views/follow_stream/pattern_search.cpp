// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/follow_stream/pattern_search.h"

#include <QCoreApplication>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sanscope {
namespace {

qsizetype letters_in(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())).size();
}

class PatternPages {
  public:
    PatternPages(const FollowedStream& stream, const PatternSearch& search)
        : stream_(stream), search_(search) {}

    size_t count() const { return starts().size(); }
    size_t pieces_of(size_t page) const {
        const size_t behind = page + 1 < count() ? starts()[page + 1] : stream_.outline.pieces.size();
        return behind - starts()[page];
    }

    std::vector<StreamText::Place> places_on(size_t page, const StopFlag& stop) {
        const StreamPage written =
            write_page(stream_, search_.direction, page, search_.format, std::nullopt, stop);
        if (!written.fault.isEmpty()) ++unreadable;
        std::vector<StreamText::Place> places;
        const QString& text = written.text.text;
        for (qsizetype begin = 0; begin < text.size() && !stop;) {
            qsizetype end = text.indexOf(QLatin1Char('\n'), begin);
            if (end < 0) end = text.size();
            add_places_in(QStringView(text).mid(begin, end - begin), begin, places);
            begin = end + 1;
        }
        return places;
    }

    size_t given_up = 0;
    size_t unreadable = 0;

  private:
    const std::vector<size_t>& starts() const { return stream_.pages_of(search_.direction); }

    void add_places_in(QStringView line, qsizetype begin, std::vector<StreamText::Place>& places) {
        const std::string utf8 = line.toUtf8().toStdString();
        size_t measured = 0;  // of its bytes, and how many letters these are
        qsizetype letters = 0;
        const auto letters_to = [&](size_t byte) {
            letters += letters_in(std::string_view(utf8).substr(measured, byte - measured));
            measured = byte;
            return begin + letters;
        };
        for (size_t from = 0; from < utf8.size();) {
            PatternMatcher::Place found;
            const auto answer = matcher_.find(*search_.pattern, utf8, from, found);
            if (answer == PatternMatcher::Answer::gave_up) ++given_up;
            if (answer != PatternMatcher::Answer::yes) return;
            // An expression that nothing matches, too, is found where something does.
            if (found.begin == found.end) {
                from = found.end + 1;
                while (from < utf8.size() && (static_cast<uint8_t>(utf8[from]) & 0xc0U) == 0x80U) ++from;
                continue;
            }
            const qsizetype first = letters_to(found.begin);
            places.push_back({first, letters_to(found.end)});
            from = found.end;
        }
    }

    const FollowedStream& stream_;
    const PatternSearch& search_;
    PatternMatcher matcher_;
};

}  // namespace

std::variant<PatternSearch, QString> PatternSearch::make(const QString& expression, StreamDirection direction,
                                                         StreamFormat format) {
    if (expression.isEmpty())
        return QCoreApplication::translate("FollowStream", "There is nothing to look for.");
    const std::string utf8 = expression.toStdString();
    Pattern::Fault fault;
    auto pattern = Pattern::compile(utf8, fault);
    if (!pattern) {
        return QCoreApplication::translate("FollowStream", "%1, at character %2")
            .arg(QString::fromStdString(fault.message))
            .arg(letters_in(std::string_view(utf8).substr(0, fault.position)) + 1);
    }
    return PatternSearch{std::make_shared<const Pattern>(std::move(*pattern)), direction, format};
}

PatternFound find_pattern(const FollowedStream& stream, const PatternSearch& search,
                          const std::optional<PatternPlace>& from, bool forward, std::atomic<size_t>& done,
                          const StopFlag& stop) {
    PatternPages pages(stream, search);
    PatternFound found;
    const size_t count = pages.count();
    if (count == 0) return found;
    const size_t first = from ? from->page : forward ? 0 : count - 1;
    // The first page is looked at once more where nothing was found elsewhere.
    for (size_t step = 0; step <= count && !found.place && !stop; ++step) {
        const bool again = step == count;
        if (again && !from) break;
        const size_t page = (first + (forward ? step : count + count - step)) % count;
        const auto places = pages.places_on(page, stop);
        done.fetch_add(pages.pieces_of(page), std::memory_order_relaxed);
        const bool beside = from && step == 0;
        const auto fits = [&](const StreamText::Place& place) {
            if (!beside) return true;
            return forward ? place.begin >= from->in_text.end : place.end <= from->in_text.begin;
        };
        if (forward) {
            const auto at = std::ranges::find_if(places, fits);
            if (at != places.end()) found.place = {page, *at};
        } else {
            const auto at = std::find_if(places.rbegin(), places.rend(), fits);
            if (at != places.rend()) found.place = {page, *at};
        }
        found.wrapped =
            found.place && from && (again || (step > 0 && (forward ? page < first : page > first)));
    }
    found.given_up = pages.given_up;
    found.unreadable = pages.unreadable;
    return found;
}

StreamCount count_pattern(const FollowedStream& stream, const PatternSearch& search, const StopFlag& stop) {
    PatternPages pages(stream, search);
    StreamCount count;
    for (size_t page = 0; page < pages.count() && !stop; ++page) {
        for (const StreamText::Place& place : pages.places_on(page, stop)) {
            if (!count.add({page, static_cast<uint64_t>(place.begin)})) return count;
        }
    }
    count.left_out = pages.given_up + pages.unreadable;
    return count;
}

}  // namespace sanscope
