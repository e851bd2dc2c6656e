// Swaps pieces of HTML that the server made into the page, and handles keys. It makes no markup itself, keeps no
// note, and writes no name into the address bar, the title or the history.

const page = document.querySelector("#main");
const said = document.querySelector("#said");
const search = document.querySelector("#search");
const query = document.querySelector("#query");
const keys = document.querySelector("#keys");

// The key comes behind the `#`, which no browser sends to a server; from here on it is nowhere but in this script.
let key = "";
function takeKey() {
  key = location.hash.slice(1);
  history.replaceState(null, "", "/");
}

// Every piece of HTML passes here, and comes from this page's own server, which escapes what notes say.
const policy = globalThis.trustedTypes?.createPolicy("fragments", { createHTML: (text) => text });
const pieces = (text) => new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, "text/html").body;

async function get(path, signal) {
  const answer = await fetch(path, {
    headers: { Authorization: `Bearer ${key}` },
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    signal,
  });
  if (!answer.ok) throw new Error("refused");
  return answer.text();
}

function tell(what, why) {
  const section = document.createElement("section");
  section.className = "problem";
  section.setAttribute("role", "alert");
  const heading = document.createElement("h1");
  heading.textContent = what;
  const text = document.createElement("p");
  text.textContent = why;
  section.append(heading, text);
  page.replaceChildren(section);
}

const LOST = ["This page has no key", "Open the link that obsearch console printed in your terminal; a page that is loaded again loses its key."];
const ENDED = ["The console does not answer", "If the command has ended, start it again: obsearch console"];

// What was shown, one entry each: its address, and where the focus was. The browser's history holds numbers only.
const shown = [];
let at = -1;
let asking = null;
// Folders that were opened, so that they are open again when the tree is shown anew.
const opened = new Set();

async function show(path, wanted) {
  asking?.abort();
  const own = (asking = new AbortController());
  page.setAttribute("aria-busy", "true");
  try {
    const body = pieces(await get(path, own.signal));
    if (own.signal.aborted) return;
    page.replaceChildren(...body.childNodes);
    const view = page.firstElementChild;
    document.querySelectorAll("[data-tab]").forEach((tab) => {
      if (tab.dataset.tab === view?.dataset.view) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    });
    said.textContent = view?.dataset.said ?? "";
    scrollTo(0, wanted?.scroll ?? 0);
    await settle(page, wanted?.focus);
  } catch (error) {
    if (own.signal.aborted) return;
    tell(...(error.message === "refused" ? LOST : ENDED));
  } finally {
    if (asking === own) page.removeAttribute("aria-busy");
  }
}

// Opens what was open, loads what loads by itself, and puts the focus where it was.
async function settle(root, focus) {
  if (focus) find(focus)?.focus({ preventScroll: true });
  const inside = [...root.querySelectorAll("[data-load]")].map(async (element) => {
    if (element.tagName !== "DETAILS") return load(element, element, focus);
    if (opened.has(element.dataset.load)) element.open = true;
  });
  await Promise.all(inside);
}

const find = (path) => [...page.querySelectorAll("[data-item]")].find((item) => address(item) === path);
const address = (item) => item.dataset.get ?? item.parentElement.dataset.load;

async function load(element, into, focus) {
  const path = element.dataset.load;
  try {
    into.replaceChildren(...pieces(await get(path)).childNodes);
    await settle(into, focus);
  } catch {
    if (into.isConnected) tell(...ENDED);
  }
}

// A folder that was opened: what is in it is read now, and anew each time.
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target.tagName !== "DETAILS" || !target.dataset.load) return;
    if (!target.open) return void opened.delete(target.dataset.load);
    opened.add(target.dataset.load);
    load(target, target.querySelector(".inside"), shown[at]?.focus);
  },
  true,
);

function remember() {
  if (at < 0) return;
  const item = document.activeElement?.closest?.("[data-item]");
  Object.assign(shown[at], { focus: item ? address(item) : undefined, scroll: scrollY });
}

