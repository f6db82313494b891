"""Next-word accuracy through SIL's InteractiveTranslator: this package beside Thot, word by word along references.

    pip install sil-machine sil-thot
    python next_word.py SYSTEM SOURCE TARGET [THOT_MODEL [MOST]]

All text is tokenised. THOT_MODEL is the folder that thot_post_editing.py leaves behind: trained on the same pairs, weights tuned by Thot's own
trainer. Each sentence is typed word by word; the first result's next word is right or not.
"""

import pathlib
import sys
import time

from machine.tokenization import WHITESPACE_DETOKENIZER, WHITESPACE_TOKENIZER
from machine.translation import InteractiveTranslatorFactory

from chiasm.machine import ChiasmTranslationModel


def thot(folder):
    from machine.translation.thot import ThotSmtModel, ThotSmtParameters, ThotWordAlignmentModelType

    parameters = ThotSmtParameters()
    parameters.translation_model_filename_prefix = str(folder / "tm" / "src_trg")
    parameters.language_model_filename_prefix = str(folder / "lm" / "trg.lm")
    parameters.model_weights = [float(weight) for weight in (folder / "weights").read_text().split()]
    return ThotSmtModel(ThotWordAlignmentModelType.HMM, parameters)


def accuracy(name, model, pairs):
    factory = InteractiveTranslatorFactory(model, WHITESPACE_TOKENIZER, WHITESPACE_DETOKENIZER)
    right = asked = 0
    begin = time.process_time()
    for source, target in pairs:
        translator = factory.create(source)
        words = target.split()
        for typed, word in enumerate(words):
            translator.set_prefix("".join(before + " " for before in words[:typed]))
            best = next(translator.get_current_results(), None)
            found = best.target_tokens[typed : typed + 1] if best is not None else []
            asked += 1
            right += list(found) == [word]
    taken = time.process_time() - begin
    print(f"{name}: {100 * right / asked:.2f} % of {asked} words, {1000 * taken / asked:.1f} CPU ms a word", flush=True)


def main():
    system, source, target, *more = sys.argv[1:]
    lines = [pathlib.Path(path).read_text(encoding="utf-8").splitlines() for path in (source, target)]
    pairs = list(zip(*lines))[: int(more[1]) if len(more) > 1 else None]
    accuracy("chiasm", ChiasmTranslationModel(system), pairs)
    if more:
        accuracy("thot", thot(pathlib.Path(more[0])), pairs)


if __name__ == "__main__":
    main()
