// Drives a server with the official TypeScript SDK, 1.x (revision 2025-11-25) or 2.x (2026-07-28), and validates every
// structured answer with a validator of its own besides the SDK's.
//
//     node sdk.mjs 1|2 '{"command": "…", "args": […], "env": {…}}' | '{"url": "…", "token": "…"}'
//
// The vault must be the example vault. Prints `{"checks": …, "problems": […]}`; it asks for everything that the server
// says it has, so that a tool, a resource or a prompt that is added later is asked for too.

import { Ajv2020 } from "ajv/dist/2020.js";

// What each tool is called with; a tool without a row here is a problem.
const CALLS = {
  search_vault: [{ query: "how long does the varnish need" }, { query: "tide", mode: "keyword", limit: 2, verbose: true }],
  context_pack: [{ question: "how long does the varnish need" }],
  read_note: [{ path: "Tide Logger" }, { path: "Projects/Tide Logger.md", outline: true }, { paths: ["Tide Logger", "Nothing Here"] }],
  list_notes: [{ folder: "Projects" }, { folders_only: true }],
  list_tags: [{}, { prefix: "project" }],
  vault_guide: [{}],
  note_links: [{ path: "Tide Logger" }],
  find_similar: [{ path: "Tide Logger", purpose: "link" }],
  vault_health: [{ limit: 3 }],
  vault_guide: [{}],
  verify_citation: [{ citations: ["Projects/Tide Logger.md"] }],
  find_similar: [{ path: "Tide Logger" }],
  vault_health: [{}],
  verify_citation: [{ citations: ["Projects/Tide Logger.md"] }],
  index_status: [{}],
  reindex_vault: [{}],
};
// What the arguments of prompts are given, whatever they are called.
const WORD = "Tide Logger";

const report = { checks: 0, problems: [] };

function check(holds, what, detail) {
  if (holds) report.checks += 1;
  else report.problems.push(detail === undefined ? what : `${what}: ${JSON.stringify(detail)}`.slice(0, 400));
}

async function attempt(what, work) {
  try {
    return await work();
  } catch (error) {
    check(false, what, String(error?.message ?? error));
    return undefined;
  }
}

async function connected(generation, way) {
  const about = { name: "obsearch-suites", version: "0" };
  const root = generation === "1" ? "@modelcontextprotocol/sdk/client" : "@modelcontextprotocol/client";
  const at = (one, two) => import(generation === "1" ? `${root}/${one}.js` : `${root}${two}`);
  const { Client } = await at("index", "");
  const options = generation === "1" ? {} : { versionNegotiation: { mode: { pin: "2026-07-28" } } };
  const client = new Client(about, options);
  if (way.url) {
    const { StreamableHTTPClientTransport } = await at("streamableHttp", "");
    const headers = way.token ? { Authorization: `Bearer ${way.token}` } : {};
    await client.connect(new StreamableHTTPClientTransport(new URL(way.url), { requestInit: { headers } }));
  } else {
    const { StdioClientTransport } = await at("stdio", "/stdio");
    await client.connect(new StdioClientTransport({ ...way, stderr: "ignore" }));
  }
  return client;
}

