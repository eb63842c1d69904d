// The tree of calls as a picture: time is width, callees are below their callers. A frame that is clicked
// fills the width. It is an estimate, made of counts of calls.

const ROW = 22; // pixels
const THINNEST = 1.5; // pixels; what is thinner is not drawn
const LEGIBLE = 26; // pixels that a label takes

// null where there is no time to be drawn.
const tree = data.tree && data.tree.weight[0] > 0 ? layTree(data.tree) : null;

// Children, depths, and where frames begin, as weights.
function layTree(given) {
  const count = given.frame.length;
  const laid = {
    ...given,
    children: Array.from({ length: count }, () => []),
    depth: new Array(count).fill(0),
    start: new Array(count).fill(0),
    own: given.weight.slice(),
  };
  for (let i = 1; i < count; i++) {
    const parent = given.parent[i];
    laid.depth[i] = laid.depth[parent] + 1;
    laid.start[i] = laid.start[parent] + given.weight[parent] - laid.own[parent];
    laid.own[parent] -= given.weight[i];
    laid.children[parent].push(i);
  }
  return laid;
}

const frameTime = (i) => tree.weight[i] / tree.parts;

function frameName(i) {
  const frame = tree.frame[i];
  return frame === -1 ? "all" : frame === -2 ? "[not shown]" : nameOf(frame);
}

// One of six tints, by the source file, so that what belongs together looks alike.
function tintOf(i) {
  const frame = tree.frame[i];
  if (frame < 0) return "tr";
  const text = (frame < nodeCount && fileOf(frame)) || frameName(i);
  let sum = 7;
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) >>> 0;
  return "t" + (sum % 6);
}

// Frames from a root down that are wide enough, parents first, and before them the ones above it, which have
// all of the width.
function visibleFrames(root, width) {
  const frames = [],
    least = (THINNEST / width) * tree.weight[root];
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
  const thin = wide * width < LEGIBLE,
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
  element.style.top = ROW * tree.depth[i] + "px";
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

// Frames whose name is looked for, and how much of the time is below the topmost of them.
function searchTree(test) {
  const hits = new Set(),
    covered = new Set();
  let weight = 0;
  for (let i = 1; i < tree.frame.length; i++) {
    const under = covered.has(tree.parent[i]),
      hit = test(frameName(i));
    if (hit) hits.add(i);
    if (hit && !under) weight += tree.weight[i];
    if (hit || under) covered.add(i);
  }
  return { hits, share: tree.weight[0] > 0 ? weight / tree.weight[0] : 0 };
}

// Where the keys lead from a frame.
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

// `zoomed` is called with a frame when the user wants to see that.
function treeView(zoomed) {
  const picture = make("div", {
    "class": "tree",
    "role": "tree",
    "tabindex": "0",
    "aria-label": "Tree of calls, estimated",
  });
  const detail = make("div", { "class": "detail", "aria-live": "polite" }),
    status = make("span", { class: "soft", role: "status" });
  const reset = make("button", { class: "plain", type: "button", click: () => zoomed(0) }, "Show all");
  let root = 0,
    at = 0,
    hits = null,
    width = 0;

  function mark(i) {
    const before = picture.querySelector(".at"),
      element = picture.querySelector("#frame" + i);
    if (before) before.classList.remove("at");
    if (!element) return;
    at = i;
    element.classList.add("at");
    picture.setAttribute("aria-activedescendant", element.id);
    tell(i);
  }

  function tell(i) {
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
    picture.style.height = ROW * (depth + 1) + "px";
    picture.replaceChildren(...frames.map((i) => makeFrame(i, root, width, hits)));
    reset.hidden = root === 0;
    mark(picture.querySelector("#frame" + at) ? at : root);
  }

  const search = searchField("Search the tree, or /regex/", (query) => {
    const test = matcher(query),
      result = test && query ? searchTree(test) : null;
    hits = result && result.hits;
    status.textContent = !test
      ? "This is no regular expression"
      : !result
        ? ""
        : result.hits.size === 0
          ? "Nothing of that name"
          : counted(result.hits.size) +
            (result.hits.size === 1 ? " frame, " : " frames, ") +
            percent(result.share) +
            " % of the time below";
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
    if (i >= 0) tell(i);
  });
  picture.addEventListener("mouseleave", () => tell(at));
  picture.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) mark(neighbour(at, event.key));
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
      make("b", {}, "Estimated"),
      " from the call graph, which knows who called whom how often, and not on behalf of whom: ",
      "self times are exact, the way down to them is not.",
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
