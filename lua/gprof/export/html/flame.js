// A picture of a tree: a flame graph. Width is time. Callees are below their callers; in a tree of callers, callers
// are below, or above if the picture is turned over. Only rows near the window are drawn.

const ROW_HEIGHT = 22, // pixels
  MARGIN = 4, // rows drawn above and below the window
  SLICE = 3; // milliseconds: drawing that takes longer continues after the next frame

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

const selectedFrames = new WeakMap(); // functions that return the selected frame of a picture

// Pictures with work left, as functions that work until a time. They share the slices.
const working = new Set();

function workFor(picture) {
  if (working.size === 0) queueMicrotask(workSlice);
  working.add(picture);
}

function workSlice() {
  const end = performance.now() + SLICE;
  for (const proceed of working) if (proceed(end)) working.delete(proceed);
  if (working.size > 0) requestAnimationFrame(() => setTimeout(workSlice));
}

// Makes a picture. `options`: `label`; `turned`, whether the root is at the bottom; `tint(item)`, which returns a
// class; `open(item)`, called when the user chooses a frame; `point(item)`, called when a frame is pointed at or
// selected. Returns `element`; `show(root)`; `redraw()`; `select(item)`; `mark(frames)`, which marks the frames of a
// search (null: none); `reveal(row)`, which scrolls a strip to a row; and `selected()`.
function flamePicture(options) {
  const element = make("div", { "class": "tree", "role": "tree", "tabindex": "0", "aria-label": options.label });
  let root = null,
    rows = [], // of boxes
    boxes = new Map(), // by item
    drawn = new Set(), // numbers of rows
    work = null, // what is left to draw, a generator
    at = null, // the selected item
    chosen = null, // its frame
    hits = null,
    isBusy = false,
    width = 0,
    height = 0,
    range = [0, 0]; // of the rows near the window
  const lines = []; // elements of rows

  function setHeight(pixels) {
    height = pixels;
    element.style.height = height + "px";
  }

  // Finds the rows near the window.
  function look() {
    // A strip is a window of its own, whose place in the page may still change.
    const above = options.isStrip ? element.parentElement.scrollTop : -element.getBoundingClientRect().top,
      first = Math.floor(above / ROW_HEIGHT) - MARGIN,
      last = Math.ceil((above + innerHeight) / ROW_HEIGHT) + MARGIN,
      count = height / ROW_HEIGHT;
    range = options.turned ? [count - last, count - first] : [first, last];
  }

  function kindOf(item) {
    const found = hits ? (hits.has(item.frame) ? " hit" : options.isStrip ? "" : " dim") : "";
    return (item.members ? "gathered" : options.tint(item)) + found;
  }

  function* drawRow(row) {
    if (!lines[row]) {
      lines[row] = makeFrameRow(element.id, row);
      lines[row].element.style[options.turned ? "bottom" : "top"] = ROW_HEIGHT * row + "px";
      element.append(lines[row].element);
    }
    yield* lines[row].show(rows[row], kindOf, (box) => box.wide * width < LABELLED);
    drawn.add(row);
  }

  // Draws the rows near the window, which may move meanwhile.
  function* drawRows() {
    for (let near = null; near !== range; ) {
      near = range;
      for (let row = Math.max(0, near[0]); row < Math.min(rows.length, near[1]); row++)
        if (!drawn.has(row)) yield* drawRow(row);
    }
  }

  // Lays out the tree, and draws its rows near the window.
  function* build() {
    for (const row of rowsOf(root, width)) {
      if (row) {
        rows.push(row);
        for (const box of row) boxes.set(box.item, box);
        if (ROW_HEIGHT * rows.length > height) setHeight(ROW_HEIGHT * rows.length);
        yield* drawRows();
      }
      yield;
    }
    setHeight((root.height = ROW_HEIGHT * rows.length));
    yield* drawRows();
    const item = boxes.has(at) ? at : root,
      { row } = boxes.get(item);
    if (!drawn.has(row)) yield* drawRow(row);
    select(item);
    lines.forEach((line, number) => drawn.has(number) || line.hide());
  }

  // Works until a time. Returns whether all is done.
  function proceed(end) {
    do if (work && work.next().done) work = null;
    while (work && performance.now() < end);
    if (isBusy !== (work !== null)) element.setAttribute("aria-busy", String((isBusy = work !== null)));
    return work === null;
  }

  function redraw() {
    width = width || element.clientWidth;
    if (width === 0 || !root) return;
    look();
    if (root.height) setHeight(root.height); // at once, since the page may scroll now
    if (chosen) chosen.classList.remove("at");
    chosen = null;
    rows = [];
    boxes = new Map();
    drawn = new Set();
    work = build();
    workFor(proceed);
  }

  function drawVisible() {
    look();
    if (work || !root) return;
    work = drawRows();
    workFor(proceed);
  }

  function drawAll() {
    range = [0, Infinity];
    finish(work || drawRows());
    work = null;
    proceed(0);
  }

  function select(item) {
    const box = boxes.get(item);
    if (chosen) chosen.classList.remove("at");
    if (!box) return;
    at = item;
    if (!drawn.has(box.row)) finish(drawRow(box.row));
    chosen = lines[box.row].frameOf(box);
    chosen.classList.add("at");
    element.setAttribute("aria-activedescendant", chosen.id);
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

  // Returns the box under the mouse, if any.
  function boxUnder(event) {
    const area = element.getBoundingClientRect(),
      x = (event.clientX - area.left) / area.width,
      line = Math.floor((event.clientY - area.top) / ROW_HEIGHT),
      row = rows[options.turned ? height / ROW_HEIGHT - 1 - line : line] || [];
    return row.find((box) => x >= box.left && x < box.left + box.wide);
  }
  element.addEventListener("click", (event) => {
    const box = boxUnder(event);
    if (box) options.open((at = box.item));
  });
  element.addEventListener("contextmenu", (event) => {
    const box = boxUnder(event);
    if (box) select(box.item);
  });
  element.addEventListener("mousemove", (event) => {
    const box = boxUnder(event);
    element.classList.toggle("pointed", box !== undefined);
    if (box) options.point(box.item);
  });
  element.addEventListener("mouseleave", () => at && options.point(at));
  element.addEventListener("keydown", (event) => at && runShortcut(treeKeys, event, picture));
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth; // 0 if the picture is not in the page
    redraw();
  }).observe(element);
  addEventListener("scroll", () => element.isConnected && drawVisible(), { passive: true, capture: true });
  addEventListener("beforeprint", () => element.isConnected && drawAll());

  element.id = "tree" + ++flamePicture.count;
  selectedFrames.set(element, () => (at ? at.frame : -1));
  const picture = {
    element,
    redraw,
    select,
    selected: () => at,
    open: options.open,
    outer: () => root.parent || root,
    outermost: () => ancestorsOf(root)[0] || root,
    step(key) {
      if (!boxes.has(at)) return; // not drawn yet
      select(neighbour(key).item);
      chosen.scrollIntoView({ block: "nearest" });
    },
    show(item) {
      const inside = at && [...ancestorsOf(at), at].includes(item);
      root = item;
      if (!inside) at = item;
      redraw();
    },
    reveal(row) {
      const box = element.parentElement,
        top = ROW_HEIGHT * row,
        isSeen = top >= box.scrollTop && top + ROW_HEIGHT <= box.scrollTop + box.clientHeight;
      if (isSeen) return;
      setHeight(Math.max(height, top + 2 * ROW_HEIGHT)); // the rows may be drawn later
      box.scrollTop = top + 2 * ROW_HEIGHT - box.clientHeight;
    },
    mark(frames) {
      if (hits === frames) return;
      hits = frames;
      redraw();
    },
  };
  return picture;
}
flamePicture.count = 0;
