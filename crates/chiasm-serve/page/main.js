// The page: what was typed goes to the server, what comes back becomes pictures.

import { get, post, postPatiently, explainTrouble, Trouble, useToken } from "./server.js";
import { Picture, isRightToLeft, make } from "./picture.js";
import { judgement, panel } from "./details.js";
import { keepPins, keepText, keptPins, keptText } from "./kept.js";
import { fillMemory, remembered, workbench } from "./workbench.js";

const NBEST = 50;
const AT_ONCE = 4;
const HOVER_MILLISECONDS = 120;
const LONG_LINE = 200;

const at = (id) => document.getElementById(id);
const page = { systems: [], limits: {}, running: null };

// Says something to everyone, and `heard` to those who cannot see the rest of the page.
function tell(text, heard = "") {
  at("status").replaceChildren(text, make("span", "heard", heard));
}

function showTrouble(trouble, again) {
  if (trouble.name === "AbortError") return;
  at("problem-text").textContent = explainTrouble(trouble);
  at("problem").dataset.kind = trouble.kind ?? "page";
  at("problem").hidden = false;
  const retry = at("again");
  at("token-label").hidden = trouble.kind !== "token";
  retry.hidden = trouble.kind === "too_long";
  retry.onclick = () => {
    if (trouble.kind === "token") useToken(at("token").value);
    hideTrouble();
    again();
  };
  tell("");
}

function hideTrouble() {
  at("problem").hidden = true;
}

