// Light or dark colours: the system's choice, unless the user makes one. It is kept if the browser allows that.

const STORED_COLOURS = "gprof-colours"; // key in the browser's storage

const colourChoices = [
  ["system", "System colours"],
  ["light", "Light"],
  ["dark", "Dark"],
];

// Access to the storage fails in some private windows, and if the user forbids it.
function storedColours() {
  try {
    return localStorage.getItem(STORED_COLOURS);
  } catch {
    return null;
  }
}

function setColours(choice) {
  document.documentElement.dataset.colours = choice;
  try {
    localStorage.setItem(STORED_COLOURS, choice);
  } catch {
    // The choice is lost with the page.
  }
}

function themeSelect() {
  const known = colourChoices.some(([name]) => name === storedColours()) ? storedColours() : "system";
  document.documentElement.dataset.colours = known;
  return makeSelect("Colours", colourChoices, known, setColours);
}
