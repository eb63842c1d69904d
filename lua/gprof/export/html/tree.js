// The call tree as a flame graph, measured or estimated from call counts. Width is time; callees are below their callers.
// Clicking a frame zooms in until it fills the width.

const ROW_HEIGHT = 22; // pixels
const MIN_WIDTH = 1.5; // pixels; narrower frames are not drawn
const MIN_LABEL = 26; // pixels; narrower frames have no label

// The call tree; null if the profile has no time.
const tree = data.tree && data.tree.weight[0] > 0 ? layOut(data.tree) : null;

// Adds columns to the tree: `children`, `depth`, `start` (the left edge) and `own` (self time). The last two
// are weights.
function layOut(source) {
  const count = source.frame.length;
  const laid = {
    ...source,
    children: Array.from({ length: count }, () => []),
    depth: new Array(count).fill(0),
    start: new Array(count).fill(0),
    own: source.weight.slice(),
  };
  for (let i = 1; i < count; i++) {
    const parent = source.parent[i];
    laid.depth[i] = laid.depth[parent] + 1;
    laid.start[i] = laid.start[parent] + source.weight[parent] - laid.own[parent];
    laid.own[parent] -= source.weight[i];
    laid.children[parent].push(i);
  }
  return laid;
}

const frameTime = (i) => tree.weight[i] / tree.parts;

function frameName(i) {
  const frame = tree.frame[i];
  return frame === -1 ? "all" : frame === -2 ? "[not shown]" : labelOf(frame);
}

// Returns one of six tints. Functions of one source file have the same tint.
function tintOf(i) {
  const frame = tree.frame[i];
  if (frame < 0) return "tr";
  const text = (frame < nodeCount && fileOf(frame)) || frameName(i);
  let sum = 7;
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) >>> 0;
  return "t" + (sum % 6);
}

// Returns the frames to draw: the ancestors of `root`, from the top; then `root` and the frames below it that are wide
// enough, parents first.
function visibleFrames(root, width) {
  const frames = [],
    least = (MIN_WIDTH / width) * tree.weight[root];
  for (let i = tree.parent[root]; i >= 0; i = tree.parent[i]) frames.unshift(i);
  const stack = [root];
  while (stack.length > 0) {
    const i = stack.pop();
    frames.push(i);
    for (let at = tree.children[i].length - 1; at >= 0; at--) {
      if (tree.weight[tree.children[i][at]] >= least) stack.push(tree.children[i][at]);
    }
  }
  return frames;
}

function makeFrame(i, root, width, hits) {
  const above = tree.depth[i] < tree.depth[root],
    scale = 1 / tree.weight[root];
  const left = above ? 0 : (tree.start[i] - tree.start[root]) * scale,
    wide = above ? 1 : tree.weight[i] * scale;
  const thin = wide * width < MIN_LABEL,
    found = hits ? (hits.has(i) ? " hit" : " dim") : "";
  const element = make(
    "div",
    {
      "class": "frame " + tintOf(i) + found + (above ? " above" : "") + (thin ? " thin" : ""),
      "role": "treeitem",
      "id": "frame" + i,
      "aria-level": tree.depth[i] + 1,
      "aria-label": describeFrame(i),
    },
    thin ? "" : frameName(i),
  );
  element.style.left = 100 * left + "%";
  element.style.width = 100 * wide + "%";
  element.style.top = ROW_HEIGHT * tree.depth[i] + "px";
  element.dataset.frame = i;
  return element;
}

function describeFrame(i) {
  const share = tree.weight[0] > 0 ? tree.weight[i] / tree.weight[0] : 0;
  const own = Math.max(0, tree.own[i]) / tree.parts;
  const parent = tree.parent[i];
  return (
    frameName(i) +
    ": " +
    seconds(frameTime(i)) +
    " " +
    unitName +
    ", " +
    percent(share) +
    " % of all" +
    (parent > 0 ? ", " + percent(tree.weight[i] / tree.weight[parent]) + " % of " + frameName(parent) : "") +
    (tree.frame[i] === -2 ? "" : ", self " + seconds(own) + " " + unitName)
  );
}

// Returns the frames whose names match, and the share of the time that they cover. Nested matches count once.
function searchTree(test) {
  const hits = new Set(),
    covered = new Set();
  let weight = 0;
  for (let i = 1; i < tree.frame.length; i++) {
    const frame = tree.frame[i],
      under = covered.has(tree.parent[i]),
      hit = test(frame < 0 ? frameName(i) : nameOf(frame));
    if (hit) hits.add(i);
    if (hit && !under) weight += tree.weight[i];
    if (hit || under) covered.add(i);
  }
  return { hits, share: tree.weight[0] > 0 ? weight / tree.weight[0] : 0 };
}

