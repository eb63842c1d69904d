// Opens pages in Chromium one after the other, performs steps there, and prints a line of JSON: an array with, for each
// page, `results`, the values of the "eval", "axe", "cpu" and "traced" steps; `complaints`, the console's messages;
// `requests`, the URLs requested besides the page's file; `ready`, the time until the page was first drawn, in
// milliseconds.
//
//     node page.js CHROMIUM VISITS
//
// VISITS is a JSON file, or "-": then each line of the standard input is answered by a line, until the input ends; and
// {"problem": MESSAGE} says that a visit failed. It has an array of [PAGE, STEPS], with steps: ["eval", EXPRESSION],
// ["key", NAME], ["type", TEXT], ["click", SELECTOR], ["size", WIDTH, HEIGHT, SCHEME], ["shot", FILE], ["print", FILE],
// ["open", HASH], ["back"], ["script", BOOLEAN], ["axe", FILE], ["cpu"], ["trace"], ["traced"], ["reload", SCRIPT],
// ["leave", EXPRESSION], ["media", NAME]. The script talks to the browser over a pipe, with the DevTools protocol. All
// files of the browser are in one directory, which is deleted at the end.
// SPDX-License-Identifier: GPL-3.0-or-later
const { spawn } = require("child_process");
const fs = require("fs"),
  os = require("os"),
  path = require("path"),
  readline = require("readline");

const [chromium, file] = process.argv.slice(2);
// The browser makes a socket in its TMPDIR. The path of a socket has at most 107 bytes, 45 of them by the browser.
const place = Buffer.byteLength(os.tmpdir()) < 50 ? os.tmpdir() : "/tmp";
const profile = fs.mkdtempSync(path.join(place, "page-"));
const browser = spawn(
  chromium,
  [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    "--user-data-dir=" + profile,
    "about:blank",
  ],
  {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    env: { ...process.env, HOME: profile, TMPDIR: profile },
    detached: true, // a process group, killed as a whole
  },
);

const stop = () => process.kill(-browser.pid, "SIGKILL");
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, stop);

// Whatever ended the browser. Its child processes may write for a moment longer, so the deletion is retried.
function end() {
  fs.rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  process.exit();
}
process.exitCode = 1;
browser.on("exit", end);
browser.on("error", (problem) => {
  console.error(String(problem));
  end();
});

const waiting = new Map(),
  listeners = [];
let last = 0,
  session,
  url,
  complaints,
  requests,
  rest = "";

// Messages end in a zero byte.
browser.stdio[4].setEncoding("utf8").on("data", (text) => {
  const messages = (rest + text).split("\0");
  rest = messages.pop();
  for (const message of messages.map(JSON.parse)) {
    const wanted = waiting.get(message.id);
    waiting.delete(message.id);
    if (!wanted && message.sessionId === session) listeners.forEach((listener) => listener(message));
    else if (!wanted) continue;
    else if (message.error) wanted.reject(new Error(message.error.message));
    else wanted.resolve(message.result);
  }
});

function send(method, params = {}, whose = session) {
  const id = ++last;
  browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId: whose || undefined }) + "\0");
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

// The session of messages to the browser rather than to a page.
const BROWSER = "";

