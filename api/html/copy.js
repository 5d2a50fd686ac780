// Copy buttons: each copies the text or the field that it names. Without this script, or without a
// clipboard, they stay hidden; the text itself can be selected.
async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
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
