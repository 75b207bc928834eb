#!/usr/bin/env python3
"""Makes the folder of a language, or adds what is missing in it, and lists what is to be translated: language.py LANG

LANG is a tag such as pt or pt-BR. Texts that are missing are those of the English file, and tables of words that are missing
have its rows without words, with the English ones as comments. Tables of names of places have the places for which
most other languages with such tables have names, with these as comments. What is there stays as it is.
"""

import json
import re
import sys
from pathlib import Path

LANGUAGES = Path(__file__).resolve().parents[2] / "Domain/Languages"
ENGLISH = LANGUAGES / "en"
TAG = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?")
# Tables of which a language has rows of its own: English names and words of breeds stand for others.
OWN_ROWS = {"breed-names.tsv", "breed-words.tsv"}
# The names of places that gazetteer.bin does not have, of which English has none.
PLACES = {
    "countries.tsv": "Other names of countries than those of the Unicode CLDR: the code of the country",
    "exonyms.tsv": "Names of towns: the country, the name in geodata/gazetteer.bin",
    "regions.tsv": "Names of provinces, regions and states: the country, the name in geodata/gazetteer.bin",
}


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
    for table in sorted(ENGLISH.glob("*.tsv")):
        add_table(table, folder / table.name)
    for name in PLACES:
        add_places(folder / name)
    if not (folder / "breeds.tsv").exists():
        (folder / "breeds.tsv").write_text("# Names of breeds: the key of geodata/breeds.tsv, a tab, and the name.\n")
    print(f"{folder}: to be translated")
    for key in missing:
        print(f"  texts.json: {key}")
    for name, count in untranslated_tables(folder):
        print(f"  {name}: {count} rows without words")


def properties(tag: str) -> dict:
    """What language.json says before somebody edits it."""
    others = [json.loads(file.read_text()) for file in LANGUAGES.glob("*/language.json")]
    order = max(other["order"] for other in others) + 1
    return {"name": tag, "locale": tag.replace("-", "_"), "order": order, "direction": "ltr", "coloursPrecede": False,
            "plurals": {"one": "i = 1 and v = 0"}}


def add_texts(file: Path) -> list[str]:
    """Writes the texts in the order of the English file, and returns the keys of those that are in English."""
    forms = [*json.loads((file.parent / "language.json").read_text())["plurals"], "other"]
    english = {
        group: with_forms(words, forms) for group, words in json.loads((ENGLISH / "texts.json").read_text()).items()
    }
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


def with_forms(words: dict[str, str], forms: list[str]) -> dict[str, str]:
    """The English texts with a key for each plural form of a language."""
    texts = {}
    for key, text in words.items():
        base, _, form = key.rpartition(".")
        if form == "other" and f"{base}.one" in words:
            texts |= {f"{base}.{form}": words.get(f"{base}.{form}", text) for form in forms}
        elif form != "one" or f"{base}.other" not in words:
            texts[key] = text
    return texts


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


def add_places(file: Path) -> None:
    if file.exists():
        return
    others = {path.parent.name: places(path) for path in sorted(LANGUAGES.glob(f"*/{file.name}"))}
    lines = [
        f"# {PLACES[file.name]}, and the names by which people search, separated by vertical bars.",
        "# Delete rows of places that have no other name in this language, and add rows of other places.",
    ]
    for key in sorted(set().union(*others.values())):
        named = [f"{tag} {names[key]}" for tag, names in others.items() if names.get(key)]
        if 2 * len(named) > len(others):
            lines += ["# " + ", ".join(named), f"{key}\t"]
    file.write_text("\n".join(lines) + "\n")


def places(file: Path) -> dict[str, str]:
    """The names of each place, by the columns before them."""
    rows = [line.rpartition("\t") for line in file.read_text().splitlines() if not line.startswith("#")]
    return {key: names for key, _, names in rows}


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
