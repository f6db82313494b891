// The picture of a sentence: source phrases above, target phrases below, curves between them.

const SVG = "http://www.w3.org/2000/svg";

// An element with a class, text and attributes. Text only ever becomes text.
export function make(tag, className = "", text = null, attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== null) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const GROUPS = {
  monotone: { group: "monotone", sign: "→" },
  right: { group: "monotone", sign: "→" },
  swap: { group: "swap", sign: "⇄" },
  left: { group: "swap", sign: "⇄" },
  discontinuous: { group: "discontinuous", sign: "⤳" },
  "discontinuous-left": { group: "discontinuous", sign: "⬿" },
  "discontinuous-right": { group: "discontinuous", sign: "⤳" },
  other: { group: "discontinuous", sign: "⤳" },
};

// How an orientation is drawn.
export const orientationLook = (name) => GROUPS[name] ?? { group: "none", sign: "·" };

const ORDER = ["monotone", "right", "swap", "left", "discontinuous", "discontinuous-left", "discontinuous-right", "other"];

// The entries of an object by orientation, always in the same order.
export const byOrientation = (shares) => Object.entries(shares).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b));

const RIGHT_TO_LEFT = new Set(["ar", "fa", "he", "ur", "yi", "ps", "sd", "ug", "dv", "ckb"]);
const RIGHT_TO_LEFT_LETTER =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// The direction of a text: that of its language if it is known, else of its first letter.
export function isRightToLeft(language, text) {
  if (language && language !== "und") return RIGHT_TO_LEFT.has(language.split("-")[0].toLowerCase());
  const letter = text.match(/\p{L}/u);
  return letter !== null && RIGHT_TO_LEFT_LETTER.test(letter[0]);
}

// Words of which the system is less sure are marked.
const DOUBTFUL = 0.3;

const percent = (share) => `${Math.round(share * 100)} %`;

export class Picture {
  // `view`: sentence, system, pins, differing (positions of target words), and the callbacks
  // onPoint(phrase) and onChoose(phrase).
  constructor(view) {
    this.view = view;
    const { sentence, system } = view;
    this.element = make("div", "picture", null, { role: "group", "aria-label": "Phrases and how they moved" });
    this.inner = make("div", "inner");
    // Both rows run in the direction of the source, so that curves cross where phrases swap and
    // nowhere else.
    const backwards = isRightToLeft(system.source_language, sentence.source.join(" "));
    this.inner.dir = backwards ? "rtl" : "ltr";
    this.curves = document.createElementNS(SVG, "svg");
    this.curves.setAttribute("class", "curves");
    this.curves.setAttribute("aria-hidden", "true");
    const order = sentence.phrases.map((_, number) => number);
    const bySource = [...order].sort((a, b) => sentence.phrases[a].source[0] - sentence.phrases[b].source[0]);
    this.blocks = { source: [], target: [] };
    const between = make("div", "between");
    between.append(this.curves);
    this.inner.append(this.row("source", bySource), between, this.row("target", order));
    this.element.append(this.inner);
    if (backwards) this.element.append(make("p", "quiet reading", "Both rows read from right to left."));
    this.observer = new ResizeObserver(() => {
      this.fit();
      this.drawCurves();
    });
    this.observer.observe(this.element);
    this.observer.observe(this.inner);
  }

  // Is there more than can be seen at once?
  overflows() {
    return this.element.scrollWidth > this.element.clientWidth + 1;
  }

  // Makes the blocks smaller if that helps, and breaks the rows if it does not.
  fit() {
    if (this.width === this.element.clientWidth) return;
    this.width = this.element.clientWidth;
    this.element.classList.remove("dense", "wrapped");
    this.element.classList.toggle("dense", this.overflows());
    this.element.classList.toggle("wrapped", this.overflows());
  }

  wraps() {
    return this.element.classList.contains("wrapped");
  }

  row(side, order) {
    const label = side === "source" ? "Source phrases" : "Phrases of the translation";
    const row = make("div", `row ${side}`, null, { role: "group", "aria-label": label });
    order.forEach((number, place) => {
      const block = this.block(side, number);
      block.tabIndex = place === 0 ? 0 : -1;
      this.blocks[side][number] = block;
      row.append(block);
    });
    row.addEventListener("keydown", (event) => this.moveFocus(event, row));
    return row;
  }

