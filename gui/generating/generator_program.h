// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QString>

namespace sanscope {

// The program `sanscope`, which puts on loads: as the environment's SANSCOPE_PROGRAM says, beside this program, or in the PATH.
QString generator_program();

// Starts it, gives it `input` on its standard input, and no more. It ends with this process, however that ends. For the GUI
// thread. The process's signals say whether it runs.
void start_generator(QProcess& process, const QStringList& arguments, const QByteArray& input);

// Of what it wrote to its standard error, the sentences for its user, a line each.
QString sentences_of(const QByteArray& errors);
// Why it ended, where it had nothing to say itself.
QString how_it_ended(const QProcess& process);

}  // namespace sanscope
