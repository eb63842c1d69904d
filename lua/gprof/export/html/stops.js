// Groups of controls that are a single stop of the Tab key: arrow keys move within a group. So the first row of a table
// is near, however many tabs and columns there are.

const controlsOf = (group) => [...group.querySelectorAll("a, button")].filter((each) => each.offsetParent !== null);

// Makes one control of a group the stop of the Tab key.
function setStop(group, stop) {
  for (const each of group.querySelectorAll("a, button")) each.tabIndex = each === stop ? 0 : -1;
}

// Moves the focus within a group. Returns false if the key is not for groups.
function moveInGroup(event, group) {
  const controls = controlsOf(group),
    at = controls.indexOf(event.target),
    places = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: controls.length - 1 };
  const next = controls[Math.min(Math.max(places[event.key], 0), controls.length - 1)];
  if (at < 0 || !next) return false;
  setStop(group, next);
  next.focus();
}

const groupKeys = makeShortcuts("Tabs, headings and buttons", [
  { keys: ["ArrowLeft", "ArrowRight", "Home", "End"], use: "previous, next, first, last one", act: moveInGroup },
]);

// Makes the links and buttons of elements one stop, at first the one that `chosen` selects.
function oneStopOf(groups, chosen) {
  const all = { querySelectorAll: (selector) => groups.flatMap((group) => [...group.querySelectorAll(selector)]) },
    [first] = chosen ? all.querySelectorAll(chosen) : [];
  setStop(all, first || all.querySelectorAll("a, button")[0]);
  for (const group of groups) {
    group.addEventListener("keydown", (event) => runShortcut(groupKeys, event, all));
    group.addEventListener("focusin", (event) => setStop(all, event.target));
  }
}

// Makes the links and buttons of an element one stop. Returns the element.
function oneStop(group, chosen) {
  oneStopOf([group], chosen);
  return group;
}
