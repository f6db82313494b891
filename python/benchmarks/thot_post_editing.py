"""Simulated post-editing with Thot (sil-thot and sil-machine of PyPI): the peer of `cargo xtask adapt`.

    pip install sil-thot sil-machine
    python thot_post_editing.py GENERAL_SOURCE GENERAL_TARGET STREAM_SOURCE STREAM_TARGET OUTPUT [THEN_SOURCE]

All files are tokenised text. A model is trained and its weights are tuned on the general pairs (its own trainer, which keeps a tenth of
them for the tuner and learns them afterwards); then each line of the stream is translated and learned with its reference. OUTPUT.frozen
gets the translations with nothing learned, OUTPUT.learning those with learning, then those of THEN_SOURCE with everything learned;
standard output the processor time of learning. The trained model stays in OUTPUT.model and is used again if it is there.
"""

import pathlib
import sys
import time

from machine.corpora import TextFileTextCorpus
from machine.translation.thot import ThotSmtModel, ThotSmtModelTrainer, ThotSmtParameters, ThotWordAlignmentModelType

ALIGNER = ThotWordAlignmentModelType.HMM


def trained(source, target, folder):
    """The parameters of a tuned model in `folder`."""
    parameters = ThotSmtParameters()
    parameters.translation_model_filename_prefix = str(folder / "tm" / "src_trg")
    parameters.language_model_filename_prefix = str(folder / "lm" / "trg.lm")
    weights = folder / "weights"
    if weights.exists():
        parameters.model_weights = [float(weight) for weight in weights.read_text().split()]
        return parameters
    folder.mkdir(parents=True)
    corpus = TextFileTextCorpus(source).align_rows(TextFileTextCorpus(target))
    with ThotSmtModelTrainer(ALIGNER, corpus, parameters) as trainer:
        begin = time.process_time()
        trainer.train()
        trainer.save()
        parameters = trainer.parameters
        print(f"training: {time.process_time() - begin:.1f} CPU s, {trainer.stats.metrics}", flush=True)
    weights.write_text(" ".join(str(weight) for weight in parameters.model_weights))
    return parameters


def main():
    general_source, general_target, stream_source, stream_target, output, *then = sys.argv[1:]
    parameters = trained(general_source, general_target, pathlib.Path(output + ".model"))

    def lines(path):
        return pathlib.Path(path).read_text(encoding="utf-8").splitlines()

    for learning in (False, True):
        # What it learns is in memory alone; each way begins with the model as it was trained.
        with ThotSmtModel(ALIGNER, parameters) as model, open(output + (".learning" if learning else ".frozen"), "w") as out:
            translating = learned = 0.0
            pairs = list(zip(lines(stream_source), lines(stream_target)))
            for source, target in pairs:
                begin = time.process_time()
                print(" ".join(model.translate(source.split()).target_tokens), file=out)
                translating += time.process_time() - begin
                if learning:
                    begin = time.process_time()
                    model.train_segment(source.split(), target.split())
                    learned += time.process_time() - begin
            for source in lines(then[0]) if then else []:
                print(" ".join(model.translate(source.split()).target_tokens), file=out)
            print(
                f"{'learning' if learning else 'frozen'}: translating {1000 * translating / len(pairs):.2f}, "
                f"learning {1000 * learned / len(pairs):.2f} CPU ms a pair",
                flush=True,
            )


if __name__ == "__main__":
    main()
