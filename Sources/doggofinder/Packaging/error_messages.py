#!/usr/bin/env python3
"""Prints the templates of error messages in the Swift sources, as a JSON list: error_messages.py [FOLDER]

A template is a literal where the compiler expects an `ErrorMessage`: an argument of a function that takes one, what a function
returns, or the value of a constant. `{1}`, `{2}` and so on stand for what the literal interpolates. The command line speaks
English, so its folder is left out.
"""

import json
import re
import sys
from collections import namedtuple
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
TYPE = "ErrorMessage"
ESCAPES = {"n": "\n", "t": "\t", "0": "\0", "r": "\r", '"': '"', "\\": "\\", "'": "'"}
CLOSING = {"(": ")", "[": "]", "{": "}"}
PIECE = re.compile(
    r"(?P<space>\s+|//[^\n]*)|(?P<nested>/\*)|(?P<quote>#*(?:\"\"\"|\"))|(?P<regex>\#/.*?/\#)"
    r"|(?P<id>`?\w+`?)|(?P<op>->|\?\?|[=!<>]=+|.)",
    re.DOTALL,
)
REGEX = re.compile(r"/[^\s*/](?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])*/")
ESCAPE = re.compile(r"u\{(?P<scalar>\w+)\}|(?P<joined>[ \t]*\n)|.")
# Stands for a backslash at the end of a line, which joins the line with the next one.
JOINED = "\0\n"

# `kind` is id, op or text. A text has the tokens of what it interpolates, a list for each.
Token = namedtuple("Token", "kind value line end parts", defaults=[()])
# A parameter that is a message: its label ("_" for none), its place among the parameters, and the labels of all.
Parameter = namedtuple("Parameter", "label place labels")


def templates(folder: Path = SOURCES) -> list[str]:
    """The templates in the order of the files, each once. Those without letters are the same in all languages."""
    files = [file for file in sorted(folder.rglob("*.swift")) if "doggofinder" not in file.relative_to(folder).parts[:1]]
    sources = [Lexer(file.read_text()).tokens() for file in files]
    takers: dict[str, set[Parameter]] = {}
    for tokens in sources:
        find_takers(tokens, takers)
    found: dict[str, None] = {}
    for tokens in sources:
        for template in find_templates(tokens, takers):
            if re.search(r"[^\W\d_]", re.sub(r"\{\d+\}", "", template)):
                found[template] = None
    return list(found)


class Lexer:
    """Divides Swift into tokens, as far as literals and brackets need it."""

    def __init__(self, text: str, place: int = 0, line: int = 1):
        self.text, self.place, self.line = text, place, line

    def tokens(self, until: str = "") -> list[Token]:
        """The tokens up to the closing bracket, which is passed over; without one, all."""
        found: list[Token] = []
        depth = 0
        while self.place < len(self.text):
            match = PIECE.match(self.text, self.place)
            kind, piece = match.lastgroup, match[0]
            if kind == "quote":
                found.append(self.literal(match["quote"].count("#"), match["quote"].strip("#")))
                continue
            if kind == "nested":
                self.skip_comment()
                continue
            if piece == "/" and self.is_regex(found):
                piece = REGEX.match(self.text, self.place)[0]
                kind = "regex"
            if kind in ("id", "op"):
                depth += (piece in CLOSING) - (piece in CLOSING.values())
                if piece == until and depth < 0:
                    self.skip(piece)
                    return found
                found.append(Token(kind, piece.strip("`"), self.line, self.line))
            self.skip(piece)
        return found

    def skip(self, piece: str) -> None:
        self.line += piece.count("\n")
        self.place += len(piece)

    def skip_comment(self) -> None:
        """Passes over a comment, in which others can be."""
        depth = 0
        for mark in re.compile(r"/\*|\*/").finditer(self.text, self.place):
            depth += 1 if mark[0] == "/*" else -1
            if depth == 0:
                return self.skip(self.text[self.place:mark.end()])
        self.skip(self.text[self.place:])

    def is_regex(self, before: list[Token]) -> bool:
        """Whether a slash begins a pattern, and is no division."""
        begins = not before or before[-1].kind == "op" and before[-1].value in ("(", ",", "=", ":", "[", "{", "|")
        return begins and REGEX.match(self.text, self.place) is not None

    def literal(self, marks: int, quote: str) -> Token:
        line = self.line
        self.skip("#" * marks + quote)
        escape, end = "\\" + "#" * marks, quote + "#" * marks
        stop = re.compile(re.escape(end) + "|" + re.escape(escape))
        template, parts = "", []
        while True:
            match = stop.search(self.text, self.place)
            template += self.text[self.place:match.start()]
            self.skip(self.text[self.place:match.end()])
            if match[0] == end:
                break
            if self.text[self.place] == "(":
                self.skip("(")
                parts.append(self.tokens(")"))
                template += f"{{{len(parts)}}}"
            else:
                template += self.escaped()
        if quote == '"""':
            template = self.without_indentation(template)
        return Token("text", template, line, self.line, tuple(parts))

    def escaped(self) -> str:
        match = ESCAPE.match(self.text, self.place)
        self.skip(match[0])
        if match["scalar"]:
            return chr(int(match["scalar"], 16))
        return JOINED if match["joined"] else ESCAPES[match[0]]

    @staticmethod
    def without_indentation(text: str) -> str:
        lines = text.split("\n")
        width = len(lines[-1])
        return "\n".join(line[width:] for line in lines[1:-1]).replace(JOINED, "")


