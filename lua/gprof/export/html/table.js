// Tables that can be sorted and filtered. Rows are added as the user scrolls.

const FIRST = 100; // rows shown at first
const CHUNK = 50; // rows added at a time while scrolling: more would make it jerky
const PRINTED = 5000; // rows printed at most

const growers = new WeakMap(); // functions that add rows to a table, by the element at its end

const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) growers.get(entry.target)(CHUNK);
  },
  { rootMargin: "600px" },
);

// Compares two values. Missing values come last in both directions.
function compareValues(a, b, descending) {
  const missing = (value) => value === null || value === undefined || value === "";
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  const order = typeof a === "string" ? a.localeCompare(b, "en") : a - b;
  return descending ? -order : order;
}

// Makes a table head. A column has `title`, `hint`, `value(row)` (the sort key; absent if it cannot be sorted) and
// `class` (of its cells).
function makeHead(columns, sortBy) {
  const cells = columns.map((column) => {
    const title = column.value
      ? make("button", { type: "button", title: column.hint, click: () => sortBy(column) }, column.title)
      : column.title;
    return make("th", { scope: "col", class: column.class, title: column.value ? null : column.hint }, title);
  });
  return make("thead", {}, oneStop(make("tr", {}, ...cells)));
}

const ZERO = /^0[.0]*$/;

// Makes a table row. A column's `cell(row)` returns a string or a DOM node.
function makeRow(columns, row) {
  const cells = columns.map((column) => {
    const content = column.cell(row),
      isZero = ZERO.test(content);
    return make("td", { class: isZero ? (column.class || "") + " zero" : column.class }, content);
  });
  return make("tr", {}, ...cells);
}

// Moves the focus by a number of rows. Returns whether it was in a row with a link.
function walkRows(event, body, step) {
  const link = event.target.closest("a, .fold"),
    rows = [...body.rows];
  if (!link) return false;
  const at = rows.indexOf(link.closest("tr")),
    next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
  const target = next && next.querySelector("a, .fold");
  if (!target) return false;
  target.focus();
  target.scrollIntoView({ block: "nearest" });
  return true;
}

const PAGE = 20; // rows

const rowKeys = makeShortcuts("Tables", [
  { keys: ["ArrowDown", "j"], use: "next row", act: (event, body) => walkRows(event, body, 1) },
  { keys: ["ArrowUp", "k"], use: "previous row", act: (event, body) => walkRows(event, body, -1) },
  { keys: ["PageDown"], use: "20 rows down", act: (event, body) => walkRows(event, body, PAGE) },
  { keys: ["PageUp"], use: "20 rows up", act: (event, body) => walkRows(event, body, -PAGE) },
  { keys: ["Enter"], use: "open the row's function, line or file", act: () => false }, // a link's own behaviour
]);

