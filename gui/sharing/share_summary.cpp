// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/sharing/share_summary.h"

#include <QCoreApplication>
#include <QLocale>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ShareSummary)
};

QString number(uint64_t count) {
    return QLocale().toString(static_cast<qulonglong>(count));
}

QString bytes(uint64_t count) {
    return short_bytes(static_cast<double>(count));
}

}  // namespace

QStringList share_summary(const ShareRequest& request, const SharedCopy& copy, uint64_t connections) {
    const ScrubbedCapture& scrubbed = copy.scrubbed;
    QStringList sentences{
        Words::tr("Packets: %1, with their numbers, times and original lengths.")
            .arg(number(scrubbed.packets)),
        Words::tr("TCP connections: %1.").arg(number(connections)),
        Words::tr("Kept: %1 of the %2 captured, in a file of %3.")
            .arg(bytes(scrubbed.kept_bytes), bytes(scrubbed.captured_bytes), bytes(copy.file_bytes)),
        Words::tr(
            "Not kept: data of READ, WRITE and their like, and all else that is not known to be a header, "
            "login or text key, sense data or SCSI parameter data. Before a packet's last kept byte "
            "zeros stand for it."),
    };
    const auto add = [&](uint64_t count, const QString& sentence) {
        if (count > 0) sentences.append(sentence.arg(number(count)));
    };
    add(scrubbed.out_of_step, Words::tr("Packets of iSCSI connections with bytes that are not known for what "
                                        "they are, which are not kept: %1."));
    add(scrubbed.not_iscsi,
        Words::tr("Segments of connections that carry no iSCSI, of which nothing behind TCP is kept: %1."));
    add(scrubbed.fragments, Words::tr("IP fragments, of which nothing behind their headers is kept: %1."));
    add(scrubbed.blocks_emptied,
        Words::tr("Custom blocks and journal entries that are empty in the copy: %1."));
    add(scrubbed.blocks_left_out, Words::tr("Blocks left out, secrets or of an unknown kind: %1."));
    if (request.anonymize) {
        sentences.append(Words::tr("Addresses, names and numbers that have replacements: %1.")
                             .arg(number(copy.replacements)));
        add(copy.comments, Words::tr("Comments left out: %1."));
        add(copy.options, Words::tr("Options of blocks left out, such as names, filters and hardware: %1."));
        add(copy.not_held,
            Words::tr("Data segments with names that are zeros, since there are so many: %1."));
        sentences.append(request.mapping.empty()
                             ? Words::tr("No file says what was replaced by what: it cannot be taken back.")
                             : Words::tr("What was replaced by what: %1. It undoes the anonymizing: keep it.")
                                   .arg(QString::fromLocal8Bit(request.mapping.c_str())));
        add(copy.unlisted, Words::tr("Replacements that are not in it, since there are so many: %1."));
        sentences.append(
            Words::tr("Still to be seen: times, sizes, logical unit numbers, block addresses, ports, VLANs; "
                      "vendor and product of disks."));
    } else {
        sentences.append(
            Words::tr("Still in it: IP and MAC addresses, iSCSI names, CHAP names and responses, serial "
                      "numbers, comments."));
    }
    if (scrubbed.damage) {
        sentences.append(Words::tr("The capture is damaged at byte %1: the copy holds all before it.")
                             .arg(number(scrubbed.damage->at_byte)));
    }
    return sentences;
}

}  // namespace sanscope