// One sentence as one system translates it.
class View {
  constructor(line, system) {
    Object.assign(this, { line, system, pins: keptPins(system, line), sentence: null, chosen: null, explanations: new Map() });
    this.element = make("div", "view", null, { "data-system": system.name });
    this.element.addEventListener("pointerleave", () => {
      if (this.chosen !== null) this.point(this.chosen);
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.chosen !== null) this.release();
    });
  }

  request() {
    return { text: [this.line], system: this.system.name, constraints: this.pins, ...remembered(this.system) };
  }

  async translate(signal) {
    this.element.setAttribute("aria-busy", "true");
    try {
      const busy = () => tell("The server is busy; trying again …");
      const request = { ...this.request(), nbest: NBEST, distinct: true, confidence: true };
      const answer = await postPatiently("/v1/translate", request, signal, busy);
      this.sentence = answer.sentences[0];
      this.explanations.clear();
      this.chosen = null;
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  render(differing) {
    const { sentence, system } = this;
    const direction = isRightToLeft(system.target_language, sentence.translation) ? "rtl" : "ltr";
    const text = make("p", "translation", sentence.translation, { dir: direction });
    if (system.target_language !== "und") text.lang = system.target_language;
    this.picture = new Picture({
      sentence, system, differing, pins: this.pins,
      onPoint: (number) => this.point(this.chosen ?? number),
      onChoose: (number) => (this.chosen === number ? this.release() : this.choose(number)),
    });
    this.slot = make("div", "slot");
    this.pointed = null;
    this.bench = workbench({
      line: this.line, system, direction, translation: sentence.translation,
      onLearned: (said) => this.learned(said),
    });
    const parts = [text, judgement(sentence), this.bench, this.picture.element, this.slot].filter((part) => part !== null);
    if (page.systems.length > 1) parts.unshift(make("h2", "", system.name));
    this.element.replaceChildren(...parts);
  }

  // Translates again with what was learned or forgotten just now.
  async learned(said) {
    await this.translate();
    this.card.render();
    this.bench.announce(said);
    tell(said, ` It now reads: ${this.sentence.translation}`);
    await showMemory();
  }

  // Shows what is known of a phrase, here and of the same source words in the other picture.
  point(number) {
    this.show(number);
    for (const other of this.card.views) {
      if (other === this || other.chosen !== null) continue;
      const [start] = this.sentence.phrases[number].source;
      const covers = ({ source }) => source[0] <= start && start < source[1];
      const found = other.sentence.phrases.findIndex(covers);
      if (found >= 0) other.show(found);
    }
  }

  show(number) {
    this.picture.light(number, this.chosen);
    if (number === this.pointed) return;
    this.pointed = number;
    clearTimeout(this.timer);
    this.showPanel();
    if (this.explanations.has(number)) return;
    this.timer = setTimeout(() => this.explain(number), HOVER_MILLISECONDS);
  }

  choose(number) {
    this.chosen = number;
    this.pointed = null;
    this.point(number);
    // A new panel follows when the reasons arrive; the focus moves with it.
    this.slot.querySelector("h3")?.focus({ preventScroll: true });
  }

  release() {
    const number = this.chosen;
    this.chosen = null;
    this.picture.light(number, null);
    this.picture.blocks.target[number]?.focus({ preventScroll: true });
  }

  isPinned(number) {
    const [from, to] = this.sentence.phrases[number].source;
    return this.pins.some(({ source }) => source[0] === from && source[1] === to);
  }

  showPanel() {
    const number = this.pointed;
    const focused = this.slot.contains(document.activeElement);
    this.slot.replaceChildren(panel({
      sentence: this.sentence,
      number,
      pinned: this.isPinned(number),
      explanation: this.explanations.get(number) ?? null,
      onPin: (target) => this.pin(number, target),
      onUnpin: () => this.pin(number, null),
    }));
    if (focused) this.slot.querySelector("h3").focus({ preventScroll: true });
  }

  async explain(number) {
    const { sentence, explanations } = this;
    const phrase = sentence.phrases[number];
    const inside = ([s, t]) => phrase.source[0] <= s && s < phrase.source[1] && phrase.target[0] <= t && t < phrase.target[1];
    const request = {
      text: this.line,
      system: this.system.name,
      source: phrase.source,
      target: sentence.tokens.slice(...phrase.target),
      links: sentence.alignment.filter(inside).map(([s, t]) => [s - phrase.source[0], t - phrase.target[0]]),
    };
    let explanation;
    try {
      explanation = await post("/v1/explain", request);
    } catch (trouble) {
      explanation = new Trouble(trouble.kind, explainTrouble(trouble));
    }
    if (this.sentence !== sentence) return;
    explanations.set(number, explanation);
    if (this.pointed === number) this.showPanel();
  }

  // Fixes the translation of a phrase, or lets it free, and translates again.
  async pin(number, target) {
    const { source } = this.sentence.phrases[number];
    const before = this.pins;
    this.pins = before.filter((pin) => pin.source[0] !== source[0] || pin.source[1] !== source[1]);
    if (target !== null) this.pins = [...this.pins, { source, target }];
    try {
      hideTrouble();
      await this.translate();
    } catch (trouble) {
      this.pins = before;
      showTrouble(trouble, () => this.pin(number, target));
      return;
    }
    keepPins(this.system, this.line, this.pins);
    this.card.render();
    const follows = this.sentence.phrases.findIndex((phrase) => phrase.source[0] === source[0] && phrase.source[1] === source[1]);
    if (follows >= 0) {
      this.picture.blocks.target[follows].focus({ preventScroll: true });
      this.point(follows);
    }
    tell(target === null ? "Unpinned." : "Pinned; the sentence follows.", ` It now reads: ${this.sentence.translation}`);
  }
}

// One sentence, by one system or by two side by side.
class Card {
  constructor(line, systems) {
    this.views = systems.map((system) => new View(line, system));
    for (const view of this.views) view.card = this;
    this.element = make("article", `card sentence${systems.length > 1 ? " two" : ""}`);
    const waiting = make("p", "quiet", line, { dir: "auto" });
    this.element.append(waiting);
  }

  async translate(signal) {
    await Promise.all(this.views.map((view) => view.translate(signal)));
    this.element.replaceChildren(...this.views.map((view) => view.element));
    this.render();
  }

  render() {
    const words = this.views.map((view) => view.sentence.tokens);
    const differing = words.length < 2 ? [new Set()] : [notIn(words[0], words[1]), notIn(words[1], words[0])];
    this.element.classList.remove("stacked");
    this.views.forEach((view, number) => view.render(differing[number]));
    for (const { picture } of this.views) picture.fit();
    const narrow = this.views.some(({ picture }) => picture.wraps());
    this.element.classList.toggle("stacked", this.views.length > 1 && narrow);
  }
}

// Positions of the words that are not part of the longest sequence that both have.
function notIn(words, others) {
  const longest = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i -= 1) {
    for (let j = others.length - 1; j >= 0; j -= 1) {
      longest[i][j] = words[i] === others[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const alone = new Set();
  for (let i = 0, j = 0; i < words.length;) {
    if (j < others.length && words[i] === others[j]) { i += 1; j += 1; }
    else if (j < others.length && longest[i][j + 1] >= longest[i + 1][j]) j += 1;
    else { alone.add(i); i += 1; }
  }
  return alone;
}

// A line is a sentence; a long one is taken for a paragraph and cut into its sentences.
function sentencesOf(line) {
  if (line.length <= LONG_LINE || !("Segmenter" in Intl)) return [line];
  const language = page.systems.find(({ name }) => name === at("system").value)?.source_language;
  const known = language && language !== "und" ? language : undefined;
  const parts = new Intl.Segmenter(known, { granularity: "sentence" }).segment(line);
  return Array.from(parts, ({ segment }) => segment);
}

// Too much is said before it is sent.
function checkLength(lines, text) {
  const { sentences, body_bytes: bytes } = page.limits;
  if (lines.length > sentences) throw new Trouble("too_long", `${lines.length} sentences, and at most ${sentences} are taken`);
  const size = new Blob([text]).size;
  if (size > bytes - 1000) throw new Trouble("too_long", `${size} bytes, and at most ${bytes - 1000} are taken`);
}

function chosenSystems() {
  const named = (name) => page.systems.find((system) => system.name === name);
  const [first, other] = [named(at("system").value), named(at("other").value)];
  return other && other !== first ? [first, other] : [first];
}

async function translate() {
  page.running?.abort();
  hideTrouble();
  keepText(at("text").value);
  const lines = at("text").value.split("\n").flatMap(sentencesOf).map((line) => line.trim()).filter((line) => line !== "");
  if (lines.length === 0) {
    tell("Type a sentence first.");
    at("text").focus();
    return;
  }
  const running = new AbortController();
  page.running = running;
  try {
    checkLength(lines, at("text").value);
    if (page.systems.length === 0) await loadSystems();
    tell("Translating …");
    const cards = lines.map((line) => new Card(line, chosenSystems()));
    page.cards = cards;
    at("results").replaceChildren(...cards.map((card) => card.element));
    at("take").hidden = true;
    await inTurn(cards, (card) => card.translate(running.signal));
    at("legend").hidden = false;
    at("take").hidden = false;
    if (at("results").getBoundingClientRect().top > window.innerHeight * 0.7) at("take").scrollIntoView();
    await showMemory();
    tell(cards.length === 1 ? "Translated." : `${cards.length} sentences translated.`, ` ${cards[0].views[0].sentence.translation}`);
  } catch (trouble) {
    running.abort();
    if (page.running === running) showTrouble(trouble, translate);
  }
}

// The translations as they stand on the page, a sentence a line.
const translations = () => page.cards.map(({ views }) => `${views[0].sentence.translation}\n`).join("");

async function copy() {
  try {
    await navigator.clipboard.writeText(translations());
    tell("Copied.");
  } catch {
    tell("The browser does not let this page copy; the download holds the same.");
  }
}

function download() {
  const link = make("a", "", null, { download: "translation.txt" });
  link.href = URL.createObjectURL(new Blob([translations()], { type: "text/plain" }));
  link.click();
  URL.revokeObjectURL(link.href);
}

async function openFile() {
  const [file] = at("file").files;
  if (!file) return;
  at("text").value = (await file.text()).replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  at("file").value = "";
  await translate();
}

// What the chosen system was taught, if it can learn.
async function showMemory() {
  const [system] = chosenSystems();
  at("memory").hidden = !system?.learns;
  if (system?.learns && at("memory").open) await fillMemory(at("pairs"), system, translate);
}

// Works on all items, a few at a time.
async function inTurn(items, work) {
  const waiting = [...items];
  const worker = async () => {
    while (waiting.length > 0) await work(waiting.shift());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

// Whoever comes for the first time sees a translation, if the server has a sentence to show.
async function showExample() {
  if (at("text").value !== "" || !page.examples?.length) return;
  at("text").value = page.examples[0];
  await translate();
}

async function loadSystems() {
  const { systems, limits, examples } = await get("/v1/systems");
  Object.assign(page, { systems, limits });
  const option = ({ name, source_language: from, target_language: to }) => {
    const languages = from === "und" && to === "und" ? "" : ` (${from} → ${to})`;
    return make("option", "", name + languages, { value: name });
  };
  at("system").replaceChildren(...systems.map(option));
  at("other").replaceChildren(make("option", "", "nothing", { value: "" }), ...systems.map(option));
  at("compare").hidden = systems.length < 2;
  page.examples = examples;
  at("examples").hidden = examples.length === 0;
  at("examples").replaceChildren(...examples.map((example) => {
    const button = make("button", "example", example, { type: "button", dir: "auto" });
    button.addEventListener("click", () => {
      at("text").value = example;
      translate();
    });
    return button;
  }));
}

at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  translate();
});
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    translate();
  }
});
for (const id of ["system", "other"]) {
  at(id).addEventListener("change", () => {
    if (at("text").value.trim() !== "") translate();
  });
}
at("memory").addEventListener("toggle", () => showMemory().catch((trouble) => showTrouble(trouble, showMemory)));
at("copy").addEventListener("click", copy);
at("download").addEventListener("click", download);
at("file").addEventListener("change", openFile);
at("text").value = keptText();
const start = () => loadSystems().then(showMemory).then(showExample).catch((trouble) => showTrouble(trouble, start));
start();