// Makes a table of rows; a row can be any value. `options`: `sorted`, the column to sort by first; `class`; `label`;
// `below(row)`, rows to show below a row; `isSearched`, whether `tableSearch` draws the rows. Returns `element`;
// `filter(test)`, which returns the number of matching rows; `shown()`, which returns these rows; `update(element)`,
// which draws anew what is below a row; `order()` and `setOrder(order)`, a column's title, after "-" if descending;
// empty if the rows are in the order of the data.
function makeTable(columns, rows, options) {
  const body = make("tbody");
  const end = make("div", { class: "more" });
  let matching = rows.slice(),
    drawn = 0,
    sorted = null,
    descending = false,
    test = () => true;

  function draw(count) {
    const part = matching.slice(drawn, drawn + count);
    body.append(...part.map((row) => makeRow(columns, row)));
    drawn += part.length;
    end.textContent = counted(matching.length - drawn) + " more rows: filter the table to print them";
    end.hidden = drawn === matching.length;
    if (drawn < matching.length) {
      observer.unobserve(end);
      observer.observe(end);
    }
  }

  const inOrder = (list) =>
    sorted ? list.sort((a, b) => compareValues(sorted.value(a), sorted.value(b), descending)) : list;

  // Draws the rows after the first ones, which stay.
  function redraw(kept = 0) {
    matching = inOrder(rows.filter(test));
    if (options.below) matching = matching.flatMap((row) => [row, ...inOrder(options.below(row))]);
    if (kept === 0) body.replaceChildren();
    else while (body.rows.length > kept) body.lastChild.remove();
    drawn = kept;
    draw(FIRST);
  }

  function chooseOrder(column) {
    descending = sorted === column ? !descending : !column.upwards;
    sorted = column;
    [...head.rows[0].cells].forEach((cell, i) => {
      if (columns[i] === column) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
  }

  function sortBy(column) {
    chooseOrder(column);
    redraw();
  }

  const head = makeHead(columns, sortBy);
  const table = make("table", { "class": options.class, "aria-label": options.label }, head, body);
  table.addEventListener("keydown", (event) => runShortcut(rowKeys, event, body));
  growers.set(end, draw);
  copiedTables.set(table, { columns, rows: () => matching });
  if (options.sorted) chooseOrder(options.sorted);
  if (!options.isSearched) redraw();
  return {
    element: make("div", {}, table, end),
    filter(newTest) {
      test = newTest;
      redraw();
      return matching.length;
    },
    shown: () => matching,
    update: (row) => redraw([...body.rows].indexOf(row) + 1),
    order: () => (sorted ? (descending ? "-" : "") + sorted.title : ""),
    setOrder(order) {
      const column = columns.find(({ title }) => title === order.replace(/^-/, ""));
      for (let i = 0; i < 2 && column && column.value && this.order() !== order; i++) sortBy(column);
    },
  };
}

// Makes the search field of a table, and draws its rows. `matches(row, test)` tells whether a row is shown;
// `describe(rows)` returns what the status says of the rows shown. If there are none, a line below the table says
// so, with a button that clears the search, and calls `reset`, if given, to clear other filters; if nothing is shown
// even then, it removes the chips.
function tableSearch(label, table, matches, describe, reset) {
  const clear = () => {
    if (reset) reset();
    setSearch(search.input, "");
    if (!nothing.hidden) refine([]);
    search.input.focus();
  };
  const nothing = make("p", { class: "empty", hidden: true }, "Nothing matches the filter. ",
    make("button", { class: "plain", type: "button", click: clear }, "Show everything"));
  const search = searchField(label, (test) => {
    if (test) nothing.hidden = table.filter((row) => matches(row, test)) > 0;
    return describe(table.shown());
  });
  refreshers.push(search.update);
  search.update();
  table.element.append(nothing);
  return search;
}

// Keeps the filter and the order of a table in the address; `number` follows the names of these parameters. Returns a
// function that shows what the address says. A table that was left keeps its own, and then the address gets them.
function keepInAddress(table, search, number = "") {
  const firstOrder = table.order(),
    query = () => search.input.value.trim(),
    keep = () => setParameters({ ["filter" + number]: query() }, false);
  search.input.addEventListener("input", keep);
  table.element.addEventListener("click", (event) => {
    if (event.target.closest("th")) setParameters({ ["sort" + number]: table.order() }, false);
  });
  return () => {
    const parameters = addressParameters(),
      filter = parameters.get("filter" + number) || "",
      sort = parameters.get("sort" + number);
    if (filter !== query() && parameters.has("filter" + number)) {
      search.input.value = filter;
      search.update();
    }
    if (sort !== null) table.setOrder(sort);
    keep();
    setParameters({ ["sort" + number]: table.order() === firstOrder ? "" : table.order() }, false);
  };
}

// Paper does not scroll: add rows before printing.
addEventListener("beforeprint", () => {
  for (const end of document.querySelectorAll(".more:not([hidden])")) growers.get(end)(PRINTED);
});
