// The view of changes: a table with a bar around zero for each change, and chips that choose kinds of changes.

// What the bars show: self times, or calls if there are none.
const barred = comparison && (comparison.self || comparison.calls);

const errorOfChange = (row) => (barred.error ? barred.error[row] : 0);

// The largest change with its error, which takes half the width of a bar.
const mostChanged = lazily(() =>
  barred.change.reduce((most, change, row) => Math.max(most, Math.abs(change) + errorOfChange(row)), 0));

// Makes a bar from zero, in the middle, to the change, and a whisker for the statistical error. Grey bars may be due to
// chance.
function changeBar(row) {
  const bar = make("span", { "class": "share diverging", "aria-hidden": "true" }),
    change = barred.change[row],
    error = errorOfChange(row),
    at = (value) => 50 + (50 * value) / mostChanged();
  bar.append(make("u"));
  if (change === 0) return bar;
  const isNoise = barred.noise && barred.noise[row] !== 0,
    part = make("i", { class: isNoise ? "chance" : change > 0 ? "slower" : "faster" }),
    whisker = make("b");
  const place = (element, from, to) => {
    element.style.left = at(from) + "%";
    element.style.width = at(to) - at(from) + "%";
    bar.append(element);
  };
  place(part, Math.min(0, change), Math.max(0, change));
  if (error > 0) place(whisker, change - error, change + error);
  return bar;
}

const changeBarColumn = {
  title: comparison && comparison.self ? "Slower →" : "More →",
  hint: "The change, around zero; the line shows its statistical error, and grey may be due to chance",
  value: (row) => barred.change[row],
  cell: changeBar,
  class: "bar change",
};

// Makes the columns of a time. `kind` is the class of those that small screens show.
function timeGroup(time, title, kind) {
  return [
    {
      title: title + " change",
      hint: "~ marks changes that may be due to chance",
      value: (row) => (isIncomparable(time, row) ? null : Math.abs(time.change[row])),
      cell: (row) => signedTime(time, row),
      class: kind,
    },
    {
      title: "%",
      hint: "The change as a share of the old time",
      value: (row) =>
        time.old[row] > 0 && !isIncomparable(time, row) ? Math.abs(time.change[row] / time.old[row]) : null,
      cell: (row) => changeShare(time, row),
      class: "unit wide",
    },
    {
      title: "±",
      hint: "Statistical error of the change",
      value: (row) => time.error[row],
      cell: (row) => (time.change[row] === 0 || isIncomparable(time, row) ? "" : seconds(time.error[row])),
      class: "error wide",
    },
    {
      title: title + " old",
      value: (row) => time.old[row],
      cell: (row) => seconds(time.old[row]),
      class: "medium old",
    },
    { title: title + " new", value: (row) => time.new[row], cell: (row) => seconds(time.new[row]), class: kind },
  ];
}

function callGroup(calls) {
  const cell = (counts) => (row) => (isCountedRow(row) ? counted(counts[row]) : "");
  return [
    { title: "Calls old", value: (row) => calls.old[row], cell: cell(calls.old), class: "wide" },
    { title: "Calls new", value: (row) => calls.new[row], cell: cell(calls.new), class: "wide" },
  ];
}

function changedName(row) {
  const status = comparison.status[row],
    old = comparison.old_name && comparison.old_name[row],
    sum = sumText(row),
    notes = [status === "both" ? old && "was " + old : status, sum].filter(Boolean);
  const tags = notes.flatMap((note) => [" ", make("span", { class: "tag" }, note)]);
  return make("span", {}, rowName(row, nodeLink), ...tags, ...(sum ? linksOfSum(row) : []));
}

function changeColumns() {
  const total = comparison.total && comparison.total.change;
  return [
    {
      title: "Function",
      value: (row) => comparison.name[row],
      upwards: true,
      cell: changedName,
      class: "name left",
    },
    changeBarColumn,
    ...(comparison.self ? timeGroup(comparison.self, "Self", total ? "medium" : "") : []),
    ...(total ? timeGroup(comparison.total, "Total", "") : []),
    ...(comparison.calls ? callGroup(comparison.calls) : []),
  ];
}

// Kinds of changes ------------------------------------------------------------------------

const isShownRow = (row) => nodesOfRow[row].length === 0 || nodesOfRow[row].some(isShown);

