// The threads of the program. The other views are of the chosen ones.

function threadName(row) {
  const number = threads.choice[row],
    choice = number >= 0 ? threadChoices[number] : null;
  const without = threadsHaveTime ? "no samples" : "no calls";
  const tags = [
    threads.count[row] > 1 ? counted(threads.count[row]) + " threads" : null,
    threads.selected[row] ? null : "not in the other views",
    choice && choice.group ? (choice.group === "others" ? "among others" : without) : null,
    choice && choice === shownThreads ? "shown" : null,
  ].filter(Boolean);
  const name = choice ? make("a", { href: linkToThreads(choice) }, nameOfThread(row)) : nameOfThread(row);
  return make("span", {}, name, " ", ...tags.map((text) => make("span", { class: "tag" }, text)));
}

const threadColumns = [
  {
    title: "%",
    hint: `Share of the ${threadsHaveTime ? "time" : "calls"} of all threads`,
    value: shareOfThread,
    cell: (row) => percent(shareOfThread(row)),
  },
  {
    title: "Self " + unitName,
    hint: "Time in the program and in libraries",
    value: (row) => threads.time[row],
    cell: (row) => seconds(threads.time[row]),
    shown: threadsHaveTime,
  },
  { title: "Share", cell: (row) => shareBar(0, shareOfThread(row)), class: "bar" },
  {
    title: "Calls",
    value: (row) => threads.calls[row],
    cell: (row) => counted(threads.calls[row]),
    class: "medium",
    shown: hasCounts,
  },
  {
    title: "Number",
    value: (row) => threads.number[row] || null,
    cell: (row) => (threads.number[row] > 0 ? String(threads.number[row]) : ""),
  },
  { title: "Thread", value: (row) => threads.name[row], upwards: true, cell: threadName, class: "name left" },
].filter((column) => column.shown !== false);

// Returns the sentences that say which threads the other views show, and how to choose others.
function aboutThreads() {
  const allShown = threads.selected.every(Boolean),
    together = allShown ? "all threads together" : "only some of the threads";
  if (shownThreads)
    return [
      `The other views show ${choiceName(shownThreads)}. `,
      make("a", { href: linkToThreads(null) }, allShown ? "Show all threads" : "Show all these threads"),
    ];
  if (threadChoices.length > 0)
    return [`The other views show ${together}. Choose one of them here or in the settings.`];
  return [
    `The other views show ${together}. For a page of one of them, write it with `,
    make("code", {}, "--thread=NAME"),
    ", or with its number.",
  ];
}

function threadsView() {
  const rows = threads.name.map((_, row) => row);
  const table = makeTable(threadColumns, rows, {
    label: "Threads", class: "mid", sorted: threadColumns[0], isSearched: true,
  });
  const matches = (row, test) => test(nameOfThread(row)) || test(String(threads.number[row]));
  const search = tableSearch("Filter by name or number, or /regex/", table, matches, (shown) => {
    const number = sumOf(shown.map((row) => threads.count[row]));
    return counted(number) + (number === 1 ? " thread" : " threads");
  });
  const about = make("p", { class: "soft" }, ...aboutThreads());
  recolourers.push(() => {
    search.update();
    about.replaceChildren(...aboutThreads());
  });
  const element = make(
    "section",
    {},
    make("div", { class: "tools" }, search.input, search.status),
    about,
    table.element,
  );
  return { element, show: keepInAddress(table, search) };
}
