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


def interactive(model, sentence):
    from machine.tokenization import WHITESPACE_DETOKENIZER, WHITESPACE_TOKENIZER
    from machine.translation import ErrorCorrectionModel, InteractiveTranslatorFactory

    factory = InteractiveTranslatorFactory(model, WHITESPACE_TOKENIZER, WHITESPACE_DETOKENIZER)
    assert isinstance(factory.error_correction_model, ErrorCorrectionModel)
    return factory.create(sentence)


def test_their_interactive_translator_completes_and_teaches(system, tmp_path):
    copy = tmp_path / "copy.chiasm"
    copy.write_bytes(system.read_bytes())
    model = ChiasmTranslationModel(copy)
    translator = interactive(model, SENTENCE)
    assert next(translator.get_current_results()).translation == "the dog sees the book ."
    translator.append_to_prefix("the hound ")
    assert next(translator.get_current_results()).translation.startswith("the hound ")
    translator.set_prefix("the hound sees the tome .")
    translator.approve(aligned_only=False)
    assert model.translate(SENTENCE).translation == "the hound sees the tome ."
    assert ChiasmTranslationModel(copy).translate(SENTENCE).translation == "the hound sees the tome ."
    assert copy.read_bytes() == system.read_bytes()


def test_their_suggester(system):
    from machine.translation import PhraseTranslationSuggester

    translator = interactive(ChiasmTranslationModel(system), SENTENCE)
    translator.append_to_prefix("the ")
    suggester = PhraseTranslationSuggester(confidence_threshold=0.01)
    results = [next(translator.get_current_results())]
    suggestions = suggester.get_suggestions(1, 1, True, results)
    assert suggestions and list(suggestions[0].target_words)[:1] == ["dog"]


@pytest.mark.parametrize("words", [1, 3, 12, 40])
def test_graphs_stay_within_their_queue(system, words):
    sentence = " ".join((SENTENCE.split() * 8)[:words])
    graph = ChiasmTranslationModel(system).get_word_graph(sentence)
    assert sum(len(arc.target_tokens) for arc in graph.arcs) < 1000
    assert next(interactive(ChiasmTranslationModel(system), sentence).get_current_results()).translation


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