function go(path) {
  remember();
  shown.length = at + 1;
  shown.push({ path });
  at += 1;
  if (at === 0) history.replaceState(at, "", "/");
  else history.pushState(at, "", "/");
  return show(path).then(() => {
    if (path.startsWith("/view/note")) page.querySelector("h1")?.focus();
  });
}

addEventListener("popstate", ({ state }) => {
  if (typeof state !== "number" || !shown[state]) return;
  remember();
  at = state;
  show(shown[at].path, shown[at]);
});

const back = () => {
  if (at > 0) history.back();
};

search.addEventListener("submit", (event) => {
  event.preventDefault();
  go(`/view/search?${new URLSearchParams(new FormData(search))}`);
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button, a.skip");
  if (!button) return;
  if (button.matches("[data-back]")) back();
  else if (button.matches("[data-keys]")) keys.showModal();
  else if (button.matches("[data-close]")) keys.close();
  else if (button.dataset.into === "self") more(button);
  else if (button.dataset.get) go(button.dataset.get);
});

// The rest of a long folder, in the place of the button that asks for it.
async function more(button) {
  try {
    const rows = [...pieces(await get(button.dataset.get)).childNodes];
    button.closest("li").replaceWith(...rows);
    rows[0]?.querySelector("[data-item]")?.focus();
  } catch {
    tell(...ENDED);
  }
}

// The link to the content would put its `#` into the address bar.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  page.focus();
});

const isShown = (element) => element.checkVisibility();
const items = (within = page) => [...within.querySelectorAll("[data-item]")].filter(isShown);

function step(by) {
  const current = document.activeElement;
  const list = items(current.closest?.("[data-column]") ?? page);
  const place = list.indexOf(current);
  const next = place < 0 ? list[by > 0 ? 0 : list.length - 1] : list[place + by];
  focus(next);
}

function focus(item) {
  item?.focus();
  item?.scrollIntoView({ block: "nearest" });
}

// Into the other column, at the same height; in the tree, opens and closes.
function aside(by) {
  const current = document.activeElement;
  const folder = current.matches("summary") && current.parentElement;
  if (folder && folder.open !== by > 0) return void (folder.open = by > 0);
  const outer = current.closest("ul.inside")?.parentElement;
  if (outer && by < 0) return focus(outer.querySelector("summary"));
  const columns = [...page.querySelectorAll("[data-column]")];
  const own = columns.findIndex((column) => column.contains(current));
  const other = columns[own < 0 ? 0 : own + by];
  if (!other) return;
  const list = items(other);
  const place = own < 0 ? 0 : items(columns[own]).indexOf(current);
  focus(list[Math.min(place, list.length - 1)]);
}

const again = () => {
  remember();
  if (at >= 0) show(shown[at].path, shown[at]);
};

const KEYS = {
  "/": () => {
    query.focus();
    query.select();
  },
  j: () => step(1),
  k: () => step(-1),
  h: () => aside(-1),
  l: () => aside(1),
  r: again,
  1: () => go("/view/overview"),
  2: () => go("/view/vault"),
  3: () => go("/view/calls"),
  "?": () => keys.showModal(),
  Escape: back,
};
// These scroll as well, so that they move only from entry to entry.
const ARROWS = { ArrowDown: KEYS.j, ArrowUp: KEYS.k, ArrowLeft: KEYS.h, ArrowRight: KEYS.l };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || keys.open) return;
  const { target, key: pressed } = event;
  let action = KEYS[pressed];
  if (target === query) {
    action = { Escape: () => page.focus(), ArrowDown: KEYS.j }[pressed];
  } else if (target.matches?.("select, input")) {
    action = pressed === "Escape" ? () => page.focus() : undefined;
  } else if (target.closest?.("[data-item]")) {
    action ??= ARROWS[pressed];
  } else if (target === page && pressed === "ArrowDown") {
    action = KEYS.j;
  }
  if (!action) return;
  event.preventDefault();
  action();
});

async function start() {
  takeKey();
  if (key.startsWith("once-")) {
    key = key.slice("once-".length);
    key = await get("/key").catch(() => "");
  }
  if (!key) return tell(...LOST);
  await go("/view/overview");
}

// The link was pasted into a page that is open already.
addEventListener("hashchange", () => location.hash && start());
start();
