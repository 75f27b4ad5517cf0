#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's pages and the shells' completions are what --help says: man shows each page without a warning and with each option,
and bash, zsh and fish take the scripts and complete with them."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import Checks  # noqa: E402

BINARIES = pathlib.Path(os.environ.get("SANSCOPE", ROOT / "build" / "release" / "bin" / "sanscope")).parent
PROGRAMS = ("sanscope", "sanscope-gui", "sanscope-extcap")


def run(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, **more)


def help_of(words):
    return run(BINARIES / words[0], *words[1:], "--help").stdout


def commands_in(text):
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)", listed[1], re.MULTILINE) if listed else []


def options_in(text):
    found = []
    for names in re.findall(r"^  (-\S+)", text, re.MULTILINE):
        found += names.split(",")
    return found


def pages(folder, checks):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "200", "MAN_KEEP_FORMATTING": "", "GROFF_NO_SGR": "1"}
    for program in PROGRAMS:
        whole = help_of([program])
        for command in [None, *commands_in(whole)]:
            words = [program] + ([command] if command else [])
            name = "-".join(words)
            page = folder / "man" / "man1" / f"{name}.1"
            shown = run("man", "--warnings", "-E", "UTF-8", "-l", page, env=environment)
            text = re.sub(".\b", "", shown.stdout)
            faults = shown.stderr.splitlines()
            told = help_of(words)
            for nested in commands_in(told) if command else []:
                told += help_of([*words, nested])
            for option in options_in(told):
                if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text):
                    faults.append(f"{option} is not in the page")
            for part in ("NAME", "SYNOPSIS", "OPTIONS", *(["EXAMPLES"] if "\nExamples:" in told else [])):
                if not re.search(rf"^{part}$", text, re.MULTILINE):
                    faults.append(f"no section {part}")
            for line in re.findall(r"^  (sanscope .*)$", told.partition("\nExamples:")[2], re.MULTILINE):
                if line not in text:
                    faults.append(f"not as in --help: {line}")
            checks.check(f"page {name}", faults)
            described = run("lexgrog", page)
            checks.check(f"whatis {name}", [] if described.returncode == 0 else [described.stdout + described.stderr])


def bash_completes(script, *words):
    """What bash offers for the last of the words."""
    quoted = " ".join(f"'{word}'" for word in words)
    done = run("bash", "-c", f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _sanscope; "
                             'printf "%s\\n" "${COMPREPLY[@]}"', cwd="/")
    return done.stdout.split(), done.stderr.splitlines()


def fish_completes(folder, line):
    done = run("fish", "--no-config", "-c", f"source {folder}/fish/vendor_completions.d/sanscope.fish; complete -C '{line}'", cwd="/")
    return [row.split("\t")[0] for row in done.stdout.splitlines()], done.stderr.splitlines()


ZSH_ASKS = r"""
import os, pty, select, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1="> ")
    os.chdir("/")
    os.execvp("zsh", ["zsh", "-f", "-i"])
def read(patience):
    text = b""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.3)[0]:
            try: text += os.read(terminal, 65536)
            except OSError: break
        elif text: break
    return text.decode(errors="replace")
read(5)
os.write(terminal, f"fpath=({sys.argv[1]}/zsh/site-functions $fpath); autoload -U compinit; compinit -u -D; LISTMAX=500\n".encode())
time.sleep(1.5); read(5)
os.write(terminal, sys.argv[2].encode() + b"\t")
time.sleep(0.7); print(read(5))
os.write(terminal, b"\t"); time.sleep(0.7); print(read(5))
os.kill(pid, 9)
"""


def shells(folder, checks):
    script = folder / "bash-completion" / "completions" / "sanscope"
    for shell, file in (("bash", script), ("zsh", folder / "zsh" / "site-functions" / "_sanscope"),
                        ("fish", folder / "fish" / "vendor_completions.d" / "sanscope.fish")):
        parsed = run(shell, "-n", file)
        checks.check(f"{shell} takes its script", parsed.stderr.splitlines())
    commands = commands_in(help_of(["sanscope"]))
    for name, words, wanted in (
            ("commands", ("sanscope", ""), commands),
            ("the beginning of one", ("sanscope", "rep"), ["report"]),
            ("options of a command", ("sanscope", "report", "--"), options_in(help_of(["sanscope", "report"]))),
            ("values of an option", ("sanscope", "report", "--fail-on", ""), ["problem", "notice"]),
            ("values behind =", ("sanscope", "table", "commands", "--format", "=", "p"), ["parquet", "pb"]),
            ("tables", ("sanscope", "table", "comm"), ["commands"]),
            ("nested commands", ("sanscope", "fair-tcp", "sta"), ["start", "status"]),
            ("options of nested commands", ("sanscope", "fair-tcp", "status", "--l"), ["--live"]),
            ("files", ("sanscope", "report", "/us"), ["/usr"])):
        wanted = [word for word in wanted if word.startswith(words[-1])]
        offered, complaints = bash_completes(script, *words)
        faults = complaints + [f"{word} is not offered" for word in wanted if word not in offered]
        faults += [f"{word} is offered" for word in offered if not word.startswith(words[-1])]
        checks.check(f"bash: {name}", faults if wanted else ["nothing is wanted"])
    for name, line, wanted in (("commands", "sanscope ", commands), ("values of an option", "sanscope report --fail-on ", ["problem", "notice"]),
                               ("tables", "sanscope table comm", ["commands"]), ("nested commands", "sanscope fair-tcp sta", ["start", "status"]),
                               ("options", "sanscope table --whe", ["--where"])):
        offered, complaints = fish_completes(folder, line)
        checks.check(f"fish: {name}", complaints + [f"{word} is not offered" for word in wanted if word not in offered])
    for name, line, wanted in (("a command", "sanscope expe", ["experiment"]), ("values of an option", "sanscope report --fail-on ", ["problem", "notice"]),
                               ("nested commands", "sanscope fair-tcp ", ["start", "status", "stop"]),
                               ("options", "sanscope table --where", ["--where"])):
        asked = run(sys.executable, "-c", ZSH_ASKS, folder, line)
        checks.check(f"zsh: {name}", asked.stderr.splitlines() + [f"{word} is not in {asked.stdout!r}" for word in wanted if word not in asked.stdout])


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for program in PROGRAMS:
            written = run(BINARIES / program, "--write-manual", folder)
            checks.check(f"{program} writes its manual", [] if written.returncode == 0 and not written.stdout + written.stderr else
                         [f"{written.returncode}: {written.stdout}{written.stderr}"])
            checks.check(f"{program} does not speak of that", ["--help does"] if "write-manual" in help_of([program]) else [])
        refused = run(BINARIES / "sanscope", "--write-manual", "/proc/nowhere")
        checks.check("a folder that cannot be written is said", [] if refused.returncode != 0 and "/proc/nowhere" in refused.stderr else
                     [f"{refused.returncode}: {refused.stderr}"])
        pages(folder, checks)
        shells(folder, checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
