// Asking the server, and what it means when it does not answer as hoped.

// Something that the person at the page should know. `kind` is the server's code, or "away".
export class Trouble extends Error {
  constructor(kind, message, retrySeconds = 0) {
    super(message);
    this.kind = kind;
    this.retrySeconds = retrySeconds;
  }
}

// What the server wants to be shown, if anything: typed, or behind the # of the address that somebody was sent.
let token = new URLSearchParams(location.hash.slice(1)).get("token") ?? sessionStorage.getItem("token") ?? "";

export function useToken(typed) {
  token = typed.trim();
  sessionStorage.setItem("token", token);
}

if (location.hash.startsWith("#token=")) {
  useToken(token);
  history.replaceState(null, "", location.pathname);
}

async function request(path, options) {
  let response;
  const headers = { ...options.headers };
  if (token !== "") headers.authorization = `Bearer ${token}`;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble("away", "");
  }
  let answer = null;
  try {
    answer = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  if (response.ok && answer !== null) return answer;
  const retry = Number(response.headers.get("retry-after")) || 0;
  throw new Trouble(answer?.code ?? "failed", answer?.error ?? `status ${response.status}`, retry);
}

export const get = (path) => request(path, { method: "GET" });

export const post = (path, body, signal) => request(path, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
  signal,
});

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, seconds * 1000);
  signal?.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(new DOMException("stopped", "AbortError"));
  }, { once: true });
});

// Asks again, twice at most, when the server says that it is busy; `onBusy` may tell people.
export async function postPatiently(path, body, signal, onBusy) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await post(path, body, signal);
    } catch (trouble) {
      if (trouble.kind !== "busy" || attempt >= 2) throw trouble;
      onBusy?.(trouble);
      await pause(trouble.retrySeconds || 1, signal);
    }
  }
}

// What to tell people, in a sentence or two.
export function explainTrouble(trouble) {
  switch (trouble.kind) {
    case "away":
      return "The server does not answer. Is it still running?";
    case "busy":
      return "The server is busy with other requests. Please try again in a moment.";
    case "timeout":
      return `This took too long: ${trouble.message}. A shorter text may do.`;
    case "token":
      return "This server answers to those who know its token.";
    case "private":
      return "This server shows no reasons and alternatives to other machines.";
    case "too_long":
      return `This text is too long: ${trouble.message}.`;
    case undefined:
      return `Something went wrong on this page: ${trouble.message}`;
    default:
      return `The server could not translate this: ${trouble.message}.`;
  }
}
