// The choice of threads: all, one of those with the most time, or a group of others. The header says which are shown.

// The choices. Each has its `key` in addresses, its `group` or null, and the `rows` of its threads.
const threadChoices = threads
  ? threads.choices.key.map((key, i) => ({ key, group: threads.choices.group[i], rows: [] }))
  : [];
if (threads) threads.choice.forEach((number, row) => number >= 0 && threadChoices[number].rows.push(row));

// Threads have shares of the time or, if nothing was sampled, of the calls.
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);
const threadsHaveTime = threads !== null && sumOf(threads.ticks) > 0;
const weightOfThread = threads && (threadsHaveTime ? threads.ticks : threads.calls);
const weightOfThreads = threads && sumOf(weightOfThread);
const shareOfThread = (row) => (weightOfThreads > 0 ? weightOfThread[row] / weightOfThreads : 0);

const usesOfNames = new Map();
if (threads) for (const name of threads.name) usesOfNames.set(name, (usesOfNames.get(name) || 0) + 1);

const nameOfThread = (row) => threads.name[row] || "(no name)";

// Returns a thread's name, with its number if others have that name.
function distinctName(row) {
  const name = nameOfThread(row),
    number = threads.number[row];
  return usesOfNames.get(threads.name[row]) > 1 && number > 0 ? `${name} ${number}` : name;
}

function choiceName({ group, rows }) {
  if (group === "idle") return `${counted(rows.length)} threads without ${threadsHaveTime ? "samples" : "calls"}`;
  return group === "others" ? `${counted(rows.length)} other threads` : distinctName(rows[0]);
}

const shownThreads = shownChoice >= 0 ? threadChoices[shownChoice] : null;

// Links to the list of threads, with other threads chosen. Chips and the grouping stay.
const linkToThreads = (choice) => searchWith("thread", choice && choice.key) + "#!threads" + chipsText;

// Makes the list of choices; null if there is none.
function threadSelect() {
  if (threadChoices.length === 0) return null;
  const all = threads.selected.every(Boolean) ? "All threads" : "All these threads";
  const choices = threadChoices.map((choice) => [
    choice.key,
    choiceName(choice) + (choice.group === "idle" ? "" : ` – ${percent(sumOf(choice.rows.map(shareOfThread)))} %`),
  ]);
  const select = makeSelect("Threads shown", [["", all], ...choices], shownThreads ? shownThreads.key : "", (key) =>
    location.assign(searchWith("thread", key || null) + hashWithoutPath()),
  );
  select.className = "thread-choice";
  return select;
}

function warningOf([what, why, remedy]) {
  return make(
    "p",
    { class: "warning few", role: "alert" },
    make("b", {}, what),
    " " + why + " ",
    make("em", {}, remedy),
  );
}

// Shows the figures of the chosen threads in the header, and their name in it and in the title.
function showThreadsInHeader() {
  const name = choiceName(shownThreads),
    facts = document.querySelector("dl.whole"),
    [time, samples] = data.summary;
  for (const [style, text] of [["time", time], ["samples", samples]])
    for (const value of facts.querySelectorAll(`.${style} dd`)) value.replaceChildren(make("span", {}, text));
  facts.prepend(make("div", { class: "thread" }, make("dt", {}, shownThreads.group ? "Threads" : "Thread"),
    make("dd", { title: name }, make("span", {}, name))));
  for (const warning of document.querySelectorAll(".warning.few")) warning.remove();
  if (data.few) facts.before(warningOf(data.few));
  document.title = name + " – " + document.title;
}
if (shownThreads) showThreadsInHeader();
