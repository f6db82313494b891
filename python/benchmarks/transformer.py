"""A Transformer in JAX, trained on the same text as the ranker: what a public framework does with the same time.

    pip install jax optax sentencepiece
    python transformer.py train.ja train.en dev.ja dev.en test.ja --steps 10628 > test.out

Two layers a side, width 128, four heads, 4,000 and 3,000 subwords (BPE by SentencePiece), batches of about 600 target
subwords, Adam with warm-up and inverse square root, label smoothing 0.1, dropout 0.2: the shape and the recipe of the
ranker's size "small". The weights of the best look at the development set translate, by a beam of four. CPU seconds go
to standard error.
"""

import argparse
import functools
import io
import os
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.numpy as jnp
import numpy as np
import optax
import sentencepiece

WIDTH, INNER, HEADS, LAYERS = 128, 512, 4, 2
PAD, UNKNOWN, BEGIN, END = 0, 1, 2, 3
DROPOUT, SMOOTHING = 0.2, 0.1


def subwords(lines, size):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size, model_type="bpe", character_coverage=1.0,
        pad_id=PAD, unk_id=UNKNOWN, bos_id=BEGIN, eos_id=END, hard_vocab_limit=False, minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def parameters(seed, sizes):
    random = np.random.default_rng(seed)

    def matrix(rows, columns):
        return jnp.asarray(random.normal(0, np.sqrt(2 / (rows + columns)), (rows, columns)), jnp.float32)

    def attention():
        return {name: matrix(WIDTH, WIDTH) for name in "qkvo"}

    def layer(kinds):
        found = {kind: attention() for kind in kinds}
        found["in"], found["out"] = matrix(WIDTH, INNER), matrix(INNER, WIDTH)
        found["bias"] = jnp.zeros(INNER)
        found["norms"] = [(jnp.ones(WIDTH), jnp.zeros(WIDTH)) for _ in range(len(kinds) + 1)]
        return found

    return {
        "source": matrix(sizes[0], WIDTH), "target": matrix(sizes[1], WIDTH),
        "encoder": [layer(["self"]) for _ in range(LAYERS)], "decoder": [layer(["self", "other"]) for _ in range(LAYERS)],
        "ends": [(jnp.ones(WIDTH), jnp.zeros(WIDTH)) for _ in range(2)],
    }


def norm(x, scale):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale[0] + scale[1]


def positions(length):
    angle = np.arange(length)[:, None] / 10000 ** (np.arange(0, WIDTH, 2) / WIDTH)
    return jnp.asarray(np.concatenate([np.sin(angle), np.cos(angle)], 1), jnp.float32)


def drop(x, key, rate):
    return x if rate == 0 else x * jax.random.bernoulli(key, 1 - rate, x.shape) / (1 - rate)


def attend(weights, x, memory, mask):
    split = lambda y: y.reshape(*y.shape[:2], HEADS, -1)
    q, k, v = split(x @ weights["q"]), split(memory @ weights["k"]), split(memory @ weights["v"])
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(WIDTH / HEADS) + mask
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    return mixed.reshape(x.shape) @ weights["o"]


def blocks(layers, x, memory, masks, key, rate):
    for number, layer in enumerate(layers):
        keys = jax.random.split(jax.random.fold_in(key, number), 3)
        y = norm(x, layer["norms"][0])
        x = x + drop(attend(layer["self"], y, y, masks[0]), keys[0], rate)
        if memory is not None:
            x = x + drop(attend(layer["other"], norm(x, layer["norms"][1]), memory, masks[1]), keys[1], rate)
        inner = jax.nn.relu(norm(x, layer["norms"][-1]) @ layer["in"] + layer["bias"])
        x = x + drop(inner @ layer["out"], keys[2], rate)
    return x


def encode(p, source, key, rate):
    mask = jnp.where(source == PAD, -1e9, 0.0)[:, None, None, :]
    x = p["source"][source] * np.sqrt(WIDTH) + positions(source.shape[1])
    x = blocks(p["encoder"], drop(x, jax.random.fold_in(key, 90), rate), None, [mask], key, rate)
    return norm(x, p["ends"][0]), mask


def decode(p, memory, mask, target, key, rate):
    length = target.shape[1]
    causal = jnp.triu(jnp.full((length, length), -1e9), 1)
    x = p["target"][target] * np.sqrt(WIDTH) + positions(length)
    x = drop(x, jax.random.fold_in(key, 91), rate)
    x = blocks(p["decoder"], x, memory, [causal, mask], jax.random.fold_in(key, 1), rate)
    return norm(x, p["ends"][1]) @ p["target"].T


