// What is known of a phrase: probabilities of its orientation, the features that decide, and what
// else it could become.

import { byOrientation, make, orientationLook } from "./picture.js";

const percent = (share) => `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;
const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);

const MEANINGS = {
  monotone: "It follows the phrase before it, in the source as in the translation.",
  swap: "It changes places with what was translated before it.",
  discontinuous: "It jumps over other words of the source.",
  none: "",
};

// The panel below a picture. `view`: sentence, number, pinned, explanation (or null while it is
// fetched, or a Trouble), and the callbacks onPin(target) and onUnpin().
export function panel(view) {
  const { sentence, number } = view;
  const phrase = sentence.phrases[number];
  const source = sentence.source.slice(...phrase.source).join(" ");
  const target = sentence.tokens.slice(...phrase.target).join(" ");
  const look = orientationLook(phrase.orientation);
  const box = make("section", `details ${look.group}`, null, { "aria-label": `Phrase ${number + 1}`, "data-of": number });
  const title = make("h3", "", null, { tabindex: "-1" });
  title.append(make("span", "number", String(number + 1)), make("bdi", "", source), " ⟶ ", make("bdi", "", target));
  const summary = make("p", "summary");
  summary.append(make("b", "", `${look.sign} ${phrase.orientation ?? "no orientation"}. `));
  summary.append(phrase.unknown ? "The system has never seen this word: it was copied as it is. Pin a translation, or correct the sentence and let it be learned." : MEANINGS[look.group]);
  for (const { word, as } of stoodIn(sentence, phrase)) {
    summary.append(" The system has no translation of “", make("bdi", "", word), "” and read it as “", make("bdi", "", as), "”.");
  }
  const columns = make("div", "columns");
  columns.append(probabilities(phrase), features(view), alternatives(view, target));
  box.append(title, summary, columns);
  return box;
}

// The words of a phrase that were read as other, known forms.
function stoodIn({ read_as }, { source: [first, end] }) {
  return (read_as ?? []).filter(({ position }) => position >= first && position < end);
}

// Who chose a translation, where a neural model had a say; null where it had none.
export function judgement({ ranking, score }) {
  if (!ranking) return null;
  const line = make("p", "quiet judgement");
  const before = ranking.instead_of;
  if (!before) {
    line.append("The phrases and the neural model agree on this translation.");
    return line;
  }
  line.append("The neural model chose this. The phrases alone would have said “", make("bdi", "", before.tokens.join(" ")), "”");
  const [phrases, neural] = [before.score - score, ranking.ranker - before.ranker];
  line.append(`, which their score prefers by ${phrases.toFixed(2)}; the neural model `);
  line.append(neural >= 0 ? `prefers this one by ${neural.toFixed(2)}.` : `prefers that by ${(-neural).toFixed(2)}; the length decided.`);
  return line;
}

function probabilities(phrase) {
  const part = make("div", "part");
  part.append(make("h4", "", "How probable each way was"));
  const said = phrase.orientations.filter((one) => Object.keys(one.probabilities).length > 0);
  if (said.length === 0) {
    const why = phrase.orientations.length === 0
      ? "This system has no reordering model: it counts the words jumped over."
      : "The reordering model does not know this phrase pair.";
    part.append(make("p", "quiet", why));
  }
  for (const one of said) {
    const seen = one.direction === "backward" ? "seen from the phrase before" : "seen from the phrase after";
    const list = make("dl", "bars", null, { "data-direction": one.direction });
    for (const [name, share] of byOrientation(one.probabilities)) {
      const look = orientationLook(name);
      const happened = name === one.orientation;
      const label = make("dt", happened ? "happened" : "", `${look.sign} ${name}${happened ? " ✓" : ""}`);
      const value = make("dd");
      const bar = make("span", `bar ${look.group}`, null, { "aria-hidden": "true" });
      bar.style.inlineSize = `${Math.max(share * 100, 0.5)}%`;
      value.append(make("span", "track"), make("span", "figure", percent(share)));
      value.firstChild.append(bar);
      list.append(label, value);
    }
    part.append(make("p", "quiet", seen), list);
  }
  if (phrase.operations) part.append(...operations(phrase.operations));
  return part;
}

// What the phrase does, step by step, and how probable each step was; the least probable stands out.
function operations(steps) {
  const worst = Math.min(...steps.map((step) => step.score));
  const list = make("ol", "steps");
  for (const { operation, score } of steps) {
    const step = make("li", score === worst && steps.length > 1 ? "happened" : "");
    step.append(make("bdi", "", operationInWords(operation)), ` ${percent(Math.exp(score))}`);
    list.append(step);
  }
  return [make("p", "quiet", "step by step, each with its probability after the steps before"), list];
}

export function operationInWords(name) {
  const back = name.match(/^\[back(\d+)\]$/u);
  if (back) return back[1] === "1" ? "jump back to the last gap" : `jump back ${back[1]} gaps`;
  const moves = { "[gap]": "leave a gap", "[forward]": "jump to the words not reached yet", "[continue]": "one more word of the same" };
  if (name in moves) return moves[name];
  const [source, target] = name.split("→").map((words) => words.replaceAll("␣", " "));
  if (!target) return `“${source}” becomes nothing`;
  return source ? `“${source}” becomes “${target}”` : `“${target}” comes from nothing`;
}

function features({ explanation }) {
  const part = make("div", "part reasons");
  part.append(make("h4", "", "What decided"));
  if (explanation === null) {
    part.append(make("p", "quiet", "…"));
    return part;
  }
  if (explanation instanceof Error) {
    part.append(make("p", "quiet", explanation.message || "The server does not answer."));
    return part;
  }
  const learned = explanation.models.filter((model) => model.directions.length > 0);
  if (learned.length === 0) {
    const why = explanation.models.length === 0
      ? "No reordering model takes part."
      : "A table of counted phrase pairs: nothing but this pair itself decides.";
    part.append(make("p", "quiet", why));
  }
  for (const model of learned) {
    for (const direction of model.directions) part.append(reasonTable(direction));
  }
  return part;
}

// A feature in words: `haus&house`, `und⁻3`, `haus&∅`, and several of them joined by ` · `.
export function featureInWords(name) {
  return name.split(" · ").map((part) => {
    const around = part.match(/^(.+?)([⁻⁺])(\d*)$/u);
    if (around) {
      const [, word, side, distance] = around;
      const said = word === "<s>" ? "the beginning of the sentence" : word === "</s>" ? "the end of the sentence" : `“${word}”`;
      const places = Number(distance || 1);
      const far = places === 1 ? "right" : `${places} words`;
      return `${said} stands ${far} ${side === "⁻" ? "before" : "after"} the phrase in the source`;
    }
    const linked = part.match(/^(.+)&(.+)$/u);
    if (linked && linked[2] === "∅") return `“${linked[1]}” has no word in the translation`;
    if (linked) return `“${linked[1]}” is translated by “${linked[2]}”`;
    return `“${part}” is in the phrase`;
  }).join("; ");
}

function reasonTable(direction) {
  const classes = byOrientation(direction.probabilities).map(([name]) => name);
  const table = make("table");
  const seen = direction.direction === "backward" ? "before" : "behind";
  table.append(make("caption", "quiet", `Score that each feature adds, seen from ${seen}`));
  const head = make("tr");
  head.append(make("th", "", "Feature", { scope: "col" }));
  for (const name of classes) {
    const look = orientationLook(name);
    head.append(make("th", look.group, look.sign, { scope: "col", title: name, "aria-label": name }));
  }
  table.append(make("thead"), make("tbody"));
  table.tHead.append(head);
  for (const reason of direction.features) {
    const row = make("tr");
    const name = make("th", "", null, { scope: "row" });
    name.append(make("bdi", "", reason.count > 1 ? `${reason.feature} × ${reason.count}` : reason.feature));
    name.append(make("span", "meaning", featureInWords(reason.feature), { dir: "auto" }));
    row.append(name);
    if (reason.contributions === null) {
      row.append(make("td", "quiet", "unknown", { colspan: classes.length }));
    } else {
      const most = Math.max(...Object.values(reason.contributions));
      for (const [, value] of byOrientation(reason.contributions)) {
        row.append(make("td", value === most && most > 0 ? "most" : "", signed(value)));
      }
    }
    table.tBodies[0].append(row);
  }
  return table;
}

// Other target words for the same source words: from the n-best list, then from the phrase table.
function otherTargets({ sentence, number, explanation }, current) {
  const phrase = sentence.phrases[number];
  const found = new Map();
  (sentence.nbest ?? []).forEach((entry, rank) => {
    for (const other of entry.phrases) {
      if (other.source[0] !== phrase.source[0] || other.source[1] !== phrase.source[1]) continue;
      const tokens = entry.tokens.slice(...other.target);
      const text = tokens.join(" ");
      if (text !== current && text !== "" && !found.has(text)) found.set(text, { tokens, note: `${rank + 1}. best` });
    }
  });
  const known = explanation && !(explanation instanceof Error) ? explanation.alternatives : [];
  for (const { target, probability } of known) {
    const text = target.join(" ");
    if (text === current || text === "") continue;
    const entry = found.get(text) ?? { tokens: target, note: "" };
    entry.note = [entry.note, percent(probability)].filter(Boolean).join(", ");
    found.set(text, entry);
  }
  return [...found].slice(0, 12);
}

function alternatives(view, current) {
  const part = make("div", "part others");
  part.append(make("h4", "", view.pinned ? "Pinned" : "Pin another translation"));
  if (view.pinned) {
    const free = make("button", "unpin", "Unpin", { type: "button" });
    free.addEventListener("click", () => view.onUnpin());
    part.append(free);
  }
  const list = make("ul");
  for (const [text, { tokens, note }] of otherTargets(view, current)) {
    const item = make("li");
    const button = make("button", "other", null, { type: "button" });
    button.append(make("bdi", "", text), make("span", "note", note));
    button.addEventListener("click", () => view.onPin(tokens));
    item.append(button);
    list.append(item);
  }
  if (list.children.length > 0) part.append(list);
  const form = make("form", "own");
  const input = make("input", "", null, { type: "text", dir: "auto", "aria-label": "Your own translation of this phrase", placeholder: "your own words", maxlength: "200" });
  form.append(input, make("button", "", "Pin", { type: "submit" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim() !== "") view.onPin(input.value.trim());
  });
  part.append(form);
  return part;
}
