import { html, type HtmlSafeString } from '@prairielearn/html';
import { form, type Form } from '../form.ts';
import { button as submit } from './button.ts';

/** The page before an action that cannot be undone: the consequences, and a cancel link first. */
export function confirmation(
  props: Form & { sentences: string[]; wayOut: { path: string; label: string } },
): HtmlSafeString {
  const { sentences, wayOut } = props;
  return html`
    ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
    <p>${submit({ text: wayOut.label, href: wayOut.path })}</p>
    ${form({ ...props, isDangerous: true })}
  `;
}
