// The workbench of wide screens: beside the list of functions are the callers and callees of the selected one, its
// source at the hottest line, and a strip of the call tree. The address has the selection, the filter and the order.

const wideScreen = matchMedia("(min-width: 1200px)");

const BEFORE = 3, // lines of source before the hottest line,
  AFTER = 40; // and after it

// Makes the source around a function's hottest line; null if the page does not contain it.
function sourceExcerpt(node) {
  const hot = isCycle(node) ? null : hottestLine(node),
    file = sourceByName.get(hot ? hot.file : fileOf(node)),
    number = hot ? hot.number : isCycle(node) ? 0 : functions.line[node];
  if (!file) return null;
  const lines = linesOf(file),
    at = lines.findIndex((line) => line.number === number),
    shown = figuresOf(file);
  colourLines(lines, file.name);
  const rows = lines.slice(Math.max(0, at - BEFORE), at + AFTER).map((line) => lineRow(line, shown, number));
  return make(
    "section",
    { class: "excerpt" },
    make("h3", {}, placeLink(baseName(file.name) + ":" + number, sourceLink(file.name, number))),
    make("table", { "class": "source", "aria-label": "Source" }, sourceHead(columnsOfSource(shown), "Source"),
      make("tbody", {}, ...rows)),
  );
}

// The source comes after all callees, where it may be out of sight.
function hottestLineFact(node) {
  const hot = isCycle(node) ? null : hottestLine(node);
  return hot && fact("Hottest line", linePlace(hot), `, ${seconds(hot.time)} ${unitName}`);
}

// Makes what is shown of the selected function.
function selectionOf(node) {
  const facts = [
    ...(hasTime ? timeFacts(node) : []),
    ...(hasCounts ? callFacts(node) : []),
    hottestLineFact(node),
    coroutineFact(node),
  ];
  return [
    make("h2", { class: "function" }, nodeLink(node)),
    make("dl", { class: "facts" }, ...facts),
    hasTime ? make("p", { class: "total", title: barHint }, timeBar(node)) : "",
    changeSection(node) || "",
    arcSection("Callers", "Caller", callersOf(node), (arc) => arcs.caller[arc], node, "No callers are known."),
    arcSection("Callees", "Callee", calleesOf(node), (arc) => arcs.callee[arc], node, "No callees are known."),
    sourceExcerpt(node) || instructionSection(node) || "",
  ];
}

// Returns the row of a function's heaviest frame in the call tree; 0 if it has none.
function heaviestRow(node) {
  const nodes = nodesOfFrame(node);
  let at = nodes.reduce((best, other) => (tree.weight[other] > tree.weight[best] ? other : best), nodes[0]),
    row = 0;
  for (; at > 0; at = tree.parent[at]) row++;
  return row;
}

// Makes the strip of the call tree; null if there is none. A click on a frame selects its function.
function treeStrip(select) {
  if (!tree) return null;
  const schemes = colourings();
  let scheme = shownColouring(schemes),
    isOwn = false; // whether the selection is made in the strip, which stays where it is then
  const picture = flamePicture({
      label: "Call tree, " + (data.exact ? "measured" : "estimated"),
      isStrip: true,
      tint: (item) => scheme.tint(item),
      open(item) {
        isOwn = true;
        if (item.frame >= 0 && item.frame < nodeCount) select(item.frame, true);
        isOwn = false;
      },
      point: (item) => (title.textContent = itemName(item) + ": " + itemFigures(item)),
    }),
    title = make("span", { class: "soft" }),
    legend = make("p", { class: "legend" });
  // The other colours tell groups apart; their names are in the figures.
  const showLegend = () => legend.replaceChildren(...(scheme.title === "change" ? legendOf(scheme, []) : []));
  const draw = () => picture.show(wholeTree(false, false));
  refreshers.push(draw);
  recolourers.push(() => {
    scheme = shownColouring(schemes);
    showLegend();
    picture.redraw();
  });
  draw();
  showLegend();
  const element = make("details", { class: "strip", open: true }, make("summary", {}, "Call tree ", title),
    make("div", { class: "box" }, picture.element), legend);
  let marked = -1;
  const reveal = () => marked >= 0 && picture.reveal(heaviestRow(marked));
  element.addEventListener("toggle", () => element.open && reveal()); // what is closed cannot be scrolled
  return {
    element,
    mark(node) {
      marked = node;
      if (!isOwn) reveal();
      picture.mark(new Set([node]));
    },
  };
}

