// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/selected_range/range_rows.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>
#include <optional>

#include "gui/plot/budget_colors.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"

namespace sanscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("SelectedRangeView", text);
}

QString count_text(double count) {
    return QLocale().toString(static_cast<qulonglong>(count));
}
QString bytes_text(double bytes) {
    return short_bytes(bytes);
}
QString rate_text(double bytes_per_s) {
    return short_rate(bytes_per_s);
}
QString duration_text(double ns) {
    return short_duration(static_cast<int64_t>(ns));
}
QString depth_text(double depth) {
    return QString::number(depth, 'f', depth < 10 ? 2 : 1);
}

// Of few a second, whole numbers would be other numbers.
QString frequency_text(double per_second) {
    constexpr double whole_from = 100;
    return per_second == 0 || per_second >= whole_from ? count_text(std::round(per_second))
                                                       : QString::number(per_second, 'g', 3);
}

QString change_text(double shown, double kept) {
    if (kept <= 0 || shown == kept) return {};
    const double factor = shown / kept;
    constexpr double as_factor = 3;
    if (factor >= as_factor) return tr("× %1").arg(factor, 0, 'f', factor < 10 ? 1 : 0);
    return QStringLiteral("%1%2 %")
        .arg(factor > 1 ? QStringLiteral("+") : QStringLiteral("−"))
        .arg(std::abs(factor - 1) * 100, 0, 'f', std::abs(factor - 1) < 0.1 ? 1 : 0);
}

class Rows {
  public:
    Rows(const RangeFigures& shown, const RangeFigures* kept) : shown_(shown), kept_(kept) {}

    std::vector<RangeRow> make() {
        add(tr("duration"), duration_text, [](const auto& of) { return seconds(of) * 1e9; });
        traffic();
        commands();
        losses();
        parts();
        return std::move(rows_);
    }

  private:
    // What a figure is of a range; nothing where it has none.
    using Figure = std::optional<double>;

    static double seconds(const RangeFigures& of) {
        return static_cast<double>(of.question.range.span_ns()) / 1e9;
    }

    void head(const QString& name) {
        RangeRow row;
        row.name = name;
        row.heading = true;
        rows_.push_back(row);
    }

    template <class Value>
    void add(const QString& name, QString (*text)(double), Value value, const QString& tip = {}) {
        RangeRow row;
        row.name = name;
        row.tip = tip;
        const Figure shown = value(shown_);
        row.shown = shown ? text(*shown) : QStringLiteral("–");
        if (kept_ != nullptr) {
            const Figure kept = value(*kept_);
            row.kept = kept ? text(*kept) : QStringLiteral("–");
            if (shown && kept) row.change = change_text(*shown, *kept);
        }
        rows_.push_back(row);
    }

    void traffic() {
        head(tr("TCP"));
        const auto direction = [&](const QString& name, RangeFigures::Direction RangeFigures::*of_direction) {
            add(tr("payload %1").arg(name), bytes_text,
                [=](const auto& of) { return static_cast<double>((of.*of_direction).payload); });
            add(tr("… a second"), rate_text, [=](const auto& of) {
                return static_cast<double>((of.*of_direction).payload) / seconds(of);
            });
            add(tr("segments %1").arg(name), count_text,
                [=](const auto& of) { return static_cast<double>((of.*of_direction).segments); });
        };
        direction(tr("to the target"), &RangeFigures::to_target);
        direction(tr("to the initiator"), &RangeFigures::to_initiator);
    }

