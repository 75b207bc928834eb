#!/usr/bin/env python3
"""Makes the folder of a language, or adds what is missing in it, and lists what is to be translated: language.py LANG

LANG is a tag such as pt or pt-BR. Texts that are missing are those of the English file, and tables of words that are missing
have its rows without words, with the English ones as comments. Error messages that are missing are those of the sources. What
is there stays as it is, except error messages that no source has any more.
"""

import json
import re
import sys
from pathlib import Path

import error_messages

LANGUAGES = Path(__file__).resolve().parents[2] / "Domain/Languages"
ENGLISH = LANGUAGES / "en"
TAG = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?")
# Tables of which a language has rows of its own: English names and words of breeds stand for others.
OWN_ROWS = {"breed-names.tsv", "breed-words.tsv"}


def main() -> None:
    if len(sys.argv) != 2 or not TAG.fullmatch(sys.argv[1]):
        raise SystemExit(__doc__)
    tag = sys.argv[1]
    if tag == "en":
        raise SystemExit("en has the texts that stand for those that are missing in others")
    folder = LANGUAGES / tag
    folder.mkdir(exist_ok=True)
    if not (folder / "language.json").exists():
        write(folder / "language.json", properties(tag))
    missing = add_texts(folder / "texts.json")
    messages = add_error_messages(folder / "errors.json")
    for table in sorted(ENGLISH.glob("*.tsv")):
        add_table(table, folder / table.name)
    if not (folder / "breeds.tsv").exists():
        (folder / "breeds.tsv").write_text("# Names of breeds: the key of geodata/breeds.tsv, a tab, and the name.\n")
    print(f"{folder}: to be translated")
    for key in missing:
        print(f"  texts.json: {key}")
    for message in messages:
        print(f"  errors.json: {message}")
    for name, count in untranslated_tables(folder):
        print(f"  {name}: {count} rows without words")


def properties(tag: str) -> dict:
    """What language.json says before somebody edits it."""
    others = [json.loads(file.read_text()) for file in LANGUAGES.glob("*/language.json")]
    order = max(other["order"] for other in others) + 1
    return {"name": tag, "locale": tag.replace("-", "_"), "order": order, "direction": "ltr", "coloursPrecede": False}


def add_texts(file: Path) -> list[str]:
    """Writes the texts in the order of the English file, and returns the keys of those that are in English."""
    english = json.loads((ENGLISH / "texts.json").read_text())
    own = json.loads(file.read_text()) if file.exists() else {}
    texts = {
        group: {key: own.get(group, {}).get(key, text) for key, text in words.items()} for group, words in english.items()
    }
    if texts != own:
        write(file, texts)
    return [
        f"{group}.{key}" for group, words in english.items() for key, text in words.items()
        if text == texts[group][key] and re.search(r"[^\W\d_]{2}", re.sub(r"\{\w+\}", "", text))
    ]


def add_error_messages(file: Path) -> list[str]:
    """Writes the messages in the order of the sources, and returns those that are in English."""
    own = json.loads(file.read_text()) if file.exists() else {}
    messages = {template: own.get(template, template) for template in error_messages.templates()}
    if messages != own:
        write(file, messages)
    return [template for template, text in messages.items() if template == text]


def add_table(english: Path, file: Path) -> None:
    if file.exists():
        return
    lines = []
    for line in english.read_text().splitlines():
        if line.startswith("#"):
            lines.append(line)
        elif english.name not in OWN_ROWS:
            *keys, words = line.split("\t")
            lines += [f"# {words}", "\t".join([*keys, ""])]
    file.write_text("\n".join(lines) + "\n")


def untranslated_tables(folder: Path) -> list[tuple[str, int]]:
    counts = [
        (table.name, sum(line.endswith("\t") for line in table.read_text().splitlines()))
        for table in sorted(folder.glob("*.tsv"))
    ]
    return [(name, count) for name, count in counts if count]


def write(file: Path, value: dict) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    main()