const changedTimes = () => [comparison.self, comparison.total].filter((time) => time && time.change);

// Whether a time of a function of both programs certainly changed in a direction, 1 or -1.
const changedBy = (direction) => (row) =>
  comparison.status[row] === "both" &&
  changedTimes().some((time) => time.noise[row] === 0 && Math.sign(time.change[row]) === direction);

const hasStatus = (status) => (row) => comparison.status[row] === status;

const changeKinds = comparison && [
  ...(comparison.self ? [["slower", changedBy(1)], ["faster", changedBy(-1)]] : []),
  ["new", hasStatus("new")],
  ["gone", hasStatus("gone")],
  ...(comparison.calls ? [["calls changed", (row) => comparison.calls.change[row] !== 0]] : []),
];

// Whether a function is new or gone, or changed by more than noise.
function isSignificant(row) {
  if (comparison.status[row] !== "both") return true;
  return changedTimes().length === 0 ? comparison.calls.change[row] !== 0 : changedBy(1)(row) || changedBy(-1)(row);
}

const togglePressed = (button) => (button.ariaPressed = String(button.ariaPressed !== "true"));

// Makes the chips that choose kinds of changes, and the one that hides noise, and calls `change` after each choice.
// `element`; `test(row)`; `chosen()`, the kinds as in the address; `choose(kinds)`; `noise`, the chip.
function kindChips(rows, change) {
  const press = (event) => (togglePressed(event.currentTarget), change());
  const noise = make("button", {
    "class": "chip kind", "id": "hide-noise", "type": "button", "aria-pressed": "false", "click": press,
  }, "Hide noise");
  const buttons = changeKinds.map(([kind, test]) => {
    const count = rows.filter(test).length;
    return make("button", {
      "class": "chip kind", "type": "button", "aria-pressed": "false", "disabled": count === 0,
      "click": press,
    }, kind, make("span", { class: "count" }, " " + counted(count)));
  });
  const isPressed = (_, i) => buttons[i].ariaPressed === "true";
  return {
    element: oneStop(
      make("div", { "class": "kinds", "role": "group", "aria-label": "Kinds of changes" }, ...buttons, noise),
      ":enabled",
    ),
    noise,
    test: (row) => (!changeKinds.some(isPressed) || changeKinds.filter(isPressed).some(([, test]) => test(row))) &&
      (noise.ariaPressed !== "true" || isSignificant(row)),
    chosen: () => changeKinds.filter(isPressed).map(([kind]) => kind).join(),
    choose: (kinds) =>
      changeKinds.forEach(([kind], i) => (buttons[i].ariaPressed = String(kinds.split(",").includes(kind)))),
  };
}

const noiseText = () =>
  `Average times per run. Changes marked ~ (noise) are within ${comparison.factor.toFixed(1)} times their error: ` +
  "they may be due to chance. The largest change comes first.";

function changesView() {
  const rows = comparison.name.map((_, row) => row);
  const table = makeTable(changeColumns(), rows, { label: "Changes", class: "changes", isSearched: true });
  const update = () => {
    search.update();
    setParameters({ kinds: kinds.chosen(), noise: kinds.noise.ariaPressed === "true" ? "hidden" : "" }, false);
  };
  const kinds = kindChips(rows, update);
  const matches = (row, test) => test(comparison.name[row]) && isShownRow(row) && kinds.test(row);
  const describe = (shown) => counted(shown.length) + " of " + counted(rows.length) + " functions";
  const reset = () => {
    kinds.noise.ariaPressed = "false";
    kinds.choose("");
    update();
  };
  const search = tableSearch("Filter by name, or /regex/", table, matches, describe, reset),
    showFilter = keepInAddress(table, search);
  const element = make(
    "section",
    {},
    make(
      "div",
      { class: "tools" },
      search.input,
      kinds.element,
      search.status,
    ),
    comparison.self ? make("p", { class: "soft" }, noiseText()) : null,
    comparedScope ? make("p", { class: "soft" }, `The comparison is ${comparedScope}.`) : null,
    table.element,
  );
  return {
    element,
    show() {
      const parameters = addressParameters();
      if (parameters.has("kinds")) kinds.choose(parameters.get("kinds"));
      if (parameters.has("noise")) kinds.noise.ariaPressed = String(parameters.get("noise") === "hidden");
      update();
      showFilter();
    },
  };
}
