// The view of the call tree: of callees, inverted (callers), or around one function. The link of a tree tells which:
// "!tree=down:PATH", "!tree=up:PATH", "!tree=around:FUNCTION", or "!tree=?QUERY" for a search.

const treeModes = [
  ["down", "Tree of callees", "From the program's start: callees are below their callers"],
  ["up", "Tree of callers (inverted)", "From the functions with self time: callers are below their callees"],
  ["around", "Around one function", "All calls of one function: callers above, callees below"],
];

const runChoices = [
  ["both", "Both runs", "A frame is as wide as the longer of its times; what is gone is hollow"],
  ["new", "New run", "A frame is as wide as its time in the new run"],
];

// Whether the tree shows both runs of a comparison; the address tells.
const showsBothRuns = () => comparedTree !== null && addressParameters().get("runs") !== "new";

function linkToTree(mode, place) {
  const runs = comparedTree && !showsBothRuns() ? "&runs=new" : "";
  return `#!tree=${mode}:${encodeURIComponent(place)}${runs}`;
}

// Returns the sentence about frames that the tree lacks, if they have much time.
function hiddenNote() {
  const { frame, weight } = recordedTree;
  let hidden = 0;
  for (let i = 0; i < frame.length; i++) if (frame[i] === HIDDEN) hidden += weight[i];
  const share = hidden / weight[0];
  if (share < 0.005) return "";
  return ` Only the heaviest call paths are shown: ${percent(share)} % of the time is in frames that are not.`;
}

// Returns the sentence about guessed times.
function guessNote() {
  if (!tree.guessed) return "";
  return (
    ` ${percent(tree.guessed)} % of the time is divided among call paths by guess: of hatched frames, less than half` +
    " is certain."
  );
}

// Returns the sentence about why the tree of a comparison lacks the old run.
function oldRunNote() {
  if (!data.comparison || comparedTree) return "";
  const why = comparedScope ? "the comparison is " + comparedScope : data.comparison.no_tree;
  return why ? ` Only the new run is shown: ${why}.` : "";
}

// Makes the explanation of the tree's times.
function treeNote() {
  const how = data.exact
    ? [make("b", {}, "Measured"), ": each sample counts for the calls that led to it" + pathNote() + "."]
    : [
        make("b", {}, "Estimated"),
        " from the call graph, which counts calls between pairs of functions but records no stacks. ",
        "Self times are as sampled; only the call paths are estimated.",
        guessNote(),
      ];
  return make("p", { class: "soft" }, ...how, hiddenNote(), oldRunNote());
}

