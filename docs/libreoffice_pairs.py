"""Sentence pairs from Debian's LibreOffice help: python3 libreoffice_pairs.py FOLDER ja en > pairs.tsv

The pages of both languages have the same paths, and their paragraphs the same ids. A pair of paragraphs becomes pairs of
sentences where both have the same number of them, and one pair otherwise. Repeated pairs are left out.
"""

import html
import pathlib
import re
import sys

PARAGRAPH = re.compile(r'<(?:p|h[1-6]) id="([^"]+)"[^>]*>(.*?)</(?:p|h[1-6])>', re.DOTALL)
SENTENCE_END = {"ja": re.compile(r"(?<=[。！？])"), "en": re.compile(r"(?<=[.!?])\s+(?=[A-Z])")}


def paragraphs(path):
    found = {}
    for name, inner in PARAGRAPH.findall(path.read_text(encoding="utf-8")):
        text = html.unescape(re.sub(r"<[^>]*>", "", inner))
        found.setdefault(name, " ".join(text.split()))
    return found


def sentences(text, language):
    pieces = SENTENCE_END.get(language, SENTENCE_END["en"]).split(text)
    return [piece.strip() for piece in pieces if piece.strip()]


def main():
    folder, source, target = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    names = {"en": "en-US"}
    root = folder / "usr/share/libreoffice/help"
    source_root, target_root = (root / names.get(side, side) for side in (source, target))
    seen = set()
    for path in sorted(source_root.rglob("*.html")):
        other = target_root / path.relative_to(source_root)
        if not other.exists():
            continue
        mine, theirs = paragraphs(path), paragraphs(other)
        for name, text in mine.items():
            pair = (sentences(text, source), sentences(theirs.get(name, ""), target))
            if len(pair[0]) != len(pair[1]):
                pair = ([" ".join(pair[0])], [" ".join(pair[1])])
            for both in zip(*pair):
                # Paragraphs that were not translated are the same in both languages.
                if all(both) and both[0] != both[1] and both not in seen:
                    seen.add(both)
                    print("\t".join(both))


main()
