import { html, type HtmlSafeString } from '@prairielearn/html';
import { emptyState } from '../html/parts/empty-state.ts';
import { writePlural } from '../html/numbers.ts';
import type { View } from '../http/route.ts';
import { guidesFrame, searchForm } from './docs-frame.ts';
import { markWords, snippetOf, type Entry, type Piece } from './search.ts';

export function searchPage({ query, found }: { query: string; found: Entry[] }): View {
  return {
    ...guidesFrame(null, { isSearch: true }),
    title: query === '' ? 'Search the docs' : `${query}: search of the docs`,
    content: html`<div class="docs-front">
      <h1>Search the docs</h1>
      ${searchForm(query, 'Words to find')} ${resultsOf(query, found)}
    </div>`,
  };
}

const OFTEN: [words: string, line: string][] = [
  ['signature', 'How your server knows that an event comes from Gatehouse.'],
  ['ends_at', 'The end of access, and what an event about it says.'],
  ['refund', 'What a refund does to access and to your payout.'],
  ['test key', 'A key that changes no real data.'],
  ['buy link', 'A link that opens the checkout of your product.'],
  ['rate limit', 'How many requests a key may make in a minute.'],
];

function resultsOf(query: string, found: Entry[]): HtmlSafeString {
  if (query === '') {
    return html`<p>Enter a word of a heading, a field, an error or an event.</p>
      <h2>Often looked for</h2>
      <ul class="hits">
        ${OFTEN.map(
          ([words, line]) =>
            html`<li>
              <a href="/docs/search?q=${encodeURIComponent(words)}">${words}</a>
              <p>${line}</p>
            </li>`,
        )}
      </ul>`;
  }
  if (found.length === 0) {
    const sentence = 'No guide and no operation has all of these words. Try fewer of them.';
    return emptyState({
      title: `Nothing about “${query}”`,
      sentence,
      link: { path: '/docs', label: 'See all guides' },
    });
  }
  return html`<p class="count-of">${writePlural(found.length, 'result')} for <b>${query}</b></p>
    <ol class="hits">
      ${found.map(
        (entry) =>
          html`<li>
            <small>${entry.trail.join(' › ')}</small>
            <a href="${entry.path}">${marked(markWords(entry.heading, query))}</a>
            <p>${marked(snippetOf(entry.text, query))}</p>
          </li>`,
      )}
    </ol>`;
}

function marked(pieces: Piece[]): HtmlSafeString {
  return html`${pieces.map(({ text, isMarked }) => (isMarked ? html`<mark>${text}</mark>` : text))}`;
}