    void commands() {
        head(tr("SCSI commands that were answered"));
        add(tr("commands"), count_text, [](const auto& of) { return static_cast<double>(of.commands()); });
        add(tr("… a second"), frequency_text,
            [](const auto& of) { return static_cast<double>(of.commands()) / seconds(of); });
        of_class(tr("reads"), tr("bytes read a second"), &RangeFigures::reads);
        of_class(tr("writes"), tr("bytes written a second"), &RangeFigures::writes);
        of_class(tr("other commands"), QString(), &RangeFigures::others);
        add(tr("with another status than GOOD"), count_text,
            [](const auto& of) { return static_cast<double>(of.not_good); });
        add(
            tr("under way, on average"), depth_text, [](const auto& of) { return of.under_way; },
            tr("Of the commands that were answered at some time"));
        head(tr("SCSI commands that were requested"));
        add(tr("requested"), count_text, [](const auto& of) { return static_cast<double>(of.requested); });
        add(
            tr("… without an answer in the capture"), count_text,
            [](const auto& of) { return static_cast<double>(of.not_answered); },
            tr("Whether one came after the capture's end, or was not captured, is not known"));
    }

    void of_class(const QString& name, const QString& rate, RangeFigures::Commands RangeFigures::*of_class) {
        const bool any = (shown_.*of_class).count > 0 || (kept_ != nullptr && (kept_->*of_class).count > 0);
        if (!any) return;
        add(name, count_text, [=](const auto& of) { return static_cast<double>((of.*of_class).count); });
        if (!rate.isEmpty()) {
            add(
                tr("… %1").arg(rate), rate_text,
                [=](const auto& of) { return static_cast<double>((of.*of_class).bytes) / seconds(of); },
                tr("As asked for (Expected Data Transfer Length); a residual is not taken off"));
        }
        constexpr double fractions[] = {0.5, 0.9, 0.99};
        const QString names[] = {tr("… half took at most"), tr("… 90 % took at most"),
                                 tr("… 99 % took at most")};
        for (size_t i = 0; i < 3; ++i) {
            add(names[i], duration_text, [=, fraction = fractions[i]](const auto& of) {
                const LogHistogram& took = (of.*of_class).turnaround;
                return took.count() == 0 ? Figure()
                                         : Figure(static_cast<double>(took.percentile_ns(fraction)));
            });
        }
        add(tr("… the slowest took"), duration_text, [=](const auto& of) {
            const LogHistogram& took = (of.*of_class).turnaround;
            return took.count() == 0 ? Figure() : Figure(static_cast<double>(took.max_ns()));
        });
    }

    void losses() {
        head(tr("Losses and other segments out of the ordinary"));
        add(tr("sent again, of any kind"), count_text,
            [](const auto& of) { return static_cast<double>(of.sent_again()); });
        for (size_t kind = 0; kind < loss_kinds; ++kind) {
            if (shown_.losses[kind] == 0 && (kept_ == nullptr || kept_->losses[kind] == 0)) continue;
            add(loss_text(static_cast<LossKind>(kind)), count_text,
                [=](const auto& of) { return static_cast<double>(of.losses[kind]); });
        }
    }

    void parts() {
        head(tr("Where the time of the mean command went"));
        const auto mean = [](const RangeFigures& of, size_t part) {
            return !of.parts_known || of.with_parts == 0
                       ? Figure()
                       : Figure(static_cast<double>(of.parts[part]) / static_cast<double>(of.with_parts));
        };
        bool any = false;
        for (size_t part = 0; part < budget_parts; ++part) {
            if (shown_.parts[part] == 0 && (kept_ == nullptr || kept_->parts[part] == 0)) continue;
            any = true;
            add(
                budget_title(static_cast<BudgetPart>(part)), duration_text,
                [&](const auto& of) { return mean(of, part); },
                budget_meaning(static_cast<BudgetPart>(part)));
        }
        if (any) return;
        RangeRow row;
        row.name = !shown_.parts_known      ? tr("known once the capture is read")
                   : shown_.commands() == 0 ? tr("no command was answered")
                                            : tr("not known of any command");
        rows_.push_back(row);
    }

    const RangeFigures& shown_;
    const RangeFigures* kept_;
    std::vector<RangeRow> rows_;
};

}  // namespace

std::vector<RangeRow> range_rows(const RangeFigures& shown, const RangeFigures* kept) {
    return Rows(shown, kept).make();
}

}  // namespace sanscope
