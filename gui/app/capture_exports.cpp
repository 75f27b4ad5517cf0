// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/capture_exports.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMessageBox>
#include <QProcess>
#include <QStandardPaths>
#include <QStatusBar>

#include "gui/app/capture_window.h"
#include "gui/app/export_task.h"
#include "gui/app/view_export.h"
#include "gui/document/filter_result.h"
#include "gui/sharing/share_dialog.h"
#include "gui/sharing/share_summary.h"
#include "gui/views/io_graph/io_graph_view.h"
#include "gui/views/tables/rows_view.h"

#include "analyzer/export/annotated_copy.h"
#include "analyzer/export/packet_export.h"

namespace sanscope {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(CaptureExports)
};

QString suggested(const CaptureWindow& capture, const QString& addition) {
    const QFileInfo info(capture.document().path());
    return info.dir().filePath(info.baseName() + addition);
}

QString count(uint64_t number) {
    return QLocale().toString(static_cast<qulonglong>(number));
}

// Of two sentences that which agrees with the number.
QString with_count(uint64_t number, const QString& one, const QString& many) {
    return (number == 1 ? one : many).arg(count(number));
}

void complain(CaptureWindow& capture, const QString& title, const QString& why) {
    auto* const box = new QMessageBox(QMessageBox::Warning, title, why, QMessageBox::Ok, &capture);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void show_message(CaptureWindow& capture, const QString& text) {
    constexpr int long_enough_ms = 8000;
    capture.statusBar()->showMessage(text, long_enough_ms);
}

std::string file_name(const QString& path) {
    return QFile::encodeName(path).toStdString();
}

QString ask_for_pcapng(CaptureWindow& capture, const QString& title, const QString& suggestion) {
    QString path = QFileDialog::getSaveFileName(&capture, title, suggestion, Words::tr("pcapng (*.pcapng)"));
    if (!path.isEmpty() && QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".pcapng");
    return path;
}

// In order; empty where nothing is selected and no filter holds.
std::vector<PacketNumber> chosen_packets(const ViewState& state, const SelectedThings& selected) {
    std::vector<PacketNumber> packets;
    if (!selected.packets.empty()) {
        packets.assign(selected.packets.begin(), selected.packets.end());
    } else if (state.filter() != nullptr) {
        state.filter()->rows.packets.for_each([&](size_t row) { packets.push_back(row + 1); });
    }
    return packets;
}

void export_chosen_packets(CaptureWindow& capture, std::vector<PacketNumber> packets) {
    if (packets.empty()) {
        return show_message(capture,
                            Words::tr("Select something, or filter, to say which packets to write."));
    }
    if (capture.document().loading())
        return show_message(capture, Words::tr("The capture is still being read."));
    const QString path = ask_for_pcapng(
        capture, with_count(packets.size(), Words::tr("Export %1 packet"), Words::tr("Export %1 packets")),
        suggested(capture, QStringLiteral("-selected.pcapng")));
    if (path.isEmpty()) return;
    ExportTask<PacketExport>::start(
        &capture, capture.document().writings(), path, Words::tr("Writing packets…"),
        [data = capture.document().data(), packets = std::move(packets),
         notes = capture.document().notes().changes(),
         target = file_name(path)](const ExportControl& control) {
            const auto reading = data->read();
            return export_packets(reading.packets(), packets, notes, target, control);
        },
        [&capture, path](const Result<PacketExport>& outcome) {
            if (!outcome) {
                return complain(capture, Words::tr("The packets were not written"),
                                QString::fromStdString(outcome.error().message));
            }
            if (outcome->stopped) return show_message(capture, Words::tr("Nothing was written."));
            QString text = with_count(outcome->written, Words::tr("%1 packet is written to %2."),
                                      Words::tr("%1 packets are written to %2."))
                               .arg(path);
            if (outcome->left_out > 0) text += Words::tr(" %1 could not be.").arg(count(outcome->left_out));
            show_message(capture, text);
        });
}

QString ask_for_csv(CaptureWindow& capture, const QString& title, const QString& of) {
    return QFileDialog::getSaveFileName(&capture, title,
                                        suggested(capture, QLatin1Char('-') + of + QStringLiteral(".csv")),
                                        Words::tr("CSV (*.csv)"));
}

void ask_to_export_intervals(CaptureWindow& capture, const IoGraphView& graph) {
    const QString path =
        ask_for_csv(capture, Words::tr("Export the intervals as CSV"), QStringLiteral("io-graph"));
    if (path.isEmpty()) return;
    ExportTask<std::monostate>::start(
        &capture, capture.document().writings(), path, Words::tr("Writing intervals…"),
        [write = graph.csv_writing(path)](const ExportControl&) { return write(); },
        [&capture, path](const Result<std::monostate>& outcome) {
            if (!outcome) {
                return complain(capture, Words::tr("The intervals were not written"),
                                QString::fromStdString(outcome.error().message));
            }
            show_message(capture, Words::tr("%1 is written.").arg(path));
        });
}

void open_in_wireshark_at(CaptureWindow& capture, PacketNumber packet) {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("wireshark"));
    if (program.isEmpty()) {
        return complain(capture, Words::tr("Open in Wireshark"),
                        Words::tr("There is no wireshark in the PATH."));
    }
    QStringList arguments{QStringLiteral("-r"), capture.document().path()};
    if (packet != 0) arguments << QStringLiteral("-g") << QString::number(packet);
    if (!QProcess::startDetached(program, arguments)) {
        complain(capture, Words::tr("Open in Wireshark"), Words::tr("%1 could not be started.").arg(program));
    }
}