def find_takers(tokens: list[Token], takers: dict[str, set[Parameter]]) -> None:
    """Adds the functions, initializers and cases that take a message."""
    for index, token, owner in with_owners(tokens):
        if token.kind != "id":
            continue
        if token.value in ("let", "var") and is_type(tokens, index + 3):
            # A member of a structure without an initializer of its own.
            takers.setdefault(owner, set()).add(Parameter(tokens[index + 1].value, None, None))
            continue
        if token.value in ("func", "case"):
            name, start = tokens[index + 1].value, index + 2
        elif token.value in ("init", "subscript"):
            name, start = owner, index + 1
        else:
            continue
        start = next((i for i in range(start, len(tokens)) if tokens[i].value not in ("?", "!")), len(tokens))
        if start < len(tokens) and tokens[start].value == "<":
            start = next(i for i in range(start, len(tokens)) if tokens[i].value == "(")
        if start == len(tokens) or tokens[start].value != "(":
            continue
        parameters = divided(tokens[start + 1:closing(tokens, start)])
        labels = tuple(label(parameter) for parameter in parameters)
        for place, parameter in enumerate(parameters):
            if any(part.value == TYPE for part in parameter):
                takers.setdefault(name, set()).add(Parameter(labels[place], place, labels))


def find_templates(tokens: list[Token], takers: dict[str, set[Parameter]]):
    for index, token, owner in with_owners(tokens):
        for part in token.parts:
            yield from find_templates(part, takers)
        if token.kind != "id":
            continue
        following = tokens[index + 1].value if index + 1 < len(tokens) else ""
        if token.value in ("let", "var", "func", "init"):
            yield from declared(tokens, index)
        elif following == "(" and (index == 0 or tokens[index - 1].value != "func"):
            name = owner if token.value in ("Self", "init") else token.value
            if name in takers:
                yield from taken(arguments_of(tokens, index + 1), takers[name])


def arguments_of(tokens: list[Token], start: int) -> list[list[Token]]:
    """Those between the brackets, and the closure behind them."""
    end = closing(tokens, start)
    arguments = divided(tokens[start + 1:end])
    if end + 1 < len(tokens) and tokens[end + 1].value == "{" and tokens[end + 1].line == tokens[end].line:
        arguments.append(tokens[end + 2:closing(tokens, end + 1)])
    return arguments


def declared(tokens: list[Token], index: int):
    """The templates of a constant, or of what a property or function returns."""
    end, depth, is_message = index + 1, 0, False
    while end < len(tokens):
        token = tokens[end]
        if depth == 0 and token.value in ("{", "=", "}", "let", "var", "func", "case") and token.kind != "text":
            break
        depth += (token.value in ("(", "[")) - (token.value in (")", "]"))
        if depth < 0:
            return
        end += 1
        if token.value in ("->", ":"):
            is_message = False
        is_message = is_message or token.value == TYPE
    if not is_message or end == len(tokens):
        return
    if tokens[end].value == "{":
        yield from texts(tokens[end + 1:closing(tokens, end)])
    elif tokens[end].value == "=":
        yield from texts(expression(tokens, end + 1))


