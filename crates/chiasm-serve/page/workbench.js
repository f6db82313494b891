// Where a translation is corrected: it goes on as one types, and is learned when asked.

import { post, explainTrouble } from "./server.js";
import { make } from "./picture.js";

const TYPING_MILLISECONDS = 60;

// What was learned goes here, on the server's side.
export const MEMORY = "default";

// The part of a request that says whose corrections count, for systems that can learn.
export const remembered = (system) => (system.learns ? { memory: MEMORY } : {});

// A folded box below a translation. `onLearned` is called when the system knows more, or less, than before.
export function workbench({ line, system, translation, direction, onLearned }) {
  const box = make("details", "workbench");
  const field = make("textarea", "edit", null, { rows: "2", dir: direction, spellcheck: "false", autocomplete: "off" });
  field.value = translation;
  const label = make("label", "quiet", "Correct or complete it; Tab takes the next word");
  label.append(field);
  const ghost = make("p", "ghost", "", { dir: direction, "aria-live": "polite" });
  const state = make("span", "quiet", "");
  const learn = make("button", "learn", "Learn this", { type: "button" });
  const undo = make("button", "undo", "Undo", { type: "button" });
  undo.hidden = true;
  learn.hidden = !system.learns;
  const send = make("div", "send");
  send.append(state, undo, learn);
  box.append(make("summary", "", "Correct it"), label, ghost, send);

  let completion = "";
  let asked = 0;
  let timer = null;
  const typed = () => field.value.slice(0, field.selectionEnd);
  const atEnd = () => field.selectionStart === field.value.length;
  const show = (text) => {
    completion = text;
    ghost.replaceChildren();
    if (text !== "") ghost.append(make("span", "quiet", "… "), make("span", "next", text.trim()));
  };
  const say = (trouble) => { state.textContent = explainTrouble(trouble); };

  async function complete() {
    const number = asked += 1;
    if (!atEnd()) return show("");
    try {
      const request = { text: line, prefix: typed(), system: system.name, ...remembered(system) };
      const answer = await post("/v1/complete", request);
      // A later keystroke has asked again meanwhile.
      if (number === asked) show(answer.completion);
    } catch (trouble) {
      if (number === asked) say(trouble);
    }
  }

  field.addEventListener("input", () => {
    // What is on its way belongs to what stood here before.
    asked += 1;
    show("");
    clearTimeout(timer);
    timer = setTimeout(complete, TYPING_MILLISECONDS);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show("");
    const word = completion.match(/^\s*\S+/);
    // Without anything to take, Tab goes on to the next field as everywhere.
    if (event.key !== "Tab" || event.shiftKey || word === null || !atEnd()) return;
    event.preventDefault();
    field.value += word[0];
    show(completion.slice(word[0].length));
    if (completion === "") complete();
  });
  learn.addEventListener("click", async () => {
    try {
      const lesson = { source: line, target: field.value, system: system.name, memory: MEMORY };
      const { pairs } = await post("/v1/learn", lesson);
      await onLearned(`Learned; ${pairs} ${pairs === 1 ? "pair" : "pairs"} in all.`);
    } catch (trouble) {
      say(trouble);
    }
  });
  undo.addEventListener("click", async () => {
    try {
      await post("/v1/memory", { system: system.name, memory: MEMORY, undo: true });
      await onLearned("Forgotten.");
    } catch (trouble) {
      say(trouble);
    }
  });
  box.addEventListener("toggle", () => {
    if (!box.open) return;
    field.focus({ preventScroll: true });
    // The server makes ready what every keystroke asks.
    complete();
  });
  // Shown again after learning: what it says, and that it can be undone.
  box.announce = (text) => {
    box.open = true;
    state.textContent = text;
    undo.hidden = !text.startsWith("Learned");
  };
  return box;
}

// Everything that was learned, with a way to forget each pair.
export async function fillMemory(element, system, onForgotten) {
  const { pairs } = await post("/v1/memory", { system: system.name, memory: MEMORY });
  const item = ({ id, source, target }) => {
    const row = make("li");
    const forget = make("button", "forget", "Forget", { type: "button", "aria-label": `Forget: ${source}` });
    forget.addEventListener("click", async () => {
      await post("/v1/memory", { system: system.name, memory: MEMORY, forget: id });
      await fillMemory(element, system, onForgotten);
      onForgotten();
    });
    row.append(make("span", "", source, { dir: "auto" }), make("span", "", target, { dir: "auto" }), forget);
    return row;
  };
  const nothing = make("li", "quiet", "Nothing yet.");
  element.replaceChildren(...(pairs.length === 0 ? [nothing] : pairs.map(item)));
}
