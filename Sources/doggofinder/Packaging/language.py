#!/usr/bin/env python3
"""Makes the folder of a language, or adds what is missing in it, and lists what is to be translated or wrong: language.py LANG

LANG is a tag such as pt or pt-BR. Texts and names of breeds that are missing are the English ones, and tables of words that
are missing have the rows of the English ones without words, each behind a comment with the English words. Tables of names of
places have the places for which most other languages with such tables have names. What is there stays as it is.
"""

import json
import re
import sys
from pathlib import Path

from language_check import check, forms_of, with_forms

LANGUAGES = Path(__file__).resolve().parents[2] / "Domain/Languages"
BREEDS = Path(__file__).resolve().parents[3] / "geodata/breeds.tsv"
ENGLISH = LANGUAGES / "en"
TAG = re.compile(r"([a-z]{2,3})(-[A-Z][a-z]{3})?(-[A-Z]{2})?")
# Tables of which a language has rows of its own: English names and words of breeds stand for others.
OWN_ROWS = {"breed-names.tsv", "breed-words.tsv"}
# The names of places that gazetteer.bin does not have, of which English has none.
PLACES = {
    "countries.tsv": "Other names of countries than those of the Unicode CLDR: the code of the country",
    "exonyms.tsv": "Names of towns: the country, the name in geodata/gazetteer.bin",
    "regions.tsv": "Names of provinces, regions and states: the country, the name in geodata/gazetteer.bin",
}
# A short text that is the same in as many other languages is a name or a technical term, and needs no translation.
MIN_SAME, MAX_SAME_WORDS = 2, 4


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
        add_table(table, folder / table.name, tag)
    for name in PLACES:
        add_places(folder / name)
    add_breeds(folder / "breeds.tsv", tag)
    lines = [f"texts.json: {key}: {text!r}" for key, text in missing]
    lines += [f"{name}: {count} rows without words" for name, count in untranslated_tables(folder)]
    lines += check(folder, ENGLISH)
    print(f"{folder}: " + (f"{len(lines)} lines to look at" if lines else "nothing is to be translated"))
    print(*(f"  {line}\n" for line in lines), sep="", end="")


def properties(tag: str) -> dict:
    """What language.json says before somebody edits it."""
    others = [json.loads(file.read_text()) for file in LANGUAGES.glob("*/language.json")]
    order = max(other["order"] for other in others) + 1
    found = {"name": tag, "locale": tag.replace("-", "_"), "order": order, "direction": "ltr", "coloursPrecede": False,
             "plurals": {"one": "i = 1 and v = 0"}}
    region = TAG.fullmatch(tag)[3]
    return found | ({"country": region.removeprefix("-")} if region else {})


def add_texts(file: Path) -> list[tuple[str, str]]:
    """Writes the texts in the order of the English file, and returns the keys and texts of those that are in English."""
    forms = forms_of(file.parent)
    english = {group: with_forms(words, forms) for group, words in texts_of(ENGLISH).items()}
    own = json.loads(file.read_text()) if file.exists() else {}
    texts = {
        group: {key: own.get(group, {}).get(key, text) for key, text in words.items()} for group, words in english.items()
    }
    if texts != own:
        write(file, texts)
    others = [texts_of(folder) for folder in LANGUAGES.iterdir() if folder not in (ENGLISH, file.parent)]
    return [
        (f"{group}.{key}", text) for group, words in english.items() for key, text in words.items()
        if text == texts[group][key] and re.search(r"[^\W\d_]{2}", re.sub(r"\{\w+\}", "", text))
        and (len(text.split()) > MAX_SAME_WORDS or sum(text == other.get(group, {}).get(key) for other in others) < MIN_SAME)
    ]


def texts_of(folder: Path) -> dict[str, dict[str, str]]:
    return json.loads((folder / "texts.json").read_text())


def add_table(english: Path, file: Path, tag: str) -> None:
    if file.exists():
        return
    lines = []
    for line in english.read_text().splitlines():
        if line.startswith("#"):
            lines.append(line.replace("English", tag))
        elif english.name not in OWN_ROWS:
            *keys, words = line.split("\t")
            lines += [f"# {words}", "\t".join([*keys, ""])]
    file.write_text("\n".join(lines) + "\n")


def add_breeds(file: Path, tag: str) -> None:
    """Adds the English names of breeds that have none. The tests want a name for each."""
    head = f"# Names of breeds in {tag}: the key of geodata/breeds.tsv, which has the English name, and the name.\n"
    text = file.read_text() if file.exists() else head
    known = {line.split("\t")[0] for line in text.splitlines()}
    breeds = (line.split("\t") for line in BREEDS.read_text().splitlines()[1:])
    file.write_text(text + "".join(f"{key}\t{name}\n" for key, _, name, *_ in breeds if key not in known))


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