def taken(arguments: list[list[Token]], parameters: set[Parameter]):
    labels = tuple(label(argument) if is_labelled(argument) else "_" for argument in arguments)
    for place, argument in enumerate(arguments):
        for parameter in parameters:
            if parameter.label != labels[place]:
                continue
            if parameter.place is None or fits(labels, parameter.labels) and (labels[place] != "_" or place == parameter.place):
                yield from texts(argument)
                break


def fits(labels: tuple, all_labels: tuple) -> bool:
    """Whether a call with these labels can be one of a function: the others have values by default."""
    return labels.count("_") == all_labels.count("_") and all(label in all_labels for label in labels)


def texts(tokens: list[Token]):
    """The texts that an expression or a body can have as its value, and those that they interpolate."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        before = tokens[index - 1] if index else None
        if token.kind == "text":
            after = tokens[index + 1].value if index + 1 < len(tokens) else ""
            # A constant of a body that is a message has its type.
            is_other = before and before.value == "=" or {before.value if before else "", after} & {"==", "!=", "."}
            if not is_other:
                yield token.value
                for part in token.parts:
                    yield from texts(part)
        elif token.kind == "op" and token.value in CLOSING:
            # Arguments and indices are not the value.
            is_argument = token.value != "{" and before and (before.kind != "op" or before.value in ")]}?!")
            if is_argument and before.value not in ("return", "in", "case", "throw", "try") or token.value == "[":
                index = closing(tokens, index)
        index += 1


def expression(tokens: list[Token], start: int) -> list[Token]:
    """The tokens up to the end of the line with which the expression ends."""
    index = start
    while index < len(tokens):
        if index > start and tokens[index].line > tokens[index - 1].end:
            goes_on = tokens[index].value in ("?", ":", "??", ".") or tokens[index - 1].value in ("?", ":", "??", "(")
            if not goes_on:
                break
        if tokens[index].kind == "op" and tokens[index].value in ")]},;":
            break
        index = closing(tokens, index) + 1 if tokens[index].kind == "op" and tokens[index].value in CLOSING else index + 1
    return tokens[start:index]


def with_owners(tokens: list[Token]):
    """Each token with its index and the name of the type in which it is declared."""
    owners: list[str] = []
    waiting = ""
    for index, token in enumerate(tokens):
        if token.kind == "id" and token.value in ("struct", "class", "enum", "actor", "extension", "protocol"):
            name = index + 1
            while name + 2 < len(tokens) and tokens[name + 1].value == "." and tokens[name + 2].kind == "id":
                name += 2
            waiting = tokens[name].value
        elif token.kind == "op" and token.value == "{":
            owners.append(waiting or (owners[-1] if owners else ""))
            waiting = ""
        elif token.kind == "op" and token.value == "}" and owners:
            owners.pop()
        yield index, token, owners[-1] if owners else ""


def is_type(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].value == TYPE and tokens[index - 1].value == ":"


def is_labelled(argument: list[Token]) -> bool:
    return len(argument) > 1 and argument[0].kind == "id" and argument[1].value == ":"


def label(parameter: list[Token]) -> str:
    return parameter[0].value if parameter else "_"


def divided(tokens: list[Token]) -> list[list[Token]]:
    """The parts between the commas."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "op":
            depth += (token.value in CLOSING) - (token.value in ")]}")
            if token.value == "," and depth == 0:
                parts.append([])
                continue
        parts[-1].append(token)
    return [part for part in parts if part]


def closing(tokens: list[Token], start: int) -> int:
    """The index of the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(tokens)):
        if tokens[index].kind == "op":
            depth += (tokens[index].value in CLOSING) - (tokens[index].value in ")]}")
            if depth == 0:
                return index
    return len(tokens)


if __name__ == "__main__":
    print(json.dumps(templates(*map(Path, sys.argv[1:2])), ensure_ascii=False, indent=0))
