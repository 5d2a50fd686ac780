import { html, type HtmlSafeString } from '@prairielearn/html';

/** Stands for a person or a team; the name is read beside it. */
export function avatar(name: string, size: 'small' | 'large' = 'small'): HtmlSafeString {
  return html`<span class="avatar ${size}" aria-hidden="true">${initials(name)}</span>`;
}

/** The first letters of the first and the last word of a name. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : [words[0]!];
  return ends.map((word) => [...word][0]?.toUpperCase() ?? '').join('');
}
