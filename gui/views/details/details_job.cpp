// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/details/details_job.h"

#include <QCoreApplication>
#include <utility>

#include "gui/models/table_access.h"

namespace sanscope {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("DetailsJob", text);
}

// A row of a table as fields: each known value a line, with a filter for it.
class RowWriter {
  public:
    RowWriter(const CaptureData::Reading& reading, const TimeReference& time, PacketTree& tree)
        : reading_(reading), time_(time), tree_(tree) {}

    int head(int parent, std::string_view name, const QString& title) {
        PacketTree::Field field;
        field.abbreviation = "sanscope." + std::string(name);
        field.label = title.toStdString();
        return tree_.add(parent, std::move(field));
    }
    // `row` from 0. `title` of what the row is.
    void write(int parent, std::string_view name, size_t row, const QString& title) {
        fields(head(parent, name, title), name, row);
    }
    void fields(int at, std::string_view name, size_t row) {
        const auto table = make_table(reading_, name);
        if (row >= table->rows()) return;
        Cell cell;
        for (size_t column = 0; column < table->columns().size(); ++column) {
            table->cell(row, column, cell);
            if (cell.kind == Cell::Kind::empty || (cell.kind == Cell::Kind::boolean && !cell.boolean))
                continue;
            const ColumnInfo& info = table->columns()[column];
            // Of where the time went, the parts that had some.
            if (info.name.starts_with("budget_") && cell.integer == 0) continue;
            const ColumnFormat format(info);
            PacketTree::Field field;
            field.abbreviation = std::string("sanscope.").append(name).append(".").append(info.name);
            const QString text =
                cell.kind == Cell::Kind::boolean ? translated("yes") : format.text(cell, time_);
            field.label = QStringLiteral("%1: %2").arg(format.title(), text).toStdString();
            field.value = format.literal(cell).toStdString();
            field.filter = std::string(info.name) + " == " + field.value;
            field.language = name;
            // Leads to it, as Wireshark's own do.
            if (info.name == "packet" || info.name.ends_with("_packet")) field.type = "FT_FRAMENUM";
            tree_.add(at, std::move(field));
        }
    }
    QString text(std::string_view name, size_t row, std::string_view column) const {
        const auto table = make_table(reading_, name);
        const auto at = find_column(table->columns(), column);
        if (row >= table->rows() || !at) return {};
        Cell cell;
        table->cell(row, *at, cell);
        return ColumnFormat(table->columns()[*at]).text(cell, time_);
    }

  private:
    const CaptureData::Reading& reading_;
    const TimeReference& time_;
    PacketTree& tree_;
};

void add_own_fields(const CaptureData::Reading& reading, PacketNumber packet, const TimeReference& time,
                    PacketTree& tree) {
    RowWriter rows(reading, time, tree);
    const QString info = rows.text("packets", packet - 1, "info");
    const int root =
        rows.head(PacketTree::none, "packets",
                  info.isEmpty() ? translated("sanscope: packet %1").arg(packet)
                                 : translated("sanscope: packet %1, %2").arg(QString::number(packet), info));
    // More would be no overview: a packet of many small PDUs.
    constexpr size_t most = 12;
    std::vector<uint32_t> pdus;
    const auto take = [&](uint32_t pdu) {
        if (pdus.size() < most && (pdus.empty() || pdus.back() != pdu)) pdus.push_back(pdu);
    };
    reading.pdu_index().carried_by(packet, take);
    if (pdus.empty()) reading.pdu_index().completed_by(packet, take);
    std::vector<uint64_t> commands;
    for (const uint32_t pdu : pdus) {
        const uint64_t command = reading.store().pdus().get<&PduRow::command>(pdu);
        if (command != 0 && std::ranges::find(commands, command) == commands.end())
            commands.push_back(command);
    }
    for (const uint64_t command : commands) {
        const QString turnaround = rows.text("commands", command - 1, "turnaround_ns");
        rows.write(
            root, "commands", command - 1,
            translated("Command %1: %2, %3")
                .arg(QString::number(command), rows.text("commands", command - 1, "name"),
                     turnaround.isEmpty() ? rows.text("commands", command - 1, "outcome") : turnaround));
    }
    for (const uint32_t pdu : pdus) {
        rows.write(root, "pdus", pdu,
                   translated("PDU %1: %2").arg(QString::number(pdu + 1), rows.text("pdus", pdu, "name")));
    }
    reading.pdu_index().losses_of(packet, [&](size_t loss) {
        rows.write(
            root, "losses", loss,
            translated("Loss %1: %2").arg(QString::number(loss + 1), rows.text("losses", loss, "kind")));
    });
    rows.fields(root, "packets", packet - 1);
}

}  // namespace

DescribedPacket describe_ourselves(const CaptureData& data, PacketNumber packet, const TimeReference& time) {
    DescribedPacket described;
    described.packet = packet;
    auto tree = std::make_shared<PacketTree>();
    const auto reading = data.read();
    if (packet != 0 && packet <= reading.index().packets()) {
        add_own_fields(reading, packet, time, *tree);
        auto bytes = reading.packets().read(packet);
        if (bytes) {
            tree->add_source({translated("Packet").toStdString(), std::string(bytes->begin(), bytes->end())});
        } else {
            described.notice = QString::fromStdString(bytes.error().message);
        }
    }
    described.tree = std::move(tree);
    return described;
}

Dissection::Dissection(std::shared_ptr<const CaptureData> data, DissectClient::Options options)
    : data_(std::move(data)), client_([&] {
          options.notice = [this](std::string_view line) { befell_ = line; };
          return std::move(options);
      }()) {}

DescribedPacket Dissection::describe(PacketNumber packet, const TimeReference& time, const StopFlag& stop) {
    if (!details_) details_.emplace(data_->read().packets(), client_);
    befell_.clear();
    done = total = 0;
    PacketDetails::Options options;
    options.stop = &stop;
    options.progress = [this](size_t fed, size_t of) {
        done.store(fed, std::memory_order_relaxed);
        total.store(of, std::memory_order_relaxed);
    };
    const auto told = details_->describe(packet, options);
    done = total = 0;
    if (!told) {
        DescribedPacket described = describe_ourselves(*data_, packet, time);
        described.notice =
            translated("Without Wireshark's details: %1").arg(QString::fromStdString(told.error().message));
        return described;
    }
    DescribedPacket described;
    described.packet = packet;
    auto tree = std::make_shared<PacketTree>(*told);
    add_own_fields(data_->read(), packet, time, *tree);
    described.tree = std::move(tree);
    described.dissected = true;
    described.notice = QString::fromStdString(befell_);
    return described;
}

}  // namespace sanscope
