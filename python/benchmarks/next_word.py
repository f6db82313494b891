"""Next-word accuracy through SIL's InteractiveTranslator: this package beside Thot, word by word along references.

    pip install sil-machine sil-thot
    python next_word.py SYSTEM SOURCE TARGET [THOT_MODEL [MOST]]

All text is tokenised. THOT_MODEL is the folder that thot_post_editing.py leaves behind: trained on the same pairs, weights tuned by Thot's own
trainer. Each sentence is typed word by word; the first result's next word is right or not.
"""

import pathlib
import signal
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


def too_long(*_):
    raise TimeoutError


def typed(model, pairs, patience=6):
    """For each sentence, how many next words were right, and how many there were; the processor time. SIL's generator of results waits
    for ever on some graphs: such sentences are left out."""
    factory = InteractiveTranslatorFactory(model, WHITESPACE_TOKENIZER, WHITESPACE_DETOKENIZER)
    signal.signal(signal.SIGALRM, too_long)
    found, begin = {}, time.process_time()
    for number, (source, target) in pairs.items():
        right, words = 0, target.split()
        signal.alarm(patience)
        try:
            translator = factory.create(source)
            for place, word in enumerate(words):
                translator.set_prefix("".join(before + " " for before in words[:place]))
                best = next(translator.get_current_results(), None)
                right += best is not None and list(best.target_tokens[place : place + 1]) == [word]
            found[number] = right, len(words)
        except TimeoutError:
            pass
        signal.alarm(0)
    return found, time.process_time() - begin


def main():
    system, source, target, *more = sys.argv[1:]
    lines = [pathlib.Path(path).read_text(encoding="utf-8").splitlines() for path in (source, target)]
    pairs = dict(enumerate(list(zip(*lines))[: int(more[1]) if len(more) > 1 else None]))
    models = {"chiasm": ChiasmTranslationModel(system)}
    if more:
        models["thot"] = thot(pathlib.Path(more[0]))
    results = {name: typed(model, pairs) for name, model in models.items()}
    both = [number for number in pairs if all(number in found for found, _ in results.values())]
    for name, (found, taken) in results.items():
        right, asked = (sum(found[number][part] for number in both) for part in (0, 1))
        print(f"{name}: {100 * right / max(asked, 1):.1f} % of {asked} words, {len(both)} of {len(pairs)} sentences; {taken:.1f} CPU s for {len(found)}")


if __name__ == "__main__":
    main()
