import { html, type HtmlSafeString } from '@prairielearn/html';
import { CSRF_FIELD } from '../../http/csrf.ts';

/** The hidden field that proves where a form came from. */
export function formToken(token: string): HtmlSafeString {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${token}" />`;
}
