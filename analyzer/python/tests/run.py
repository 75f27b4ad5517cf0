#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the Python package's tests in the environment of cmake/python_env.py; the last line counts.

    run.py package     tables, following, archive, the page, types, the wheel
    run.py spark       Apache Spark"""

import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

TESTS = pathlib.Path(__file__).resolve().parent
PACKAGE = TESTS.parent
ROOT = PACKAGE.parents[1]


def environment(*groups):
    """Its python. Ends this where PyPI cannot be reached."""
    made = subprocess.run([sys.executable, ROOT / "cmake" / "python_env.py", *groups], stdout=subprocess.PIPE, text=True)
    if made.returncode == 3:
        print("skipped: PyPI cannot be reached, from which the tests' readers come")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    if made.returncode != 0:
        print("0 passed, 1 failed")
        sys.exit(1)
    return made.stdout.strip()


def checked(name, command, **options):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    print(f"passed  {name}" if run.returncode == 0 else f"FAILED  {name}\n{run.stdout}")
    return run.returncode == 0


def types(python, *arguments):
    return checked("mypy --strict", [python, "-m", "mypy", "--config-file", "pyproject.toml", *arguments], cwd=PACKAGE)


def checks_of_package(python):
    """Types but Spark's; the wheel, whose files and version are what they should be, installed where nothing else is."""
    yield types(python, "--exclude", "spark")
    with tempfile.TemporaryDirectory() as folder:
        yield checked("the wheel is built", [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, PACKAGE])
        [wheel] = pathlib.Path(folder).glob("sanscope-*-py3-none-any.whl")
        target = pathlib.Path(folder, "site")
        yield checked("… and installed", [python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, wheel])
        probe = ("import sanscope, sanscope.archive, importlib.metadata, pathlib; here = pathlib.Path(sanscope.__file__).parent; "
                 f"assert str(here).startswith({str(target)!r}), here; assert (here / 'py.typed').exists(); "
                 "version = importlib.metadata.version('sanscope'); "
                 f"table = sanscope.read({str(ROOT / 'captures/samples/cut-off.pcap')!r}).commands; "
                 "assert table.metadata['sanscope.version'] == version, version; "
                 f"assert pathlib.Path({str(target)!r}, 'bin', 'sanscope-archive').exists()")
        yield checked("… it works, and has the program's version", [python, "-c", probe], cwd=folder,
                      env={**os.environ, "PYTHONPATH": str(target), "SANSCOPE": program()})


def program():
    return os.environ.get("SANSCOPE", str(ROOT / "build" / "release" / "bin" / "sanscope"))


def pytest(python, *arguments):
    """How many passed, failed, were skipped."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.xml")
        subprocess.run([python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", f"--basetemp={folder}/tests", f"--junitxml={report}",
                        *arguments], cwd=TESTS)
        cases = xml.parse(report).getroot().findall(".//testcase")
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return len(cases) - failed - skipped, failed + (not cases), skipped


def main():
    what = sys.argv[1:]
    if what == ["package"]:
        python = environment()
        passed, failed, skipped = pytest(python, "--ignore=spark", ".")
        for holds in checks_of_package(python):
            passed, failed = passed + holds, failed + (not holds)
    elif what == ["spark"]:
        python = environment("spark")
        passed, failed, skipped = pytest(python, "spark")
        holds = types(python)
        passed, failed = passed + holds, failed + (not holds)
    else:
        sys.exit(__doc__)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