// Returns the frame to which an arrow key leads from frame `i`.
function neighbour(i, key) {
  const siblings = i > 0 ? tree.children[tree.parent[i]] : [0],
    at = siblings.indexOf(i);
  const target = {
    ArrowUp: tree.parent[i],
    ArrowDown: tree.children[i][0],
    ArrowLeft: siblings[at - 1],
    ArrowRight: siblings[at + 1],
  }[key];
  return target === undefined || target < 0 ? i : target;
}

// Makes the view of the call tree. Calls `zoomed` with a frame when the user zooms to it.
function treeView(zoomed) {
  const picture = make("div", {
    "class": "tree",
    "role": "tree",
    "tabindex": "0",
    "aria-label": data.exact ? "Call tree" : "Call tree, estimated",
  });
  const detail = make("div", { "class": "detail", "aria-live": "polite" }),
    status = make("span", { class: "soft", role: "status" });
  const reset = make("button", { class: "plain", type: "button", click: () => zoomed(0) }, "Show all");
  let root = 0,
    at = 0,
    hits = null,
    width = 0;

  function select(i) {
    const before = picture.querySelector(".at"),
      element = picture.querySelector("#frame" + i);
    if (before) before.classList.remove("at");
    if (!element) return;
    at = i;
    element.classList.add("at");
    picture.setAttribute("aria-activedescendant", element.id);
    showDetail(i);
  }

  function showDetail(i) {
    const frame = tree.frame[i],
      known = frame >= 0 && frame < nodeCount;
    const text = describeFrame(i).slice(frameName(i).length);
    detail.replaceChildren(
      make("b", {}, known ? nodeLink(frame) : frameName(i)),
      text,
      known && placeOf(frame) ? make("span", { class: "soft" }, " (" + placeOf(frame) + ")") : "",
    );
  }

  function draw() {
    width = picture.clientWidth;
    if (width === 0) return;
    const frames = visibleFrames(root, width);
    const depth = frames.reduce((most, i) => Math.max(most, tree.depth[i]), 0);
    picture.style.height = ROW_HEIGHT * (depth + 1) + "px";
    picture.replaceChildren(...frames.map((i) => makeFrame(i, root, width, hits)));
    reset.hidden = root === 0;
    select(picture.querySelector("#frame" + at) ? at : root);
  }

  const search = searchField("Search the tree, or /regex/", (query) => {
    const test = matcher(query),
      result = test && query ? searchTree(test) : null;
    hits = result && result.hits;
    status.textContent = !test
      ? "Invalid regular expression"
      : !result
        ? ""
        : result.hits.size === 0
          ? "No matches"
          : counted(result.hits.size) +
            (result.hits.size === 1 ? " frame, " : " frames, ") +
            percent(result.share) +
            " % of the time";
    draw();
  });

  const frameOf = (event) => {
    const found = event.target.closest(".frame");
    return found ? Number(found.dataset.frame) : -1;
  };
  picture.addEventListener("click", (event) => {
    const i = frameOf(event);
    if (i >= 0) {
      at = i;
      zoomed(i);
    }
  });
  picture.addEventListener("mousemove", (event) => {
    const i = frameOf(event);
    if (i >= 0) showDetail(i);
  });
  picture.addEventListener("mouseleave", () => showDetail(at));
  picture.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) select(neighbour(at, event.key));
    else if (event.key === "Enter" || event.key === " ") zoomed(at);
    else if (event.key === "Escape" || event.key === "Backspace")
      zoomed(event.key === "Escape" ? 0 : Math.max(0, tree.parent[root]));
    else if (event.key === "o" && tree.frame[at] >= 0 && tree.frame[at] < nodeCount)
      location.hash = linkTo(tree.frame[at]);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(() => {
    if (picture.clientWidth !== width) draw();
  }).observe(picture);

  const element = make(
    "section",
    {},
    make("div", { class: "tools" }, search, reset, status),
    make(
      "p",
      { class: "soft" },
      ...(data.exact
        ? ["Measured: each sample counts for the calls that led to it."]
        : [
            make("b", {}, "Estimated"),
            " from the call graph, which counts calls between pairs of functions but records no stacks. ",
            "Self times are as sampled; only the call paths are estimated.",
          ]),
    ),
    detail,
    picture,
  );
  return {
    element,
    zoom(i) {
      root = i;
      if (tree.depth[at] < tree.depth[i]) at = i;
      draw();
    },
    search(query) {
      search.value = query;
      search.dispatchEvent(new Event("input"));
    },
  };
}
