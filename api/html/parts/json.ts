import { html, type HtmlSafeString } from '@prairielearn/html';

// A string, before a colon the name of a member; a number; a word of the language.
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** JSON in lines with colours; what is no JSON is shown as it is. */
export function prettyJson(text: string): HtmlSafeString | string {
  const lines = indent(text);
  return lines === null ? text : colour(lines);
}

function indent(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

function colour(text: string): HtmlSafeString {
  const parts: (HtmlSafeString | string)[] = [];
  let end = 0;
  for (const { 0: all, 1: string, 2: colon, 3: number, index } of text.matchAll(TOKEN)) {
    parts.push(text.slice(end, index));
    end = index + all.length;
    if (string !== undefined && colon !== undefined) parts.push(token('f', string), colon);
    else if (string !== undefined) parts.push(token('s', string));
    else parts.push(token(number === undefined ? 'k' : 'n', all));
  }
  return html`${parts}${text.slice(end)}`;
}

function token(kind: 'f' | 's' | 'n' | 'k', text: string): HtmlSafeString {
  return html`<span class="tok-${kind}">${text}</span>`;
}
