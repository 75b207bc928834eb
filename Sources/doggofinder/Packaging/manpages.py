#!/usr/bin/env python3
"""Writes the manual pages of the program from its own help: manpages.py PROGRAM FOLDER

One page describes the program (doggofinder.1), and one each of its commands with their subcommands
(doggofinder-serve.1). swift-argument-parser's plugin writes such pages, too, but needs a build of the program.
"""

import json
import subprocess
import sys
from pathlib import Path


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    program, folder = sys.argv[1], Path(sys.argv[2])
    version = run(program, "--version").strip()
    root = json.loads(run(program, "--experimental-dump-help"))["command"]
    commands = [command for command in root["subcommands"] if command["commandName"] != "help"]
    write(folder, Page("doggofinder", version).overview(root, commands))
    for command in commands:
        write(folder, Page(f"doggofinder-{command['commandName']}", version).command(command))


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def write(folder: Path, page: "Page") -> None:
    (folder / f"{page.name}.1").write_text("\n".join(page.lines) + "\n")


def escaped(text: str) -> str:
    """A line of text for roff: a point or an apostrophe at its begin would be a request, a backslash an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


class Page:
    def __init__(self, name: str, version: str):
        self.name = name
        self.lines = [f'.TH {name.upper()} 1 "" "DoggoFinder {version}" "DoggoFinder"']

    def overview(self, root: dict, commands: list[dict]) -> "Page":
        self.head(root["abstract"])
        self.lines += [".SH SYNOPSIS", ".B doggofinder", ".I command", "[", ".I options", "]"]
        self.section("DESCRIPTION", root.get("discussion", ""))
        self.lines.append(".SH COMMANDS")
        for command in commands:
            page = f"doggofinder\\-{escaped(command['commandName'])}"
            self.entry(f".BR {page} (1)", command.get("abstract", ""))
        self.lines += [
            ".SH FILES",
            ".TP", ".I /etc/doggofinder/doggofinder.conf", "The settings of the service, which every command reads.",
            ".TP", ".I /var/lib/doggofinder", "The data folder of the service.",
            ".TP", ".I /var/backups/doggofinder", "The backups of the service.",
            ".TP", ".I /usr/share/doc/doggofinder/Administration", "The documentation for operators.",
        ]
        return self

    def command(self, command: dict) -> "Page":
        self.head(command.get("abstract", ""))
        self.synopsis([command["commandName"]], command, ".SH SYNOPSIS")
        self.section("DESCRIPTION", command.get("discussion", ""))
        self.arguments(command, ".SH OPTIONS")
        self.subcommands([command["commandName"]], command)
        self.lines += [".SH SEE ALSO", ".BR doggofinder (1)"]
        return self

    def subcommands(self, path: list[str], command: dict) -> None:
        for subcommand in command.get("subcommands", []):
            if subcommand["commandName"] == "help":
                continue
            names = path + [subcommand["commandName"]]
            self.synopsis(names, subcommand, f'.SH "{escaped(" ".join(names).upper())}"')
            self.paragraph(subcommand.get("abstract", ""))
            self.paragraph(subcommand.get("discussion", ""))
            self.arguments(subcommand, None)
            self.subcommands(names, subcommand)

    def head(self, abstract: str) -> None:
        self.lines += [".SH NAME", f"{escaped(self.name)} \\- {escaped(' '.join(abstract.split()))}"]

    def synopsis(self, path: list[str], command: dict, heading: str) -> None:
        self.lines += [heading, f".B doggofinder {escaped(' '.join(path))}"]
        for argument in shown(command):
            usage = self.usage(argument)
            if argument["isOptional"] or argument["kind"] == "flag":
                usage = f"[{usage}]"
            self.lines.append(escaped(usage))
        if [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help"]:
            self.lines.append(".I subcommand")

    @staticmethod
    def usage(argument: dict) -> str:
        value = f"<{argument.get('valueName', 'value')}>"
        if argument["kind"] == "positional":
            return value + (" ..." if argument["isRepeating"] else "")
        name = names_of(argument)[0]
        return name if argument["kind"] == "flag" else f"{name} {value}"

    def arguments(self, command: dict, heading: str | None) -> None:
        arguments = shown(command)
        if arguments and heading:
            self.lines.append(heading)
        for argument in arguments:
            names = ", ".join(names_of(argument)) if argument["kind"] != "positional" else self.usage(argument)
            value = f" <{argument['valueName']}>" if argument["kind"] == "option" else ""
            text = argument.get("abstract", "")
            if argument.get("discussion"):
                text += "\n" + argument["discussion"]
            self.entry(f".B {escaped(names + value)}", text)

    def entry(self, term: str, text: str) -> None:
        self.lines += [".TP", term]
        self.lines += [escaped(line.strip()) for line in text.splitlines() if line.strip()]

    def section(self, title: str, text: str) -> None:
        if text.strip():
            self.lines.append(f".SH {title}")
            self.paragraph(text)

    def paragraph(self, text: str) -> None:
        for part in text.split("\n\n"):
            if part.strip():
                self.lines += [".PP"] + [escaped(line.strip()) for line in part.strip().splitlines()]


def shown(command: dict) -> list[dict]:
    """The options and arguments of a command, without --help and --version, which all commands have."""
    hidden = {"--help", "--version"}
    return [
        argument for argument in command.get("arguments", [])
        if argument.get("shouldDisplay", True) and not hidden.intersection(names_of(argument))
    ]


def names_of(argument: dict) -> list[str]:
    return [
        ("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])
    ] or [argument.get("valueName", "value")]


if __name__ == "__main__":
    main()
