// Passkeys: the form asks our server what to sign, the browser's authenticator signs it, and the
// form carries the answer. Without this script, or without passkeys in the browser, it stays hidden.
const knowsPasskeys =
  typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function';

async function ask(form) {
  const body = new URLSearchParams(new FormData(form));
  body.delete('response');
  const response = await fetch(form.dataset.options, { method: 'POST', body });
  if (response.status === 422) return null; // the form as it is: its page says what is wrong
  if (!response.ok) throw new Error('refused');
  return response.json();
}

async function perform(form) {
  const options = await ask(form);
  if (options === null) return null;
  if (form.dataset.passkey === 'get') {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return navigator.credentials.get({ publicKey });
  }
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return navigator.credentials.create({ publicKey });
}

for (const form of knowsPasskeys ? document.querySelectorAll('form[data-passkey]') : []) {
  const problem = form.querySelector('[data-passkey-problem]');
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.dataset.busy) return; // a second click while the first is under way
    form.dataset.busy = 'yes';
    problem.hidden = true;
    try {
      const credential = await perform(form);
      form.elements.response.value = credential ? JSON.stringify(credential.toJSON()) : '';
      form.submit();
    } catch {
      problem.hidden = false;
      delete form.dataset.busy;
    }
  });
}

for (const note of knowsPasskeys ? [] : document.querySelectorAll('[data-passkey-unknown]')) {
  note.hidden = false;
}
