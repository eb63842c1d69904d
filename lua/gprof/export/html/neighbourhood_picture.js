// The picture of a function's neighbourhood, in SVG: a column for each level, and arcs as wide as their time.

const BOX_WIDTH = 200, // pixels
  BOX_HEIGHT = 24,
  COLUMN = 258,
  LINE = 32,
  WIDEST_ARC = 20,
  INSET = 4, // of what is in a box, from its rounded corners
  LETTER = 7.3; // the width of one in a box

function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const pictureKeys = makeShortcuts("Neighbourhood", [
  {
    keys: ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"],
    use: "function above, below; heaviest caller, callee",
    act: (event, picture) => picture.step(event.key),
  },
], hasCalls);

const EDGE = 2; // pixels, for the lines of boxes at the edges

// Places the boxes: gives each its `x`, `y` and `level`. Returns the size of the picture.
function placeBoxes(levels) {
  const lines = Math.max(...levels.map((level) => level.length + (level.rest > 0 ? 1 : 0)));
  levels.forEach((level, i) => {
    const top = (LINE * (lines - level.length - (level.rest > 0 ? 1 : 0))) / 2;
    level.forEach((box, k) => Object.assign(box, { x: EDGE + COLUMN * i, y: top + LINE * k + LINE / 2, level }));
  });
  return { width: COLUMN * (levels.length - 1) + BOX_WIDTH + 2 * EDGE, height: LINE * lines };
}

const linkText = ({ time, count, isGuess }) =>
  (hasTime ? `${seconds(time)} ${unitName}${isGuess ? " (a guess)" : ""}, ` : "") +
  `${counted(count)} ${count === 1 ? "call" : "calls"}`;

function arcPath(link, most) {
  const { from, to, time } = link,
    start = from.x + BOX_WIDTH,
    middle = (start + to.x) / 2,
    width = most > 0 ? Math.max(1, (WIDEST_ARC * time) / most) : 1;
  return makeSvg("path", {
    "class": link.isGuess ? "arc guess" : "arc",
    "d": `M${start} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`,
    "stroke-width": width.toFixed(2),
    ...(link.isGuess ? { stroke: "url(#hatched)" } : {}),
  }, makeSvg("title", {}, `${nameOf(from.node)} → ${nameOf(to.node)}: ${linkText(link)}`));
}

// Makes the text beside an arc of the function's own calls, at the other end, where arcs are apart; null for other arcs
// and those with hardly any time.
function arcLabel({ from, to, time }, centre) {
  const isCaller = to === centre,
    text = hasTime ? seconds(time) : "0";
  if (ZERO.test(text) || (from !== centre && !isCaller)) return null;
  const [x, y] = isCaller ? [from.x + BOX_WIDTH + INSET, from.y] : [to.x - INSET, to.y];
  return makeSvg("text", { class: "flow", x, "y": y + 4, "text-anchor": isCaller ? "start" : "end" }, text);
}

// Makes the bar at the bottom of a box, as wide as the share of all time that is in the function and its callees.
function totalBar({ node, x, y }) {
  const width = (BOX_WIDTH - 2 * INSET) * Math.min(1, shareOf(totalOf(node)));
  return makeSvg("rect", {
    class: "total", x: x + INSET, y: y + BOX_HEIGHT / 2 - INSET, width: width.toFixed(2), height: 3,
  });
}

const totalText = (node) => (hasTime ? `${seconds(totalOf(node))} ${unitName}` : "");

// Makes the texts in a box: the name, as far as it fits, and the total time.
function boxTexts({ node, x, y }) {
  const [own] = splitOnce(labelOf(node)),
    time = totalText(node),
    letters = Math.floor((BOX_WIDTH - 4 * INSET) / LETTER) - (time && time.length + 1),
    name = own.length > letters ? own.slice(0, letters - 1) + "…" : own,
    right = { "class": "time", "x": x + BOX_WIDTH - 2 * INSET, "text-anchor": "end" };
  return [
    makeSvg("text", { x: x + 2 * INSET, y: y + 4 }, name),
    ...(time ? [makeSvg("text", { ...right, y: y + 4 }, time)] : []),
  ];
}

