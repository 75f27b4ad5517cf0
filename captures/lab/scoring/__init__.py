# SPDX-License-Identifier: GPL-3.0-or-later
"""How well what sanscope infers of a TCP sender agrees with what its kernel recorded: the parts of ../score."""
