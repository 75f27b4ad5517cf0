// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_choice.h"

#include <QDir>
#include <QRegularExpression>
#include <fmt/format.h>
#include <unistd.h>

#include "captures/experiment/run_capture.h"

namespace sanscope {
namespace {

QString for_shell(QString word) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=,@%+-]+$"));
    if (plain.match(word).hasMatch()) return word;
    return u'\'' + word.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

}  // namespace

QStringList experiment_arguments(const ExperimentChoice& choice) {
    const lab::Wishes& wishes = choice.wishes;
    QStringList arguments{QStringLiteral("experiment"), QString::fromStdString(wishes.name)};
    for (const std::string& one : wishes.set)
        arguments << QStringLiteral("--set") << QString::fromStdString(one);
    for (const std::string& one : wishes.only)
        arguments << QStringLiteral("--only") << QString::fromStdString(one);
    if (wishes.repetitions > 0)
        arguments << QStringLiteral("--repetitions") << QString::number(wishes.repetitions);
    if (wishes.seconds > 0)
        arguments << QStringLiteral("--seconds") << QString::fromStdString(fmt::format("{}", wishes.seconds));
    if (choice.keep_captures) arguments << QStringLiteral("--keep-captures");
    return arguments << QStringLiteral("-o") << choice.folder;
}

QString experiment_command(const ExperimentChoice& choice, const QString& program, bool with_sudo) {
    QStringList words;
    if (with_sudo) words << QStringLiteral("sudo");
    words << program;
    words += experiment_arguments(choice);
    for (QString& word : words) word = for_shell(word);
    return words.join(u' ');
}

bool may_run_experiments() {
    return ::geteuid() == 0;
}

QString capture_path(const QString& folder, const lab::PlannedRun& run, double seconds) {
    const QDir captures(QDir(folder).filePath(QString::fromLatin1(lab::captures_folder)));
    return captures.filePath(QString::fromStdString(lab::capture_name(run, seconds)));
}

}  // namespace sanscope
