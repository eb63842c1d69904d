// Copies rows and tables: as text for spreadsheets, with tabs between columns, or as Markdown.

const copiedTables = new WeakMap(); // by element: `columns`, and `rows()`, those that are shown

// Numbers, and changes: "~ +0.3", "−12 %".
const NUMBER = /^(?:~ )?([+−-]?)([\d,]+(?:\.\d+)?)(?: %)?$/;

// Returns the text of a cell, with whole names.
function cellText(content) {
  if (!(content instanceof Element)) return String(content ?? "").trim();
  const cell = make("td", {}, content);
  for (const link of cell.querySelectorAll(".node")) link.textContent = link.title;
  return cell.textContent.trim();
}

// Returns the texts of a row's cells; numbers lack the marks between thousands.
function cellTexts(columns, row) {
  return columns.map((column) => {
    const text = cellText(column.cell(row));
    return NUMBER.test(text) ? text.replace(/,/g, "") : text.replace(/\s+/g, " ");
  });
}

// Returns a cell as spreadsheets read it: what is said of chance is also in the column of errors.
function forSpreadsheets(cell) {
  const [, sign, digits] = NUMBER.exec(cell) || [];
  return digits ? (/[−-]/.test(sign) ? "-" : "") + digits : cell;
}

const asTabs = (lines) => lines.map((cells) => cells.map(forSpreadsheets).join("\t") + "\n").join("");

// Formats text as code, which contains no markup. A cell of a table ends at every "|" without a backslash; the
// backslash is not part of the code.
function asCode(text) {
  const shown = text.replaceAll("\\|", "\\x7C").replaceAll("|", "\\|"),
    fence = "`".repeat(Math.max(0, ...(shown.match(/`+/g) || []).map((ticks) => ticks.length)) + 1),
    space = /^`|`$/.test(shown) ? " " : "";
  return fence + space + shown + space + fence;
}

// Text in which Markdown finds no markup, and GitHub no formula, mention, issue or emoji.
const PLAIN = /^[^\\|`*_~$<>[\]&@#:]*$/;

// Makes a table in Markdown. Columns of numbers are aligned on the right.
function asMarkdown([titles, ...lines]) {
  const line = (cells) => `| ${cells.join(" | ")} |\n`,
    row = (cells) => line(cells.map((cell) => (PLAIN.test(cell) ? cell : asCode(cell)))),
    isNumeric = (_, i) => lines.length > 0 && lines.every((cells) => cells[i] === "" || NUMBER.test(cells[i]));
  const rule = titles.map((title, i) => (isNumeric(title, i) ? "---:" : "---"));
  return row(titles) + line(rule) + lines.map(row).join("");
}

// Returns a table, or one of its rows, as text.
function tableText(element, row, format) {
  const { columns, rows } = copiedTables.get(element),
    written = columns.filter((column) => !/\bbar\b/.test(column.class)),
    wanted = row ? [rows()[[...element.tBodies[0].rows].indexOf(row)]] : rows();
  const lines = wanted.map((each) => cellTexts(written, each));
  return format(row && format === asTabs ? lines : [written.map(({ title }) => title), ...lines]);
}

// Puts text on the clipboard. Some browsers refuse that to files; a selection of the text can then be copied.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

const copyActions = [
  { key: "c", use: "copy the row", title: "Copy row", text: (table, row) => tableText(table, row, asTabs) },
  { key: "C", use: "copy the table", title: "Copy table", text: (table) => tableText(table, null, asTabs) },
  {
    key: "m", use: "copy the table as Markdown", title: "Copy as Markdown",
    text: (table) => tableText(table, null, asMarkdown),
  },
];

// Copies for an action what an element is in. Returns false if that is no table.
function copyFrom(element, { text }) {
  const table = element.closest("table");
  if (!copiedTables.has(table)) return false;
  copyText(text(table, element.closest("tbody tr")));
}

const copyKeys = makeShortcuts(
  "Copy",
  copyActions.map((action) => ({
    keys: [action.key], use: action.use, act: (event) => copyFrom(event.target, action),
  })),
);

// Returns what the menu of an element offers.
function copyItems(element) {
  if (!copiedTables.has(element.closest("table"))) return [];
  return copyActions.map((action) => [action.title, action.key, () => copyFrom(element, action)]);
}