// Makes the view. `element`; `show(argument)` shows what the link's argument says.
function treeView() {
  const schemes = colourings();
  let scheme = shownColouring(schemes),
    mode = "down",
    both = showsBothRuns(),
    pictures = [],
    hits = null; // of the search
  const roots = new Map(), // of whole trees, by mode
    made = new Map(); // pictures, by mode

  const detail = make("div", { "class": "detail", "aria-live": "polite" }),
    path = oneStop(make("nav", { "class": "path", "aria-label": "Path" })),
    legend = make("p", { class: "legend" }),
    canvas = make("div", { class: "canvas" });

  const modeSelect = makeSelect("Tree", treeModes, mode, (wanted) => {
    const at = pictures[0].selected(),
      known = at && at.frame >= 0 && at.frame < nodeCount;
    if (wanted !== "around") location.hash = linkToTree(wanted, "");
    else location.hash = linkToTree("around", keyOf(known ? at.frame : hottestFrame()));
  });
  const colourSelect = makeSelect("Colour by", schemes.map((found) => [found.title, "Colour: " + found.title]),
    scheme.title, (title) => {
      scheme = schemes.find((found) => found.title === title);
      showLegend();
      for (const picture of pictures) picture.redraw();
    });

  const runSelect = makeSelect("Runs", runChoices, both ? "both" : "new", (wanted) => {
    setParameters({ runs: wanted === "new" ? "new" : "" }, true);
  });

  const showLegend = () => legend.replaceChildren(...legendOf(scheme, both ? runsLegend : []));

  // Shows both runs, or the new one.
  function setRuns(wanted) {
    if (both === wanted) return;
    both = wanted;
    runSelect.value = both ? "both" : "new";
    roots.clear();
    search.update();
    showLegend();
  }

  function showDetail(item) {
    const frame = item.frame,
      known = frame >= 0 && frame < nodeCount;
    detail.replaceChildren(
      make("b", {}, known ? nodeLink(frame) : itemName(item), ":"),
      make("span", {}, " " + itemFigures(item)),
      known && placeOf(frame) ? make("span", { class: "soft" }, "(" + placeOf(frame) + ")") : "",
    );
  }

  // Shows the way to an item, each step of which can be gone back to. It is always one line, so that the picture stays
  // where it is; of a long way, the end is in sight.
  function showPath(item) {
    const steps = [...ancestorsOf(item), item];
    if (steps.length < 2)
      return path.replaceChildren(make("span", { class: "soft hint" }, "Click a frame to zoom in."));
    path.replaceChildren(
      ...steps.flatMap((step, i) => {
        const own = step.members ? "narrow frames" : shortName(step.frame)[0],
          here = i === steps.length - 1;
        const link = here ? make("b", {}, own) : make("a", { href: linkToTree(mode, pathOf(step)) }, own);
        return [i > 0 ? " › " : "", link];
      }),
    );
    setStop(path, path.querySelector("a"));
    path.scrollLeft = path.scrollWidth;
  }

  // Returns the pictures of a mode, which are made at first use: two around a function, otherwise one.
  function picturesOf(wanted) {
    const label = data.exact ? "Call tree, measured" : "Call tree, estimated";
    const isFunction = (item) => item.frame >= 0 && item.frame < nodeCount;
    const picture = (name, turned, open) =>
      flamePicture({ label: name, turned, open, tint: (item) => scheme.tint(item), point: showDetail });
    const openAround = (item) => isFunction(item) && (location.hash = linkToTree("around", keyOf(item.frame)));
    if (!made.has(wanted))
      made.set(
        wanted,
        wanted === "around"
          ? [picture("Callers", true, openAround), picture("Callees", false, openAround)]
          : [picture(label, false, (item) => (location.hash = linkToTree(wanted, pathOf(item))))],
      );
    return made.get(wanted);
  }

  const caption = () => make("p", { class: "caption", "aria-hidden": "true" }),
    callers = caption(),
    callees = caption();

  function choose(wanted) {
    if (mode === wanted && pictures.length > 0) return;
    mode = wanted;
    pictures = picturesOf(wanted);
    for (const each of pictures) each.mark(hits);
    const elements = pictures.map((each) => each.element);
    path.hidden = mode === "around";
    if (mode === "around") canvas.replaceChildren(callers, ...elements, callees);
    else canvas.replaceChildren(...elements);
  }

  function showWhole(wanted, place) {
    choose(wanted);
    if (!roots.has(mode)) roots.set(mode, wholeTree(mode === "up", both));
    const item = itemAt(roots.get(mode), place);
    pictures[0].show(item);
    showPath(item); // last: elsewhere, the picture would have to wait for its layout
  }

  function showAround(key) {
    const node = nodeByKey(key);
    if (node === undefined) return showWhole("down", "");
    choose("around");
    const [own] = splitOnce(nameOf(node));
    callers.textContent = "Callers of " + own;
    callees.textContent = `Callees of ${own}. Click a frame to see the calls around its function.`;
    pictures.forEach((picture, i) => picture.show(treeAround(node, i === 0, both)));
  }

  const search = searchField("Search the tree, or /regex/", (test, query) => {
    const result = test && query ? searchTree(test, both) : null;
    hits = result && result.hits;
    for (const picture of pictures) picture.mark(hits);
    return result ? describeHits(result) : "";
  });
  search.areNames = () => true;
  search.input.addEventListener("input", () => setParameters({ filter: search.input.value.trim() }, false));

  // Searches for what the link's argument or the address asks for.
  function showSearch(argument) {
    const parameters = addressParameters(),
      query = argument.startsWith("?") ? argument.slice(1) : parameters.get("filter");
    if (query !== null && query !== search.input.value.trim()) {
      search.input.value = query;
      search.update();
    }
    setParameters({ filter: search.input.value.trim() }, false);
  }

  // Shows the refined tree.
  refreshers.push(() => {
    roots.clear();
    search.update();
  });
  recolourers.push(() => {
    scheme = shownColouring(schemes);
    colourSelect.value = scheme.title;
    showLegend();
    for (const picture of pictures) picture.redraw();
  });

  showLegend();
  const element = make(
    "section",
    {},
    make("div", { class: "tools" }, search.input, modeSelect, schemes.length > 1 ? colourSelect : null,
      comparedTree ? runSelect : null, search.status),
    treeNote(),
    legend,
    path,
    detail,
    canvas,
  );
  return {
    element,
    show(argument) {
      setRuns(showsBothRuns());
      const [, wanted, place] = /^(down|up|around):(.*)$/s.exec(argument) || [null, "down", ""];
      if (wanted === "around") showAround(place);
      else showWhole(wanted, place);
      modeSelect.value = mode;
      showSearch(argument);
    },
  };
}

// Returns the function in the tree with the most self time.
function hottestFrame() {
  let best = -1;
  for (let f = 0; f < functionCount; f++)
    if (nodesOfFrame(f).length > 0 && (best < 0 || functions.self[f] > functions.self[best])) best = f;
  return Math.max(best, 0);
}

function describeHits({ count, share }) {
  if (count === 0) return "No matches";
  return `${counted(count)} ${count === 1 ? "frame" : "frames"}, ${percent(share)} % of the time`;
}