// Makes the link of a box. Cycles have square boxes with a double line. The title is the accessible name.
function boxLink(box, centre) {
  const { node, x, y } = box,
    name = [nameOf(node), totalText(node)].filter(Boolean).join(": ");
  const rect = (inset, style) => makeSvg("rect", {
    class: style, rx: isCycle(node) ? 0 : 4, x: x + inset, y: y - BOX_HEIGHT / 2 + inset,
    width: BOX_WIDTH - 2 * inset, height: BOX_HEIGHT - 2 * inset,
  });
  return makeSvg(
    "a",
    {
      "href": linkTo(node),
      "tabindex": box === centre ? 0 : -1, "class": box === centre ? "here" : "",
    },
    makeSvg("title", {}, name),
    rect(0, "box"),
    ...(isCycle(node) ? [rect(3, "inner")] : []),
    ...(hasTime ? [totalBar(box)] : []),
    ...boxTexts(box),
  );
}

// The stripes of guessed arcs.
const stripes = () => makeSvg("defs", {}, makeSvg(
  "pattern",
  { id: "hatched", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  makeSvg("rect", { class: "stripe", width: 3.5, height: 6 }),
));

const COPIED_STYLE = ["fill", "stroke", "stroke-width", "paint-order", "font-family", "font-size"];

// Returns a picture as a file of its own: with the colours that it has in the page.
function svgText(svg) {
  const copy = svg.cloneNode(true),
    copies = copy.querySelectorAll("*");
  [...svg.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(element);
    if (["path", "rect", "text"].includes(element.localName))
      for (const name of COPIED_STYLE) copies[i].setAttribute(name, style.getPropertyValue(name).replaceAll('"', "'"));
    copies[i].removeAttribute("tabindex");
    copies[i].removeAttribute("href");
  });
  return new XMLSerializer().serializeToString(copy) + "\n";
}

// Makes the section with the picture; null if the function has no callers and callees.
function neighbourhoodSection(node) {
  const { levels, links } = neighbourhood(node);
  if (links.length === 0) return null;
  const { width, height } = placeBoxes(levels),
    boxes = levels.flat(),
    centre = boxes.find(({ weight }) => weight === undefined),
    most = links.reduce((time, link) => Math.max(time, link.time), 0),
    elements = new Map(boxes.map((box) => [box, boxLink(box, centre)]));
  const rests = levels.filter(({ rest }) => rest > 0).map((level) => {
    const { x, y } = level[level.length - 1];
    return makeSvg("text", { class: "rest", x: x + 8, y: y + LINE + 4 }, `${counted(level.rest)} more`);
  });
  const svg = makeSvg(
    "svg",
    {
      "class": "neighbourhood", "role": "group", "aria-label": "Callers and callees", width, height,
      "viewBox": `0 0 ${width} ${height}`,
    },
    stripes(),
    ...links.map((link) => arcPath(link, most)),
    ...links.map((link) => arcLabel(link, centre)).filter(Boolean),
    ...elements.values(),
    ...rests,
  );

  // Moves the focus from a box to another.
  function step(key) {
    const at = boxes.find((box) => elements.get(box) === document.activeElement),
      beside = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (!at) return false;
    const heaviest = links.filter((link) => (key === "ArrowLeft" ? link.to : link.from) === at)
      .sort((a, b) => b.time - a.time || b.count - a.count)[0];
    const next = beside ? at.level[at.level.indexOf(at) + beside]
      : heaviest && (key === "ArrowLeft" ? heaviest.from : heaviest.to);
    if (!next) return;
    elements.get(at).setAttribute("tabindex", -1);
    elements.get(next).setAttribute("tabindex", 0);
    elements.get(next).focus();
  }
  svg.addEventListener("keydown", (event) => runShortcut(pictureKeys, event, { step }));
  return make(
    "section",
    { class: "around" },
    make("h3", {}, "Neighbourhood ",
      make("button", { class: "plain", type: "button", click: () => copyText(svgText(svg)) }, "Copy SVG")),
    make("div", { class: "scroll" }, svg),
  );
}
