// Copy and print buttons: each of the first copies the text or the field that it names; of code, the language that is
// shown. Without this script, or without a clipboard, they stay hidden; the text itself can be
// selected.
async function copy(button) {
  const named = document.getElementById(button.dataset.copy);
  const source = [...named.querySelectorAll('pre')].find((each) => each.checkVisibility()) ?? named;
  const said = button.nextElementSibling;
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent.trim());
    said.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(source);
    said.textContent = 'Selected: copy it with your keyboard';
  }
}

for (const button of navigator.clipboard ? document.querySelectorAll('[data-copy]') : []) {
  button.hidden = false;
  button.addEventListener('click', () => copy(button));
}

// Without this script the words beside the button say it: the browser prints by itself too.
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false;
  button.previousElementSibling.hidden = true;
  button.addEventListener('click', () => print());
}
