"""SIL's machine.py on Chiasm."""

import pytest

pytest.importorskip("machine")
from conftest import sentences
from machine.corpora import DictionaryTextCorpus, MemoryText, StandardParallelTextCorpus, TextRow
from machine.translation import TranslationSources

from chiasm.machine import ChiasmTranslationModel, ChiasmWordAlignmentModel

SENTENCE = "der hund das buch sieht ."


def parallel(count):
    source, target, _ = sentences(count)

    def corpus(lines):
        rows = [TextRow("text", number, line.split()) for number, line in enumerate(lines)]
        return DictionaryTextCorpus(MemoryText("text", rows))

    return StandardParallelTextCorpus(corpus(source), corpus(target))


def test_training_and_translating(tmp_path):
    told = []
    options = {"preset": "quick", "config": {"text": {"dev_pairs": 40}, "tune": {"iterations": 1}}}
    model = ChiasmTranslationModel(tmp_path / "s.chiasm", **options)
    with model.create_trainer(parallel(300)) as trainer:
        trainer.train(progress=told.append)
        trainer.save()
        assert trainer.stats.train_corpus_size == 300
    result = model.translate(SENTENCE)
    assert result.translation == "the dog sees the book ."
    assert len(result.confidences) == len(result.target_tokens) == 6
    assert all(0 < confidence <= 1 for confidence in result.confidences)
    assert result.phrases[-1].target_segment_cut == 6
    assert set(result.sources) == {TranslationSources.SMT}
    assert model.translate(["der", "zebra", "das", "buch", "sieht", "."]).sources.count(TranslationSources.NONE) == 1
    assert len(model.translate_n(3, SENTENCE)) == 3 and len(model.translate_batch([SENTENCE] * 2)) == 2


def test_word_graphs(system):
    model = ChiasmTranslationModel(system)
    graph = model.get_word_graph(SENTENCE)
    assert list(graph.source_tokens) == SENTENCE.split()
    assert graph.final_states == {graph.state_count - 1}
    with pytest.raises(NotImplementedError):
        model.train_segment(SENTENCE, "the dog sees the book .")


def test_their_word_aligner(tmp_path):
    model = ChiasmWordAlignmentModel(tmp_path / "aligner")
    with model.create_trainer(parallel(300)) as trainer:
        trainer.train()
        trainer.save()
    assert model.training_alignment_count == 300
    matrix = model.align(SENTENCE.split(), "the dog sees the book .".split())
    assert matrix[1, 1] and matrix[4, 2]
    assert model.get_translation_score("hund", "dog") > 0.5 > model.get_translation_score("hund", "cat")
    translations = {model.target_words[number] for number, _ in model.get_translations("hund", 0.3)}
    assert translations == {"dog"}
    again = ChiasmWordAlignmentModel(tmp_path / "aligner")
    assert (again.align(SENTENCE.split(), "the dog sees the book .".split()).to_aligned_word_pairs()
            == matrix.to_aligned_word_pairs())