// Stays until it is closed: what was kept is to be read before the copy is given away.
void show_share_summary(CaptureWindow& capture, const QString& path, const QStringList& summary) {
    auto* const box = new QMessageBox(QMessageBox::Information, Words::tr("The copy to share is saved"), path,
                                      QMessageBox::Ok, &capture);
    box->setObjectName(QStringLiteral("share-summary"));
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(summary.join(QStringLiteral("\n")));
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void write_to_share(CaptureWindow& capture, const ShareRequest& request) {
    const QString path = QFile::decodeName(QByteArray::fromStdString(request.target));
    ExportTask<SharedCopy>::start(
        &capture, capture.document().writings(), path, Words::tr("Saving a copy to share…"),
        [request](const ExportControl& control) { return write_shared_copy(request, control); },
        [&capture, path, request](const Result<SharedCopy>& outcome) {
            if (!outcome) {
                return complain(capture, Words::tr("The copy was not saved"),
                                QString::fromStdString(outcome.error().message));
            }
            if (outcome->stopped) return show_message(capture, Words::tr("Nothing was written."));
            uint64_t connections = 0;
            if (const auto reading = capture.document().data()->try_read())
                connections = reading->store().connections().size();
            show_share_summary(capture, path, share_summary(request, *outcome, connections));
        });
}

}  // namespace

void ask_to_export_picture(CaptureWindow& capture) {
    View* const view = capture.current_view();
    if (view == nullptr) return;
    const QString path = QFileDialog::getSaveFileName(
        &capture, Words::tr("Export the view as a picture"),
        suggested(capture, QLatin1Char('-') + capture.current_view_name() + QStringLiteral(".png")),
        Words::tr("PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"));
    if (path.isEmpty()) return;
    PictureFormat format{};
    const QString error = picture_format_of(path, format)
                              ? export_view(*view, path, format)
                              : Words::tr("%1: a picture's name ends with .png, .svg or .pdf").arg(path);
    if (!error.isEmpty()) return complain(capture, Words::tr("The picture was not written"), error);
    show_message(capture, Words::tr("%1 is written.").arg(path));
}

void ask_to_export_rows(CaptureWindow& capture) {
    if (const auto* const graph = qobject_cast<IoGraphView*>(capture.current_view()))
        return ask_to_export_intervals(capture, *graph);
    RowsView* const rows = capture.table_in_front();
    if (rows == nullptr)
        return show_message(capture, Words::tr("Bring the table whose rows are to be written to the front."));
    const QString path = ask_for_csv(capture, Words::tr("Export the rows as CSV"), rows->table_name());
    if (!path.isEmpty()) rows->export_csv(path);
}

void ask_to_export_packets(CaptureWindow& capture) {
    capture.document().when_resolved(&capture, [&capture](const SelectedThings& things) {
        export_chosen_packets(capture, chosen_packets(capture.state(), things));
    });
}

void ask_to_save_with_notes(CaptureWindow& capture) {
    const QString path = ask_for_pcapng(capture, Words::tr("Save a copy with notes"),
                                        suggested(capture, QStringLiteral("-notes.pcapng")));
    if (path.isEmpty()) return;
    ExportTask<AnnotatedCopy>::start(
        &capture, capture.document().writings(), path, Words::tr("Copying the capture with its notes…"),
        [source = file_name(capture.document().path()), notes = capture.document().notes().changes(),
         target = file_name(path)](const ExportControl& control) {
            return write_annotated_copy(std::span(&source, 1), notes, target, control);
        },
        [&capture, path](const Result<AnnotatedCopy>& outcome) {
            if (!outcome) {
                return complain(capture, Words::tr("The copy was not written"),
                                QString::fromStdString(outcome.error().message));
            }
            if (outcome->stopped) return show_message(capture, Words::tr("Nothing was written."));
            capture.document().notes().saved();
            QString text =
                with_count(outcome->annotated, Words::tr("%2 is written, with notes on %1 packet."),
                           Words::tr("%2 is written, with notes on %1 packets."))
                    .arg(path);
            if (outcome->not_placed > 0) {
                text += with_count(outcome->not_placed, Words::tr(" %1 note could not be placed."),
                                   Words::tr(" %1 notes could not be placed."));
            }
            if (outcome->left_out > 0) {
                text += with_count(outcome->left_out, Words::tr(" %1 block could not be copied."),
                                   Words::tr(" %1 blocks could not be copied."));
            }
            show_message(capture, text);
        });
}

void ask_to_save_to_share(CaptureWindow& capture) {
    if (capture.document().live()) {
        return show_message(capture,
                            Words::tr("The recording goes on: a copy of it can be saved once it has ended."));
    }
    auto* const dialog = new ShareDialog(capture.document().path(), &capture);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QDialog::accepted, &capture,
                     [&capture, dialog] { write_to_share(capture, dialog->request()); });
    dialog->open();
}

void open_in_wireshark(CaptureWindow& capture) {
    capture.document().when_resolved(
        &capture, [&capture](const SelectedThings& things) { open_in_wireshark_at(capture, things.packet); });
}

}  // namespace sanscope
