// The frames of a picture, row by row. Frames wide enough for a label are elements, which are kept and changed when the
// picture changes: that is faster than making new ones. The others are painted as the background of their row: there
// can be a thousand of them. They get elements when they are selected.

const LABELLED = 26, // pixels: narrower frames have no label
  BATCH = 16; // frames changed between two pauses

const itemName = (item) =>
  item.members ? counted(item.members.length) + " narrow frames" : frameName(item.frame);

// Returns what is certain of an item's time, and the most that its function can have, as shares.
function possibleShares(item) {
  const between = item.frame < nodeCount && boundsOf(item.frame);
  return rangeOf(timeOf(item.certain), between ? between[1] : timeOf(item.now));
}

// Returns an item's time, and its shares of all time and of its parent's.
function itemFigures(item) {
  const parent = item.parent;
  const share = (whole) => percent(whole > 0 ? item.now / whole : 0) + " % of ";
  const parts = item.both ? changeFigures(item) : [`${seconds(timeOf(item.now))} ${unitName}`];
  const [base, name] = isOfShown ? [tree, "what is shown"] : [recordedTree, "all"];
  if (item.frame !== ROOT) parts.push(share(base.weight[0]) + name);
  if (parent && parent.frame !== ROOT) parts.push(share(parent.now) + frameName(parent.frame));
  if (isGuess(item)) parts.push(`possible ${possibleShares(item)} of all`);
  if (!item.up && item.frame >= 0) parts.push(`self ${seconds(timeOf(item.own))} ${unitName}`);
  return parts.join(", ");
}

// Returns the parts of a frame's name: the function's own name, and what qualifies it.
const shortName = (frame) => (frame < 0 ? [frameName(frame), ""] : splitOnce(frameName(frame)));

// Returns the text of a frame, in the same two parts.
const frameLabel = (item) =>
  item.members ? [counted(item.members.length) + " more", ""] : shortName(item.frame);

const toPercent = (share) => (100 * share).toFixed(4) + "%";

// Returns the classes of a frame that shows both runs: whether some of its time is gone, and whether it is new.
function runsClass(item) {
  if (!item.both) return "";
  const status = item.members ? "" : statusOf(item);
  return (item.now < item.weight ? " less" : "") + (status && " " + status);
}

// Makes the element of a frame: an `element`, and `show(box, kind, isThin)`, which shows a box in it. `kind` is the
// class of its colour.
function makeFrame(id, row) {
  const own = document.createTextNode(""),
    scope = make("span", { class: "scope" });
  const element = make("div", { role: "treeitem", id, "aria-level": row + 1 });
  const shown = { own: "", scope: "", name: "" };

  function setOwn(text) {
    if (shown.own === text) return;
    if (!own.parentNode) element.prepend(own);
    own.textContent = shown.own = text;
  }

  // The style sheet shows it: the accessible name has the parts in another order, and has to contain what is text.
  function setScope(text) {
    if (shown.scope === text) return;
    if (!scope.parentNode) element.append(scope);
    scope.dataset.text = shown.scope = text;
  }

  function setClass(name) {
    if (shown.name !== name) element.className = shown.name = name;
  }

  function show(box, kind, isThin) {
    const { item } = box,
      [first, second] = isThin ? ["", ""] : frameLabel(item);
    setOwn(first);
    setScope(second);
    setClass("frame " + kind + (isGuess(item) ? " guess" : "") + (box.above ? " above" : "") + (isThin ? " thin" : "") +
      runsClass(item));
    if (item.both) element.style.setProperty("--kept", toPercent(item.now / item.weight));
    element.style.left = toPercent(box.left);
    element.style.width = toPercent(box.wide);
    element.setAttribute("aria-label", itemName(item) + ": " + itemFigures(item));
    box.frame = element;
  }
  return { element, show, hide: () => setClass("spare") };
}

// Returns the colour of a frame of a kind, for the background of a row. The stripes of gathered frames show through.
function paintOf(kind) {
  const name = kind.split(" ").pop();
  return name === "gathered" ? "transparent" : `var(--${name})`;
}

// Makes a row. `element`; `show(boxes, kindOf, isThin)`, a generator that pauses; `frameOf(box)`, which returns the
// element of a box, and makes it if the box was painted; `hide()`.
function makeFrameRow(prefix, row) {
  const frames = [],
    element = make("div", { class: "row" });
  let used = 0,
    kindOfBox = null;

  function use(box, isThin) {
    if (used === frames.length) {
      frames.push(makeFrame(`${prefix}-${row}-${used}`, row));
      element.append(frames[used].element);
    }
    frames[used++].show(box, kindOfBox(box), isThin);
  }

  function* show(boxes, kindOf, isThin) {
    const stops = [],
      before = used;
    let painted = 0;
    used = 0;
    kindOfBox = (box) => kindOf(box.item);
    for (let i = 0; i < boxes.length; i++) {
      const box = boxes[i],
        past = box.left + box.wide;
      if (isThin(box)) {
        if (box.left > painted) stops.push(`var(--wash) 0 ${toPercent(box.left)}`);
        const solid = box.left + (box.wide * box.item.now) / box.item.weight;
        stops.push(`${paintOf(kindOfBox(box))} 0 ${toPercent(solid)}`);
        if (solid < past) stops.push(`var(--paper) 0 ${toPercent(past)}`);
        painted = past;
      } else use(box, false);
      if (i % BATCH === BATCH - 1) yield;
    }
    const gradient = `linear-gradient(90deg, ${stops.join(", ")}, var(--wash) 0), var(--stripes)`;
    element.style.backgroundImage = stops.length > 0 ? gradient : "none";
    for (let i = used; i < before; i++) frames[i].hide();
  }

  function frameOf(box) {
    if (!box.frame) use(box, true);
    return box.frame;
  }

  function hide() {
    for (let i = 0; i < used; i++) frames[i].hide();
    used = 0;
    element.style.backgroundImage = "none";
  }
  return { element, show, frameOf, hide };
}
