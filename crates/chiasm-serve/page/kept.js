// What survives a reload, in this tab alone: the text, and what was pinned in its sentences.

const MOST_SENTENCES = 200;

export const keptText = () => sessionStorage.getItem("text") ?? "";

export const keepText = (text) => sessionStorage.setItem("text", text);

const allPins = () => new Map(JSON.parse(sessionStorage.getItem("pins") ?? "[]"));
const key = (system, line) => `${system.name}\n${line}`;

export const keptPins = (system, line) => allPins().get(key(system, line)) ?? [];

export function keepPins(system, line, pins) {
  const all = allPins();
  all.delete(key(system, line));
  if (pins.length > 0) all.set(key(system, line), pins);
  sessionStorage.setItem("pins", JSON.stringify([...all].slice(-MOST_SENTENCES)));
}