def loss(p, source, target, key, rate, smoothing):
    memory, mask = encode(p, source, key, rate)
    scores = jax.nn.log_softmax(decode(p, memory, mask, target[:, :-1], key, rate))
    gold = jnp.take_along_axis(scores, target[:, 1:, None], 2)[..., 0]
    each = (1 - smoothing) * gold + smoothing * scores.mean(-1)
    return -(each * (target[:, 1:] != PAD)).sum() / (target[:, 1:] != PAD).sum()


def batches(pairs, size, random):
    order = random.permutation(len(pairs))
    order = sorted(order, key=lambda n: (-(-len(pairs[n][1]) // 8), -(-len(pairs[n][0]) // 8)))
    found, now = [], []
    for number in order:
        now.append(number)
        if sum(len(pairs[n][1]) for n in now) >= size:
            found.append(now)
            now = []
    found += [now] if now else []
    random.shuffle(found)
    return found


def padded(lists, rows):
    width = max(8, -(-max(map(len, lists)) // 8) * 8)
    table = np.zeros((rows, width), np.int32)
    for row, items in enumerate(lists):
        table[row, : len(items)] = items
    return table


def rows(count):
    return -(-count // 16) * 16


def beam(p, source, width=4, most=60):
    """Translations of one sentence by length-normalised probability."""
    key = jax.random.key(0)
    memory, mask = jitted_encode(p, padded([source] * width, width), key)
    live, done = [([BEGIN], 0.0)], []
    while live and len(live[0][0]) <= min(most, 2 * len(source) + 10):
        scores = jitted_decode(p, memory, mask, padded([words for words, _ in live], width), key)
        grown = []
        for row, (words, score) in enumerate(live):
            last = np.asarray(scores[row, len(words) - 1])
            for word in np.argpartition(-last, width)[:width]:
                grown.append((words + [int(word)], score + float(last[word])))
        grown.sort(key=lambda one: -one[1])
        live = []
        for words, score in grown[:width]:
            (done if words[-1] == END else live).append((words, score))
        if len(done) >= width:
            break
    best = max(done or live, key=lambda one: one[1] / len(one[0]))
    return [word for word in best[0] if word > END]


jitted_encode = jax.jit(lambda p, source, key: encode(p, source, key, 0))
jitted_decode = jax.jit(lambda p, memory, mask, target, key: jax.nn.log_softmax(decode(p, memory, mask, target, key, 0)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs=5)
    parser.add_argument("--steps", type=int, default=10628)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    lines = [open(file, encoding="utf-8").read().splitlines() for file in asked.files]
    began = time.process_time()
    models = [subwords(lines[0], 4000), subwords(lines[1], 3000)]
    tell = lambda model, line: model.encode(line)[:100]
    read = lambda s, t: [(tell(models[0], a) + [END], [BEGIN] + tell(models[1], b) + [END]) for a, b in zip(s, t) if a and b]
    train, dev = read(*lines[:2]), read(*lines[2:4])
    p = parameters(asked.seed, [model.vocab_size() for model in models])
    rate = lambda step: 0.002 * jnp.minimum((step + 1) / 1000, jnp.sqrt(1000 / (step + 1)))
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate, b2=0.98))
    state = optimiser.init(p)

    @jax.jit
    def step(p, state, source, target, key):
        value, gradient = jax.value_and_grad(loss)(p, source, target, key, DROPOUT, SMOOTHING)
        change, state = optimiser.update(gradient, state)
        return optax.apply_updates(p, change), state, value

    measured = jax.jit(functools.partial(loss, rate=0, smoothing=0))
    random, key = np.random.default_rng(asked.seed), jax.random.key(asked.seed)
    held = batches(dev, 600, np.random.default_rng(0))
    number, best, kept = 0, np.inf, p
    while number < asked.steps:
        for batch in batches(train, 600, random):
            tables = [padded([train[n][side] for n in batch], rows(len(batch))) for side in (0, 1)]
            p, state, value = step(p, state, *tables, jax.random.fold_in(key, number))
            number += 1
            if number % 1000 == 0 or number == asked.steps:
                looks = [measured(p, *[padded([dev[n][s] for n in b], rows(len(b))) for s in (0, 1)], key) for b in held]
                now = float(np.mean(looks))
                best, kept = (now, p) if now < best else (best, kept)
                used = time.process_time() - began
                print(f"step {number}: perplexity {np.exp(now):.2f}, {used:.0f} CPU s", file=sys.stderr, flush=True)
            if number == asked.steps:
                break
    for line in lines[4]:
        print(models[1].decode(beam(kept, tell(models[0], line) + [END])), flush=True)
    print(f"in all {time.process_time() - began:.0f} CPU s", file=sys.stderr)


if __name__ == "__main__":
    main()