// All pages of a list.
async function all(list, key) {
  const found = [];
  let cursor;
  do {
    const page = await list(cursor ? { cursor } : {});
    found.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

async function checkTools(client) {
  const tools = await all((page) => client.listTools(page), "tools");
  check(tools.length > 0, "there are tools");
  for (const tool of tools) {
    check(tool.outputSchema, `${tool.name} declares its answers`);
    check(CALLS[tool.name], `${tool.name} is known to this test`);
    const fits = new Ajv2020({ strict: false }).compile(tool.outputSchema ?? false);
    for (const given of CALLS[tool.name] ?? []) {
      const what = `${tool.name} ${JSON.stringify(given)}`;
      const result = await attempt(what, () => patiently(client, { name: tool.name, arguments: given }));
      if (!result) continue;
      check(!result.isError && result.content?.[0]?.text, `${what} is answered`, result.content);
      check(fits(result.structuredContent), `${what} fits its schema`, fits.errors);
    }
    check(await isRefused(client, tool.name), `${tool.name} refuses what it does not know`);
  }
}

// The servers of one test run share an index, and only one of them can write to it at a time: the others say so.
async function patiently(client, call) {
  for (let tries = 1; ; tries += 1) {
    const result = await client.callTool(call);
    const isBusy = result.isError && result.content[0].text.startsWith("the index is busy");
    if (!isBusy || tries === 20) return result;
    await new Promise((done) => setTimeout(done, 250));
  }
}

async function isRefused(client, name) {
  try {
    return (await client.callTool({ name, arguments: { surprise: 1 } })).isError === true;
  } catch (error) {
    return error.code === -32602;
  }
}

async function checkResources(client) {
  const resources = await all((page) => client.listResources(page), "resources");
  check(resources.length > 0, "there are resources");
  check(new Set(resources.map(({ uri }) => uri)).size === resources.length, "no resource is listed twice");
  for (const { uri } of resources.slice(0, 20)) {
    const read = await attempt(`read ${uri}`, () => client.readResource({ uri }));
    if (read) check(read.contents[0].uri === uri && typeof read.contents[0].text === "string", `${uri} is read`, read);
  }
  const missing = await client.readResource({ uri: "obsearch://note/Nothing%20Here" }).catch((error) => error);
  check([-32002, -32602].includes(missing.code), "a missing resource is an error", missing);
  const templates = await all((page) => client.listResourceTemplates(page), "resourceTemplates");
  for (const { uriTemplate: uri } of client.getServerCapabilities().completions ? templates : []) {
    const [, name] = uri.match(/\{\+?(\w+)\}/);
    const ask = { ref: { type: "ref/resource", uri }, argument: { name, value: WORD.slice(0, 3) } };
    const given = await attempt(`completion of ${uri}`, () => client.complete(ask));
    check(given?.completion.values.some((value) => value.includes(WORD)), `${uri} is completed`, given);
  }
}

// Opens a subscription and closes it; that one is told of changes is the business of other tests.
async function checkSubscriptions(client, generation, offered) {
  const uri = "obsearch://note/Home.md";
  if (generation === "1" && offered.subscribe) {
    const done = await attempt("subscribe", () => client.subscribeResource({ uri }));
    check(done, "a subscription is accepted");
    check(await attempt("unsubscribe", () => client.unsubscribeResource({ uri })), "and ended");
  }
  if (generation === "2" && offered.listChanged) {
    const wanted = { resourcesListChanged: true, resourceSubscriptions: [uri] };
    const open = await attempt("listen", () => client.listen(wanted, { timeout: 5000 }));
    check(open?.honoredFilter.resourcesListChanged, "a subscription is acknowledged", open?.honoredFilter);
    await open?.close();
  }
}

async function checkPrompts(client) {
  const prompts = await all((page) => client.listPrompts(page), "prompts");
  check(prompts.length > 0, "there are prompts");
  for (const { name, arguments: declared = [] } of prompts) {
    const given = Object.fromEntries(declared.map((argument) => [argument.name, WORD]));
    const got = await attempt(`prompt ${name}`, () => client.getPrompt({ name, arguments: given }));
    check(got?.messages?.length > 0, `${name} has messages`);
  }
}

async function main([generation, way]) {
  const client = await connected(generation, JSON.parse(way));
  const era = client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion;
  if (generation === "2") check(era === "2026-07-28", "the revision", era);
  const offers = client.getServerCapabilities();
  await checkTools(client);
  if (offers.resources) {
    await checkResources(client);
    await checkSubscriptions(client, generation, offers.resources);
  }
  if (offers.prompts) await checkPrompts(client);
  await client.close();
}

await attempt("the connection", () => main(process.argv.slice(2)));
console.log(JSON.stringify(report));
process.exit(0);
