// A picture of a tree: a flame graph. Width is time. Callees are below their callers; in a tree of callers, callers
// are below, or above if the picture is turned over. Only rows near the window are drawn.

const ROW_HEIGHT = 22, // pixels
  LABELLED = 26, // pixels: narrower frames have no label
  MARGIN = 4; // rows drawn above and below the window

const itemName = (item) =>
  item.members ? counted(item.members.length) + " narrow frames" : frameName(item.frame);

// Returns an item's time, and its shares of all time and of its parent's.
function itemFigures(item) {
  const parent = item.parent;
  const share = (whole) => percent(whole > 0 ? item.weight / whole : 0) + " % of ";
  const parts = [`${seconds(timeOf(item.weight))} ${unitName}`, share(tree.weight[0]) + "all"];
  if (parent && parent.frame !== ROOT) parts.push(share(parent.weight) + frameName(parent.frame));
  if (!item.up && item.frame > HIDDEN) parts.push(`self ${seconds(timeOf(item.own))} ${unitName}`);
  return parts.join(", ");
}

// Returns the parts of a frame's name: the function's own name, and what qualifies it.
const shortName = (frame) => (frame < 0 ? [frameName(frame), ""] : splitOnce(frameName(frame)));

// Returns the contents of a frame.
function frameLabel(item) {
  if (item.members) return [counted(item.members.length) + " more"];
  const [own, scope] = shortName(item.frame);
  return scope ? [own, make("span", { class: "scope" }, scope)] : [own];
}

const treeKeys = makeShortcuts("Call tree", [
  {
    keys: ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"],
    use: "select the frame above, below or beside",
    act: (event, picture) => picture.step(event.key),
  },
  { keys: ["Enter", " "], use: "zoom in", act: (event, picture) => picture.open(picture.selected()) },
  { keys: ["Escape"], use: "zoom out to the whole tree", act: (event, picture) => picture.open(picture.outermost()) },
  { keys: ["Backspace"], use: "zoom out by one frame", act: (event, picture) => picture.open(picture.outer()) },
  {
    keys: ["o"],
    use: "open the selected function",
    act(event, picture) {
      const { frame } = picture.selected();
      if (frame >= 0 && frame < nodeCount) location.hash = linkTo(frame);
    },
  },
], tree !== null);

// Makes a picture. `options`: `label`; `turned`, whether the root is at the bottom; `tint(item)`, which returns a
// class; `open(item)`, called when the user chooses a frame; `point(item)`, called when a frame is pointed at or
// selected. Returns `element`; `show(root)`; `redraw()`; `select(item)`; `mark(frames)`, which marks the frames of a
// search (null: none); and `selected()`.
function flamePicture(options) {
  const element = make("div", { "class": "tree", "role": "tree", "tabindex": "0", "aria-label": options.label });
  let root = null,
    rows = [],
    drawn = new Set(), // numbers of rows
    boxes = new Map(), // by item
    at = null, // the selected item
    hits = null,
    width = 0;

  const topOf = (row) => ROW_HEIGHT * (options.turned ? rows.length - 1 - row : row);

  function makeFrame(box) {
    const item = box.item,
      thin = box.wide * width < LABELLED;
    const found = hits ? (hits.has(item.frame) ? " hit" : " dim") : "";
    const kind = item.members ? "gathered" : options.tint(item);
    const frame = make(
      "div",
      {
        "class": "frame " + kind + found + (box.above ? " above" : "") + (thin ? " thin" : ""),
        "role": "treeitem",
        "id": `${element.id}-${box.row}-${box.left.toFixed(6)}`,
        "aria-level": box.row + 1,
        "aria-label": itemName(item) + ": " + itemFigures(item),
      },
      ...(thin ? [] : frameLabel(item)),
    );
    frame.style.left = 100 * box.left + "%";
    frame.style.width = 100 * box.wide + "%";
    frame.style.top = topOf(box.row) + "px";
    frame.box = box;
    box.frame = frame;
    return frame;
  }

  function drawRow(row) {
    if (drawn.has(row) || !rows[row]) return;
    drawn.add(row);
    element.append(...rows[row].map(makeFrame));
  }

  // Draws the rows near the window.
  function drawVisible(all) {
    const above = -element.getBoundingClientRect().top;
    const first = all ? 0 : Math.floor(above / ROW_HEIGHT) - MARGIN,
      last = all ? rows.length : Math.ceil((above + innerHeight) / ROW_HEIGHT) + MARGIN;
    for (let i = Math.max(0, first); i < Math.min(rows.length, last); i++)
      drawRow(options.turned ? rows.length - 1 - i : i);
  }

  function redraw() {
    width = element.clientWidth;
    if (width === 0 || !root) return;
    rows = boxesOf(root, width);
    boxes = new Map(rows.flat().map((box) => [box.item, box]));
    drawn = new Set();
    element.style.height = ROW_HEIGHT * rows.length + "px";
    element.replaceChildren();
    drawVisible(false);
    select(boxes.has(at) ? at : root);
  }

  function select(item) {
    const box = boxes.get(item),
      before = element.querySelector(".at");
    if (before) before.classList.remove("at");
    if (!box) return;
    at = item;
    drawRow(box.row);
    box.frame.classList.add("at");
    element.setAttribute("aria-activedescendant", box.frame.id);
    options.point(item);
  }

  // Returns the box to which an arrow key leads.
  function neighbour(key) {
    const box = boxes.get(at),
      beside = box.under ? box.under.below : [box],
      place = beside.indexOf(box);
    const [towards, away] = options.turned ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
    const vertical = { [towards]: box.below[0], [away]: box.under },
      horizontal = { ArrowLeft: beside[place - 1], ArrowRight: beside[place + 1] };
    return vertical[key] || horizontal[key] || box;
  }

  const boxUnder = (event) => event.target.closest(".frame") && event.target.closest(".frame").box;
  element.addEventListener("click", (event) => {
    const box = boxUnder(event);
    if (box) options.open((at = box.item));
  });
  element.addEventListener("mousemove", (event) => {
    const box = boxUnder(event);
    if (box) options.point(box.item);
  });
  element.addEventListener("mouseleave", () => at && options.point(at));
  element.addEventListener("keydown", (event) => at && runShortcut(treeKeys, event, picture));
  new ResizeObserver(() => element.clientWidth !== width && redraw()).observe(element);
  addEventListener("scroll", () => element.isConnected && drawVisible(false), { passive: true });
  addEventListener("beforeprint", () => element.isConnected && drawVisible(true));

  element.id = "tree" + ++flamePicture.count;
  const picture = {
    element,
    redraw,
    select,
    selected: () => at,
    open: options.open,
    outer: () => root.parent || root,
    outermost: () => ancestorsOf(root)[0] || root,
    step(key) {
      select(neighbour(key).item);
      boxes.get(at).frame.scrollIntoView({ block: "nearest" });
    },
    show(item) {
      const inside = at && [...ancestorsOf(at), at].includes(item);
      root = item;
      if (!inside) at = item;
      redraw();
    },
    mark(frames) {
      hits = frames;
      redraw();
    },
  };
  return picture;
}
flamePicture.count = 0;
