import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';
import { button } from '../html/parts/button.ts';
import { writePlural } from '../html/numbers.ts';
import { trail } from '../html/parts/page-head.ts';
import { icon, type IconName } from '../html/icon.ts';
import type { View } from '../http/route.ts';
import { guidesFrame } from './docs-frame.ts';
import { titleOf } from './guide-text.ts';
import { renderInline, type Guide } from './render-guide.ts';
import { SHELVES } from './shelves.ts';

/** The steps of a new builder, each with the guide that goes on. */
const WAY: [icon: IconName, path: string, title: string, about: string][] = [
  [
    'package',
    '/docs/new-builder',
    'Create a product',
    'A draft that only you see, and a test key.',
  ],
  ['plug', '/docs/access', 'Check access', 'One request says whether a person may use it.'],
  ['fingerprint', '/docs/sign-in', 'Sign people in', 'OAuth 2.0 with PKCE, in ten minutes.'],
  ['webhook', '/docs/webhooks', 'Receive webhooks', 'Signed events, retried for 14 hours.'],
  ['tag', '/docs/products', 'List and sell', 'Prices, the store page and your buy link.'],
  ['landmark', '/docs/money', 'Get paid', 'Connect payouts, and follow each payment.'],
];

export function guidesPage(): View {
  return {
    ...guidesFrame('/docs'),
    title: 'Documentation',
    content: html`<div class="docs-front">
      <h1>Documentation</h1>
      <p class="lede">
        Put a product in the store, ask who may use it, and hear of every purchase. Nobody has to
        approve anything until you want to sell.
      </p>
      <p class="buttons">
        ${button({ href: '/docs/new-builder', text: 'Start with your first product', kind: 'primary' })}
        ${button({ href: '/console', text: 'Open the console' })}
      </p>
      <h2>From an account to the first sale</h2>
      <ol class="way">
        ${WAY.map(
          ([name, path, title, about]) =>
            html`<li>
              ${icon(name, 20)}
              <div><a href="${path}">${title}</a><small>${about}</small></div>
            </li>`,
        )}
      </ol>
      <p>
        <em>Integrate</em> on your product’s page in the console has the commands of each step with
        your ids filled in. The <a href="/docs/reference">API reference</a> lists every operation
        and event.
      </p>
      ${SHELVES.filter(({ name }) => name !== 'Start').map(
        ({ name, guides }) =>
          html`<section>
            <h2>${name}</h2>
            <ul class="shelf">
              ${guides.map(
                (guide) =>
                  html`<li>
                    <a href="/docs/${guide.name}">${titleOf(guide.name)}</a>
                    <small>${renderInline(guide.about)}</small>
                  </li>`,
              )}
            </ul>
          </section>`,
      )}
    </div>`,
  };
}

export function guidePage(guide: Guide): View {
  const { name, title, lede, html: content, minutes } = guide;
  const shelf = SHELVES.find(({ guides }) => guides.some((each) => each.name === name))!;
  const { needs, about } = shelf.guides.find((each) => each.name === name)!;
  return {
    ...guidesFrame(`/docs/${name}`),
    title,
    description: about,
    content: html`<div class="guide-page">
      <div>
        ${trail([{ path: '/docs', label: 'Docs' }, { label: shelf.name }])}
        <article class="guide">
          <h1>${title}</h1>
          <p class="lede">${lede}</p>
          <p class="meta">
            <span>${icon('clock')}${writePlural(minutes, 'minute')} to read</span>
            ${needs === undefined ? '' : html`<span>${icon('list-checks')}${needs}</span>`}
          </p>
          ${unsafeHtml(content)}
        </article>
        ${neighbours(name)}
      </div>
      ${contents(guide)}
    </div>`,
  };
}

/** The guides before and after it, in reading order. */
function neighbours(name: string): HtmlSafeString {
  const names = SHELVES.flatMap(({ guides }) => guides.map((guide) => guide.name));
  const at = names.indexOf(name);
  const link = (other: string | undefined, rel: 'prev' | 'next', words: string) =>
    other === undefined
      ? ''
      : html`<a href="/docs/${other}" rel="${rel}"><small>${words}</small>${titleOf(other)}</a>`;
  return html`<nav class="beside" aria-label="Before and after">
    ${link(names[at - 1], 'prev', 'Before')} ${link(names[at + 1], 'next', 'Next')}
  </nav>`;
}

function contents({ contents: parts }: Guide): HtmlSafeString | '' {
  if (parts.length < 2) return '';
  return html`<aside aria-label="Contents">
    <h2>On this page</h2>
    <ul>
      ${parts.map(
        ({ id, text, isSub }) =>
          html`<li><a href="#${id}" ${isSub ? html`class="sub"` : ''}>${text}</a></li>`,
      )}
    </ul>
  </aside>`;
}
