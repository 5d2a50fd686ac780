type Form = { [key: string]: string | Form };

const KEY = /^[^[\]]+(\[[^[\]]+\])*$/;

/** `a[b][0]=c`, as Stripe's libraries write it, to nested objects; lists are keyed by number. */
export function parseForm(text: string): Form {
  const form = emptyForm();
  for (const [key, value] of new URLSearchParams(text)) {
    if (!KEY.test(key)) continue;
    const path = key.replaceAll(']', '').split('[');
    const last = path.pop()!;
    let place: Form | undefined = form;
    for (const part of path) place &&= descend(place, part);
    if (place) place[last] = value;
  }
  return form;
}

function descend(form: Form, part: string): Form | undefined {
  const next = (form[part] ??= emptyForm());
  return typeof next === 'string' ? undefined : next;
}

/** Makes a form without a prototype, so that no key of a stranger's reaches one. */
function emptyForm(): Form {
  return Object.create(null) as Form;
}
