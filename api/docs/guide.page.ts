import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';
import { icon } from '../html/icon.ts';
import type { Side } from '../html/side.ts';
import type { View } from '../http/route.ts';
import { findGuide, SHELVES, type Guide, type Origins } from './render-guide.ts';

export function guidesPage(origins: Origins): View {
  return {
    ...docsFrame(null, origins),
    title: 'Documentation',
    content: html`<h1>Documentation</h1>
      <p>
        <a href="/console">Open your product in the console</a> and choose <em>Integrate</em>: it
        has every step with your ids filled in.
      </p>
      <p>
        The <a href="/docs/reference">API reference</a> lists every endpoint and event. The guides
        say how to use them.
      </p>
      ${SHELVES.map(
        ([reader, guides]) =>
          html`<section>
            <h2>${reader}</h2>
            <ul>
              ${guides.map(
                (name) => html`<li><a href="/docs/${name}">${titleOf(name, origins)}</a></li>`,
              )}
            </ul>
          </section>`,
      )}`,
  };
}

export function guidePage(guide: Guide, origins: Origins): View {
  const { name, title, html: content } = guide;
  return {
    ...docsFrame(name, origins),
    title,
    content: html`<div class="guide-page">
      <div>
        <p class="trail"><a href="/docs">Documentation</a></p>
        <article class="guide">${unsafeHtml(content)}</article>
        ${neighbours(name, origins)}
      </div>
      ${contents(guide)}
    </div>`,
  };
}

function titleOf(name: string, origins: Origins): string {
  return findGuide(name, origins)!.title;
}

function docsFrame(current: string | null, origins: Origins) {
  const side: Side = {
    label: 'Guides',
    name: 'Docs',
    mark: icon('book-open', 18),
    groups: [
      {
        name: null,
        links: [
          { path: '/docs', label: 'All guides' },
          { path: '/docs/reference', label: 'API reference' },
        ],
      },
      ...SHELVES.map(([name, guides]) => ({
        name,
        links: guides.map((each) => ({ path: `/docs/${each}`, label: titleOf(each, origins) })),
      })),
    ],
    current: current === null ? '/docs' : `/docs/${current}`,
  };
  return { area: 'docs', section: 'docs', side } as const;
}

/** The guides before and after it, in reading order. */
function neighbours(name: string, origins: Origins): HtmlSafeString {
  const names = SHELVES.flatMap(([, guides]) => guides);
  const at = names.indexOf(name);
  const link = (other: string | undefined, rel: 'prev' | 'next', words: string) =>
    other === undefined
      ? ''
      : html`<a href="/docs/${other}" rel="${rel}"
          ><small>${words}</small>${titleOf(other, origins)}</a
        >`;
  return html`<nav class="beside" aria-label="Before and after">
    ${link(names[at - 1], 'prev', 'Before')} ${link(names[at + 1], 'next', 'Next')}
  </nav>`;
}

function contents({ contents: parts }: Guide): HtmlSafeString | '' {
  if (parts.length < 2) return '';
  return html`<aside aria-label="Contents">
    <h2>On this page</h2>
    <ul>
      ${parts.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </aside>`;
}