// Makes the right side. `element`; `show(node)`.
function benchSide(select) {
  const selection = make("div", { class: "selection" }),
    strip = treeStrip(select);
  let shown = -1;
  refreshers.push(() => (shown = -1)); // its shares may be others now
  return {
    element: make("div", { class: "side" }, selection, strip && strip.element),
    show(node) {
      if (node === shown) return;
      shown = node;
      // Before the contents change: afterwards, each of these would have to wait for the layout.
      selection.scrollTop = 0;
      if (strip) strip.mark(node);
      selection.replaceChildren(...selectionOf(node));
    },
  };
}

// Makes the workbench of a list, the element of a table. `element`; `show(node)` selects a function.
function makeBench(list) {
  const side = lazily(() => benchSide(select)),
    element = make("div", { class: "bench" }, make("div", { class: "list" }, list));
  let isPointer = false;

  function select(node, isStep) {
    setParameters({ at: keyOf(node) }, isStep);
    show(node);
  }

  function show(node) {
    if (!side().element.isConnected) element.append(side().element);
    markRow(linkTo(node)); // first, since it needs the layout
    side().show(node);
  }

  function markRow(href) {
    for (const row of list.querySelectorAll("tr.selected")) row.classList.remove("selected");
    const link = [...list.querySelectorAll("a.node")].find((each) => each.getAttribute("href") === href);
    if (!link) return;
    link.closest("tr").classList.add("selected");
    link.closest("tr").scrollIntoView({ block: "nearest" });
  }

  const nodeOfEvent = (event) => (wideScreen.matches && event.target.closest("tbody") ? functionAt(event.target) : -1);
  list.addEventListener("pointerdown", () => (isPointer = true));
  list.addEventListener("focusin", (event) => {
    const node = isPointer ? -1 : nodeOfEvent(event);
    if (node >= 0) select(node, false);
  });
  list.addEventListener("click", (event) => {
    isPointer = false;
    const link = event.target.closest("a"),
      isPlain = event.detail > 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey,
      node = isPlain && (!link || link.classList.contains("node")) ? nodeOfEvent(event) : -1;
    if (node < 0) return;
    event.preventDefault();
    select(node, true);
  });
  list.addEventListener("dblclick", (event) => {
    const node = nodeOfEvent(event);
    if (node >= 0) location.hash = linkTo(node);
  });
  return { element, show: (node) => wideScreen.matches && show(node) };
}

// The row at the top: short figures, and buttons for what is behind them. On small screens, it is all in sight.
function makeTopRow(header, buttons) {
  const notes = [...header.querySelectorAll(".warning:not(.mismatch), .notes")],
    count = header.querySelectorAll(".warning:not(.mismatch), .notes li").length,
    facts = header.querySelector("dl");
  const wrap = (id, label, ...elements) =>
    make("div", { id, popover: "", role: "group", "aria-label": label }, ...elements);
  const opener = (id, label, text) =>
    make(
      "button",
      { "class": "plain behind", "type": "button", "popovertarget": id, "title": label, "aria-label": label },
      text,
    );
  const values = ["time", "samples"].map((name) => facts.querySelector(`.${name} dd`)).filter(Boolean);
  const short = (text) => text.replace(/^1, .*/, "1 sample").replace(/, .*/, " samples");
  const brief = make("p", { class: "brief" }, ...values.map((value, i) =>
    make(i === 0 ? "strong" : "span", {}, short(value.textContent))));
  header.querySelector("h1").after(brief);
  const details = wrap("details", "Details");
  facts.before(details);
  details.append(facts);
  if (count > 0) header.append(wrap("notices", "Notices", ...notes));
  const first = buttons.querySelector(".group-choice");
  const add = (button) => (first ? first.after(button) : buttons.prepend(button));
  add(opener("details", "Details", "i"));
  const notices = counted(count) + (count === 1 ? " notice" : " notices");
  if (count > 0) add(opener("notices", notices, "⚠" + count));
  header.classList.add("top");
}