  block(side, number) {
    const { sentence, system, pins, differing } = this.view;
    const phrase = sentence.phrases[number];
    const look = orientationLook(phrase.orientation);
    const pinned = pins.some((pin) => pin.source[0] === phrase.source[0] && pin.source[1] === phrase.source[1]);
    const block = make("button", `block ${look.group}`, null, { type: "button", "data-phrase": number, "aria-pressed": "false" });
    if (phrase.unknown) block.classList.add("unknown");
    if (pinned) block.classList.add("pinned");
    const [from, to] = phrase[side];
    const words = (side === "source" ? sentence.source : sentence.tokens).slice(from, to);
    const text = make("bdi", "words");
    const language = side === "source" ? system.source_language : system.target_language;
    if (language !== "und") text.lang = language;
    words.forEach((word, at) => {
      if (at > 0) text.append(" ");
      const differs = side === "target" && differing.has(from + at);
      const sure = side === "target" ? sentence.confidences?.[from + at] ?? 1 : 1;
      if (sure < DOUBTFUL && !phrase.unknown) {
        text.append(make("span", differs ? "differs doubtful" : "doubtful", word, { title: `${percent(sure)} sure` }));
      } else {
        text.append(differs ? make("em", "differs", word) : word);
      }
    });
    if (words.length === 0) text.append("∅");
    block.append(make("span", "number", String(number + 1)), text);
    if (side === "target") block.append(make("span", "sign", pinned ? "⚑" : look.sign));
    block.setAttribute("aria-label", this.label(number, pinned));
    block.addEventListener("pointerenter", () => this.view.onPoint(number));
    block.addEventListener("focus", () => this.view.onPoint(number));
    block.addEventListener("click", () => this.view.onChoose(number));
    return block;
  }

  label(number, pinned) {
    const { sentence } = this.view;
    const phrase = sentence.phrases[number];
    const source = sentence.source.slice(...phrase.source).join(" ");
    const target = sentence.tokens.slice(...phrase.target).join(" ");
    const share = phrase.orientation_probabilities[phrase.orientation];
    const parts = [`Phrase ${number + 1}: ${source} becomes ${target}`, phrase.orientation ?? "no orientation"];
    if (share !== undefined) parts.push(`probability ${percent(share)} by ${phrase.orientation_model}`);
    if (phrase.unknown) parts.push("unknown word, copied");
    if (pinned) parts.push("pinned");
    return parts.join(", ");
  }

  // Arrow keys move within a row, so that Tab passes each row once.
  moveFocus(event, row) {
    const blocks = [...row.children];
    const at = blocks.indexOf(event.target.closest(".block"));
    const ahead = this.inner.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = this.inner.dir === "rtl" ? "ArrowRight" : "ArrowLeft";
    const places = { [ahead]: at + 1, [back]: at - 1, Home: 0, End: blocks.length - 1 };
    const next = blocks[places[event.key]];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    for (const block of blocks) block.tabIndex = block === next ? 0 : -1;
    next.focus();
  }

  // Makes one phrase stand out; a chosen one stays marked.
  light(number, chosen) {
    this.element.classList.add("lit");
    for (const element of this.element.querySelectorAll("[data-phrase]")) {
      const own = Number(element.dataset.phrase);
      element.classList.toggle("on", own === number);
      if (element.matches(".block")) element.setAttribute("aria-pressed", String(own === chosen));
    }
  }

  drawCurves() {
    const frame = this.curves.getBoundingClientRect();
    if (frame.width === 0) return;
    this.curves.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    this.curves.replaceChildren();
    this.view.sentence.phrases.forEach((phrase, number) => {
      const above = this.blocks.source[number].getBoundingClientRect();
      const below = this.blocks.target[number].getBoundingClientRect();
      const group = orientationLook(phrase.orientation).group;
      const edges = [above.left, above.right, below.left, below.right].map((x) => x - frame.left);
      // In rows that are broken, blocks may lie above the space between them, or below it.
      const heights = [above.bottom, below.top].map((y) => y - frame.top);
      this.curves.append(ribbon(edges, heights, number, group), line(edges, heights, number, group));
    });
  }
}

function path(className, data, number) {
  const element = document.createElementNS(SVG, "path");
  element.setAttribute("class", className);
  element.setAttribute("d", data);
  element.dataset.phrase = number;
  return element;
}

const curve = (x, y, toX, toY) => `C${x} ${(y + toY) / 2} ${toX} ${(y + toY) / 2} ${toX} ${toY}`;

// A faint band as wide as the two blocks.
function ribbon([left, right, toLeft, toRight], [top, bottom], number, group) {
  const inset = 8;
  const data = `M${left + inset} ${top}${curve(left + inset, top, toLeft + inset, bottom)}`
    + `H${toRight - inset}${curve(toRight - inset, bottom, right - inset, top)}Z`;
  return path(`ribbon ${group}`, data, number);
}

// The line in its middle.
function line([left, right, toLeft, toRight], [top, bottom], number, group) {
  const [x, toX] = [(left + right) / 2, (toLeft + toRight) / 2];
  return path(`line ${group}`, `M${x} ${top}${curve(x, top, toX, bottom)}`, number);
}
