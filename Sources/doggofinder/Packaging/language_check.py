"""Finds mistakes in the folder of a language that the tests would find after a build, and words that are like others."""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# Kinds of search-words.tsv that say something of an animal. Other words only join them.
TELLING = {"species", "status", "sex", "size", "age", "breeds", "mixed"}
# For each table the number of columns before the words.
KEYS = {
    "search-words.tsv": 2, "colours.tsv": 1, "dates.tsv": 2, "synonyms.tsv": 1, "whereabouts.tsv": 1, "requests.tsv": 1,
    "import-columns.tsv": 2, "import-values.tsv": 2, "places.tsv": 2, "plain-words.tsv": 1,
}
# Shorter words are not read as misspelt colours: see ColourReader.
MIN_MISSPELT, MIN_COLOUR = 5, 4


def check(folder: Path, english: Path) -> Iterator[str]:
    others = [other for other in sorted(folder.parent.iterdir()) if other.is_dir() and other != folder]
    yield from changed_parts(folder, english)
    yield from unfolded_words(folder)
    yield from doubled_names(folder)
    yield from other_meanings(folder, others)
    yield from like_colours(folder, others)


def rows(file: Path) -> list[list[str]]:
    if not file.exists():
        return []
    return [line.split("\t") for line in file.read_text().splitlines() if line and not line.startswith("#")]


def phrases(folder: Path, table: str) -> Iterator[tuple[str, str]]:
    """The key and each phrase of a table. Phrases of requests can begin with "="."""
    for row in rows(folder / table):
        if row[0] != "distance":
            yield from ((" ".join(row[: KEYS[table]]), phrase) for phrase in row[-1].split("|") if phrase)


def fold(text: str) -> str:
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(sign))
    return " ".join(re.findall(r"[^\W_]+", plain))


def changed_parts(folder: Path, english: Path) -> Iterator[str]:
    def parts(text: str) -> list[str]:
        return sorted(re.findall(r"{\w+}|<[^>]+>|\n", text))

    forms = forms_of(folder)
    texts = json.loads((folder / "texts.json").read_text())
    for group, words in json.loads((english / "texts.json").read_text()).items():
        for key, text in with_forms(words, forms).items():
            (expected, found) = (parts(text), parts(texts[group][key]))
            # "One person" and "{n} people" are forms of one text.
            if key.rpartition(".")[2] in forms[:-1]:
                (expected, found) = ([part for part in kept if part != "{n}"] for kept in (expected, found))
            if expected != found:
                yield f"texts.json: {group}.{key}: expected {expected}"


def forms_of(folder: Path) -> list[str]:
    """The plural forms of a language."""
    return [*json.loads((folder / "language.json").read_text())["plurals"], "other"]


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


def unfolded_words(folder: Path) -> Iterator[str]:
    for table in KEYS:
        for key, phrase in phrases(folder, table):
            if phrase.removeprefix("=") != fold(phrase):
                yield f"{table}: {key}: expected {fold(phrase)}, found {phrase}"


def doubled_names(folder: Path) -> Iterator[str]:
    keys: dict[str, str] = {}
    for key, name in rows(folder / "breeds.tsv"):
        other = keys.setdefault(fold(name), key)
        if other != key:
            yield f"breeds.tsv: {name} is {other} and {key}"


def other_meanings(folder: Path, others: list[Path]) -> Iterator[str]:
    """Phrases that mean something else in another language. Searches are read in the language of their page first, so words
    of animals matter where they are English or Italian."""
    for other in others:
        yield from conflicts(folder, other, "colours.tsv")
        yield from conflicts(folder, other, "synonyms.tsv")
        if other.name in ("en", "it"):
            yield from conflicts(folder, other, "search-words.tsv", TELLING)


def conflicts(folder: Path, other: Path, table: str, telling: set[str] | None = None) -> Iterator[str]:
    """Of `telling` kinds, one of the two meanings has to be."""
    own, known = meanings(folder, table), meanings(other, table)
    for phrase in sorted(own.keys() & known.keys()):
        kinds = {key.split(" ")[0] for key in own[phrase] ^ known[phrase]}
        if not own[phrase] & known[phrase] and "none" not in kinds and (telling is None or kinds & telling):
            mine, others = (" and ".join(sorted(keys)) for keys in (own[phrase], known[phrase]))
            yield f"{table}: {phrase} is {mine}, and in {other.name} {others}"


def meanings(folder: Path, table: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for key, phrase in phrases(folder, table):
        found.setdefault(phrase, set()).add(key)
    return found


def like_colours(folder: Path, others: list[Path]) -> Iterator[str]:
    """Words that would be read as misspelt colours, for the row "none": those of the language that are like any colour, and those
    of other languages that are like its colours only."""
    colours = {language: meanings(language, "colours.tsv") for language in [folder, *others]}
    known = set().union(*colours.values())
    of_others = frozenset().union(*(names(colours[other]) for other in others))
    own_words = words_of_tables(folder) | words_of_texts(folder)
    other_words = set().union(*map(words_of_tables, others)) - own_words
    yield from misspelt(own_words - known, of_others | names(colours[folder]))
    also = {word for word in other_words if neighbours(word, of_others)}
    yield from misspelt(other_words - known - also, names(colours[folder]))


def names(colours: dict[str, set[str]]) -> frozenset[str]:
    return frozenset(name for name, keys in colours.items() if keys != {"none"} and " " not in name and len(name) >= MIN_COLOUR)


def words_of_tables(folder: Path) -> set[str]:
    tables = [table for table in KEYS if table != "colours.tsv"]
    return {word for table in tables for _, phrase in phrases(folder, table) for word in fold(phrase).split()}


def words_of_texts(folder: Path) -> set[str]:
    texts = json.loads((folder / "texts.json").read_text()).values()
    return {word for group in texts for text in group.values() for word in fold(re.sub(r"{\w+}", " ", text)).split()}


def misspelt(words: set[str], colours: frozenset[str]) -> Iterator[str]:
    for word in sorted(words):
        if len(word) >= MIN_MISSPELT and (near := neighbours(word, colours)):
            yield f"colours.tsv: {word} is like {min(near)}"


def neighbours(word: str, colours: frozenset[str]) -> set[str]:
    """The colours that differ in one letter, or in two letters that change places."""
    return {name for cut in cuts(word) for name in by_cut(colours).get(cut, ()) if is_one_edit(word, name)}


@cache
def by_cut(colours: frozenset[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in colours:
        for cut in cuts(name):
            found.setdefault(cut, []).append(name)
    return found


def cuts(word: str) -> set[str]:
    """The word, and the word without one of its letters. Words that differ in one edit have one in common."""
    return {word} | {word[:index] + word[index + 1:] for index in range(len(word))}


def is_one_edit(left: str, right: str) -> bool:
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    start = next((index for index, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
    (a, b) = (left[start:], right[start:])
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
