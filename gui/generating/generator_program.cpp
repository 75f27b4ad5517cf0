// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/generator_program.h"

#include <QCoreApplication>
#include <QFile>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <unistd.h>

#include "gui/generating/json_lines.h"

#include "analyzer/base/helper_process.h"

namespace sanscope {

QString generator_program() {
    return QFile::decodeName(QByteArray::fromStdString(find_helper_program("sanscope", "SANSCOPE_PROGRAM")));
}

void start_generator(QProcess& process, const QStringList& arguments, const QByteArray& input) {
    const pid_t parent = ::getpid();
    process.setChildProcessModifier([parent] {
        // Nobody would see, or could stop, a load whose window is gone.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(1);
        // A window that a shell started in the background has it ignored, and so would what it starts.
        ::signal(SIGINT, SIG_DFL);
    });
    process.start(generator_program(), arguments);
    if (!input.isEmpty()) process.write(input);
    process.closeWriteChannel();
}

QString sentences_of(const QByteArray& errors) {
    constexpr qsizetype most_lines = 20;
    QStringList sentences;
    for (const QByteArray& line : errors.split('\n')) {
        QString text = shown_text(QString::fromUtf8(line)).trimmed();
        if (text.startsWith(QStringLiteral("sanscope: ")))
            text.remove(0, QStringLiteral("sanscope: ").size());
        if (!text.isEmpty()) sentences << text;
    }
    if (sentences.size() > most_lines) sentences = sentences.mid(sentences.size() - most_lines);
    return sentences.join(u'\n');
}

QString how_it_ended(const QProcess& process) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("GeneratorProgram", text); };
    if (process.error() == QProcess::FailedToStart)
        return tr("%1 cannot be started: %2").arg(process.program(), process.errorString());
    if (process.exitStatus() == QProcess::CrashExit) {
        // Of a process that a signal ended, Qt gives the signal as the exit code.
        return tr("sanscope was ended by signal %1 (%2)")
            .arg(process.exitCode())
            .arg(QString::fromLocal8Bit(::strsignal(process.exitCode())));
    }
    return tr("sanscope ended with status %1 and told nothing").arg(process.exitCode());
}

}  // namespace sanscope
