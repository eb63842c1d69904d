// Parameters at the end of the address, after the view: chips, and what the workbench shows. The text of an address has
// the form "&name=value&name=value".

const PARAMETERS = /(?:&(?:focus|hide|file|of|group|at|filter2?|sort2?|runs|kinds|noise)=[^&]*)+$/;

// Decodes a part of an address; what is not well encoded stays as it is.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const hashWithoutParameters = () => location.hash.replace(PARAMETERS, "");

// Reads parameters. In addresses, "+" stands for itself.
const parametersOf = (text) => new URLSearchParams(text.replaceAll("+", "%2B"));

// Writes parameters, pairs of a name and a value.
const parametersText = (pairs) => pairs.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");

const addressParameters = () => parametersOf((PARAMETERS.exec(location.hash) || [""])[0]);

// Replaces the state of the present entry of the browser's history, and its address, if given. Browsers limit how often
// that may be done; an entry that they refuse to change stays as it is.
function replaceEntry(state, hash) {
  try {
    history.replaceState(state, "", hash);
  } catch {
    // The next change of the address is complete again.
  }
}

// Changes parameters of the address; an empty value removes one. `isStep` makes a step of the browser's history.
function setParameters(changes, isStep) {
  const parameters = addressParameters();
  for (const [name, value] of Object.entries(changes)) {
    if (value) parameters.set(name, value);
    else parameters.delete(name);
  }
  const hash = (hashWithoutParameters() || "#") + parametersText([...parameters]);
  if (hash === (location.hash || "#")) return;
  if (isStep) location.hash = hash;
  else replaceEntry(history.state, hash);
}
