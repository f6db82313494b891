"""What one machine of many does, under a name by which tasks find it."""

from chiasm._chiasm import shards as _native

Features, Momentum, Round, Rows, SummedLexicon = _native.Features, _native.Momentum, _native.Round, _native.Rows, _native.SummedLexicon
TextFile, WordCounter, Words = _native.TextFile, _native.WordCounter, _native.Words
align_columns, beginning, knowing, after_round = _native.align_columns, _native.beginning, _native.knowing, _native.after_round
merge, target_counts, target_marginals = _native.merge, _native.target_counts, _native.target_marginals
score, table_kind, reordering_lines = _native.score, _native.table_kind, _native.reordering_lines
seen, gather, begin, round = _native.seen, _native.gather, _native.begin, _native.round
gradient, curvature, minimise, describe = _native.gradient, _native.curvature, _native.minimise, _native.describe