listeners.push(({ method, params }) => {
  if (method === "Runtime.exceptionThrown")
    complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
  if (method === "Log.entryAdded") complaints.push(params.entry.text);
  if (method === "Runtime.consoleAPICalled") complaints.push(params.args.map((arg) => arg.value).join(" "));
  if (method === "Network.requestWillBeSent" && params.request.url.replace(/[?#].*/, "") !== url)
    requests.push(params.request.url);
});

async function evaluate(expression) {
  const answer = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
  if (answer.exceptionDetails)
    throw new Error(expression + ": " + answer.exceptionDetails.exception.description);
  return answer.result.value;
}

// Resolves after the page has handled pending events and has been redrawn.
const settle = () =>
  evaluate(`new Promise((done) => {
    const wait = () => requestAnimationFrame(() =>
      document.querySelector("[aria-busy=true]") ? wait() : requestAnimationFrame(() => done()));
    setTimeout(wait, 20);
  })`);

const keyCodes = {
  Enter: 13,
  Escape: 27,
  Backspace: 8,
  Tab: 9,
  PageUp: 33,
  PageDown: 34,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

const actions = {
  eval: (expression) => evaluate(expression),
  async key(name) {
    const text = name.length === 1 ? name : name === "Enter" ? "\r" : undefined;
    const event = {
      key: name,
      text,
      windowsVirtualKeyCode: keyCodes[name] || name.toUpperCase().charCodeAt(0),
    };
    await send("Input.dispatchKeyEvent", { type: "keyDown", ...event });
    await send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    await settle();
  },
  async type(text) {
    await send("Input.insertText", { text });
    await settle();
  },
  async click(selector) {
    const [x, y] = await evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
      e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect();
      return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
      await send("Input.dispatchMouseEvent", {
        type,
        x,
        y,
        button: type === "mouseMoved" ? "none" : "left",
        clickCount: 1,
      });
    }
    await settle();
  },
  async size(width, height, scheme) {
    await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await send("Emulation.setEmulatedMedia", {
      features: [
        { name: "prefers-color-scheme", value: scheme === "forced" ? "dark" : scheme || "light" },
        { name: "forced-colors", value: scheme === "forced" ? "active" : "none" },
      ],
    });
    await settle();
  },
  async shot(target) {
    const { data } = await send("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(target, Buffer.from(data, "base64"));
  },
  async print(target) {
    const { data } = await send("Page.printToPDF", { printBackground: true });
    fs.writeFileSync(target, Buffer.from(data, "base64"));
  },
  async open(hash) {
    await evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await settle();
  },
  async back() {
    await evaluate("history.back()");
    await new Promise((done) => setTimeout(done, 150));
    await settle();
  },
  // Returns the processor time that the page has taken so far, in milliseconds: of all its tasks, and in scripts.
  async cpu() {
    const { metrics } = await send("Performance.getMetrics");
    const value = (name) => 1000 * metrics.find((metric) => metric.name === name).value;
    return [value("TaskDuration"), value("ScriptDuration")];
  },
  // Begins to record what the page does.
  async trace() {
    const traceConfig = { includedCategories: ["devtools.timeline"] };
    await send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  },
  // Ends the recording, and returns the most processor time, in milliseconds, that scripts took for one frame.
  async traced() {
    const events = [];
    const complete = next("Tracing.tracingComplete", "Tracing.dataCollected", ({ value }) => events.push(...value));
    await send("Tracing.end");
    await complete;
    return mostInScripts(events);
  },
  // Returns what axe-core, in `file`, finds wrong: "RULE: ELEMENT, ELEMENT" for each rule.
  async axe(file) {
    await evaluate(fs.readFileSync(file, "utf8") + "; 0");
    return evaluate(`axe.run().then(({ violations }) => violations.map((found) =>
      found.id + ": " + found.nodes.map((node) => node.html).join(", ")))`);
  },
  // Loads the page again; `before` is evaluated before its own scripts.
  async reload(before) {
    const added = before && (await send("Page.addScriptToEvaluateOnNewDocument", { source: before }));
    await load();
    await settle();
    if (added) await send("Page.removeScriptToEvaluateOnNewDocument", added);
  },
  // Evaluates an expression that loads the page again, and waits for that.
  async leave(expression) {
    const loaded = nextLoad();
    await evaluate(`setTimeout(() => ${expression}); 0`);
    await loaded;
    await settle();
  },
  // Shows the page as on "screen" or as in "print".
  async media(name) {
    await send("Emulation.setEmulatedMedia", { media: name });
    await settle();
  },
  async script(enabled) {
    await send("Emulation.setScriptExecutionDisabled", { value: !enabled });
    await load();
  },
};

// Resolves when an event arrives. Until then, `use` gets the parameters of other events.
function next(wanted, other, use) {
  return new Promise((resolve) => {
    const listen = ({ method, params }) => {
      if (method === other) use(params);
      if (method !== wanted) return;
      listeners.splice(listeners.indexOf(listen), 1);
      resolve();
    };
    listeners.push(listen);
  });
}

const nextLoad = () => next("Page.loadEventFired");

// Returns the most processor time that scripts took between the begin of a frame and that of the next one.
function mostInScripts(events) {
  let most = 0,
    sum = 0,
    end = 0;
  for (const { name, ph, ts, dur, tdur } of events.sort((a, b) => a.ts - b.ts)) {
    if (name === "AnimationFrame" && ph === "b") sum = 0;
    if (!["FunctionCall", "EvaluateScript"].includes(name) || ts < end) continue;
    end = ts + dur;
    sum += tdur / 1000;
    most = Math.max(most, sum);
  }
  return most;
}

function load(hash = "") {
  const loaded = nextLoad();
  return send("Page.navigate", { url: url + hash }).then(() => loaded);
}

// Opens a page in a new tab. A browser context for each page, with its own storage, would take three times as long.
async function visit(page, steps) {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" }, BROWSER);
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true }, BROWSER);
  session = sessionId;
  url = "file://" + path.resolve(page);
  complaints = [];
  requests = [];
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(domain + ".enable");
  await send("Storage.clearDataForOrigin", { origin: "file://", storageTypes: "all" });
  await send("Performance.enable", { timeDomain: "threadTicks" });
  await actions.size(1180, 900, "light");
  await load();
  await settle();
  const ready = await evaluate(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime || performance.now()",
  );
  const results = [];
  for (const [action, ...values] of steps) {
    const result = await actions[action](...values);
    if (["eval", "axe", "cpu", "traced"].includes(action)) results.push(result === undefined ? null : result);
  }
  await send("Target.closeTarget", { targetId }, BROWSER);
  return { results, complaints, requests, ready: Math.round(ready) };
}

async function answer(text) {
  const seen = [];
  for (const [page, steps] of JSON.parse(text)) seen.push(await visit(page, steps));
  console.log(JSON.stringify(seen));
}

async function run() {
  if (file !== "-") return answer(fs.readFileSync(file, "utf8"));
  for await (const line of readline.createInterface({ input: process.stdin }))
    await answer(line).catch((problem) => console.log(JSON.stringify({ problem: String(problem.stack) })));
}

run()
  .then(() => (process.exitCode = 0))
  .catch((problem) => console.error(String(problem.stack)))
  .finally(stop);
