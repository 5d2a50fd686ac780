import { unsafeHtml, type HtmlSafeString } from '@prairielearn/html';

/** Renders a part that never changes: a template is rendered anew wherever it is used. */
export const rendered = (part: HtmlSafeString): HtmlSafeString => unsafeHtml(part.toString());
