// Passkeys: the form asks our server what to sign, the browser's authenticator signs it, and the
// form carries the answer. Without this script, or without passkeys in the browser, it stays hidden.
const knowsPasskeys =
  typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function';

async function ask(form) {
  const body = new URLSearchParams(new FormData(form));
  body.delete('response');
  const response = await fetch(form.dataset.options, { method: 'POST', body });
  if (response.status === 422) return null; // the form as it is: its page says what is wrong
  if (response.status === 403) throw new Refused();
  if (!response.ok) throw new Error('no options');
  return response.json();
}

/** The server asks for another proof first. */
class Refused extends Error {}

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

const BYTES = [
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
];

const toText = (bytes) =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The objects of some password managers only look like the browser's: their `toJSON` throws. */
function toJson(credential) {
  try {
    return credential.toJSON();
  } catch {
    const { id, rawId, type, response } = credential;
    const encoded = BYTES.filter((name) => response[name]).map((name) => [
      name,
      toText(response[name]),
    ]);
    const transports = response.getTransports?.() ?? [];
    return {
      id,
      rawId: toText(rawId),
      type,
      response: { ...Object.fromEntries(encoded), transports },
    };
  }
}

for (const form of knowsPasskeys ? document.querySelectorAll('form[data-passkey]') : []) {
  const problem = form.querySelector('[data-passkey-problem]');
  const refusal = form.querySelector('[data-passkey-refused]') ?? problem;
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.dataset.busy) return; // a second click while the first is under way
    form.dataset.busy = 'yes';
    problem.hidden = true;
    refusal.hidden = true;
    try {
      const credential = await perform(form);
      form.elements.response.value = credential ? JSON.stringify(toJson(credential)) : '';
      form.submit();
    } catch (error) {
      (error instanceof Refused ? refusal : problem).hidden = false;
      delete form.dataset.busy;
    }
  });
}

for (const note of knowsPasskeys ? [] : document.querySelectorAll('[data-passkey-unknown]')) {
  note.hidden = false;
}
