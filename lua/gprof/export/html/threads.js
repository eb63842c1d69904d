// The threads of the program. All other views are of the selected ones.

const threads = data.threads;
const timeOfThreads = threads ? threads.time.reduce((sum, time) => sum + time, 0) : 0;
const shareOfThread = (row) => (timeOfThreads > 0 ? threads.time[row] / timeOfThreads : 0);

function threadName(row) {
  const tags = [
    threads.count[row] > 1 ? counted(threads.count[row]) + " threads" : null,
    threads.selected[row] ? null : "not in the other views",
  ].filter(Boolean);
  return make("span", {}, threads.name[row], " ", ...tags.map((text) => make("span", { class: "tag" }, text)));
}

const threadColumns = [
  {
    title: "%",
    hint: "Share of the time of all threads",
    value: (row) => threads.time[row],
    cell: (row) => percent(shareOfThread(row)),
  },
  {
    title: "Self " + unitName,
    hint: "Time in the program and in libraries",
    value: (row) => threads.time[row],
    cell: (row) => seconds(threads.time[row]),
  },
  { title: "Share", cell: (row) => shareBar(0, shareOfThread(row)), class: "bar" },
  { title: "Calls", value: (row) => threads.calls[row], cell: (row) => counted(threads.calls[row]), class: "medium" },
  {
    title: "Number",
    value: (row) => threads.number[row] || null,
    cell: (row) => (threads.number[row] > 0 ? String(threads.number[row]) : ""),
  },
  { title: "Thread", value: (row) => threads.name[row], upwards: true, cell: threadName, class: "name left" },
];

function threadsView() {
  const all = threads.selected.every(Boolean);
  const rows = threads.name.map((_, row) => row);
  return make(
    "section",
    {},
    make(
      "p",
      { class: "soft" },
      all ? "The other views show all threads together. " : "The other views show only some of the threads. ",
      "For a page of one of them, write it with ",
      make("code", {}, "--thread=NAME"),
      ", or with its number.",
    ),
    makeTable(threadColumns, rows, { label: "Threads", class: "mid", sorted: threadColumns[0] }).element,
  );
}
