// Annotated source: a table of files, and for each file its lines with time and counts.

const sourceByName = new Map(data.sources.map((file) => [file.name, file]));

// Makes the link to a line of a file; null if its source is not in the page.
function sourceLink(file, line) {
  return file && sourceByName.has(file)
    ? "#!source=" + encodeURIComponent(file) + (line ? ":" + line : "")
    : null;
}

// Returns the longest directory, with its slash, that all names begin with; may be empty.
function commonDirectory(names) {
  let common = names[0].replace(/[^/]*$/, "");
  while (!names.every((name) => name.startsWith(common))) common = common.replace(/[^/]*\/$/, "");
  return common;
}

function sourceListView() {
  if (data.sources.length === 0)
    return make(
      "p",
      { class: "empty" },
      "This page contains no source: the program has no debugging information, or the source was not found.",
    );
  const common = commonDirectory(data.sources.map((file) => file.name));
  const share = (file) => shareOf(file.seconds);
  const columns = [
    {
      title: "%",
      hint: "Share of all time",
      value: (file) => file.seconds,
      cell: (file) => percent(share(file)),
      class: "",
    },
    {
      title: "Self " + unitName,
      value: (file) => file.seconds,
      cell: (file) => seconds(file.seconds),
      class: "",
    },
    { title: "", cell: (file) => shareBar(0, share(file)), class: "bar" },
  ];
  const more = [
    {
      title: "Calls",
      hint: "Calls of functions in this file",
      value: (file) => file.calls,
      cell: (file) => counted(file.calls),
      class: "medium",
    },
    {
      title: "File",
      value: (file) => file.name,
      upwards: true,
      class: "name left",
      cell: (file) =>
        make("a", { href: sourceLink(file.name), title: file.name }, file.name.slice(common.length)),
    },
  ];
  const table = makeTable([...(hasTime ? columns : []), ...more], data.sources, {
    label: "Source files",
    class: "mid",
  });
  return make(
    "section",
    {},
    common ? make("p", { class: "soft" }, "Files in ", make("span", { class: "mono" }, common)) : null,
    table.element,
  );
}

// Returns the lines of a file: { number, text, known, gap }. `known` has the figures; `gap` means that lines before
// this one are left out.
function linesOf(file) {
  const lines = [],
    known = new Map(file.known.map((entry) => [entry[0], entry])),
    jumps = new Map();
  for (let i = 0; i < file.jumps.length; i += 2) jumps.set(file.jumps[i], file.jumps[i + 1]);
  let number = 1;
  file.text.forEach((text, i) => {
    const gap = jumps.has(i);
    number = jumps.get(i) || number;
    lines.push({ number, text, known: known.get(i), gap });
    number++;
  });
  return lines;
}

function heatCell(entry, most) {
  const [, time, error] = entry;
  if (!(time > 0)) return make("td", { class: "heat" });
  const bar = make("i");
  bar.style.width = (most > 0 ? (92 * time) / most : 0) + "%";
  return make(
    "td",
    { class: "heat", title: seconds(time) + " ± " + seconds(error) + " " + unitName },
    bar,
    make("span", {}, seconds(time)),
  );
}

function lineRow(line, shown, target) {
  const entry = line.known,
    cells = [make("td", { class: "number" }, String(line.number))];
  if (hasTime) cells.push(entry ? heatCell(entry, shown.most) : make("td"));
  if (shown.calls) cells.push(make("td", {}, entry && entry[3] > 0 ? counted(entry[3]) : ""));
  if (shown.blocks) cells.push(make("td", {}, entry && entry[4] >= 0 ? counted(entry[4]) : ""));
  cells.push(make("td", { class: "text" }, line.text));
  return make("tr", { "class": line.number === target ? "here" : null, "data-line": line.number }, ...cells);
}

function sourceView(name, target) {
  const file = sourceByName.get(name);
  if (!file) return make("p", { class: "empty" }, "This page does not contain the source of " + name + ".");
  const shown = {
    most: Math.max(0, ...file.known.map((entry) => entry[1])),
    calls: file.known.some((entry) => entry[3] > 0),
    blocks: file.known.some((entry) => entry[4] >= 0),
  };
  const titles = [
    "Line",
    ...(hasTime ? ["Self " + unitName] : []),
    ...(shown.calls ? ["Calls"] : []),
    ...(shown.blocks ? ["Blocks"] : []),
  ];
  const body = make("tbody"),
    lines = linesOf(file);
  for (const line of lines) {
    if (line.gap)
      body.append(
        make(
          "tr",
          { class: "gap" },
          make("td", { colspan: titles.length + 1 }, "… lines without figures are left out"),
        ),
      );
    body.append(lineRow(line, shown, target));
  }
  const last = lines.length > 0 ? lines[lines.length - 1].number : 0;
  if (last < file.count)
    body.append(
      make(
        "tr",
        { class: "gap" },
        make("td", { colspan: titles.length + 1 }, "… lines up to " + counted(file.count) + " are left out"),
      ),
    );
  const head = make(
    "thead",
    {},
    make(
      "tr",
      {},
      ...titles.map((title) => make("th", { scope: "col" }, title)),
      make("th", { scope: "col", class: "left" }, ""),
    ),
  );
  return make(
    "section",
    {},
    make("h2", { class: "function" }, file.name),
    make("p", {}, make("a", { href: "#!source" }, "All files")),
    make(
      "div",
      { class: "sourcebox" },
      make("table", { "class": "source", "aria-label": "Annotated source" }, head, body),
    ),
  );
}
