// The foot of the pages outside of the console.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { MARK } from './emblems.ts';
import { icon } from './icon.ts';
import { rendered } from './rendered.ts';

type Column = [name: string, links: [path: string, label: string][]];

const COLUMNS: Column[] = [
  [
    'Store',
    [
      ['/search', 'All products'],
      ['/member', 'Member'],
      ['/docs/pool-and-seal#the-quality-seal', 'Quality seal'],
    ],
  ],
  [
    'For makers',
    [
      ['/docs/new-builder', 'Sell on Gatehouse'],
      ['/docs/money', 'Fees and payouts'],
      ['/docs/reference', 'API reference'],
    ],
  ],
  [
    'Your account',
    [
      ['/library', 'Library'],
      ['/settings/purchases', 'Purchases'],
      ['/settings/profile', 'Settings'],
    ],
  ],
  [
    'Gatehouse',
    [
      ['/docs', 'Documentation'],
      ['/docs/privacy', 'Privacy'],
      ['/docs/glossary', 'Glossary'],
    ],
  ],
];

type Props = { isSimulated: boolean; hasColumns: boolean };

export function footer({ isSimulated, hasColumns }: Props): HtmlSafeString {
  return html`<footer class="foot">
    <div>
      ${hasColumns ? COLUMNS_SHOWN : ''}
      ${
        hasColumns && !isSimulated
          ? ''
          : html`<div class="end">
              ${hasColumns ? '' : LINKS}
              <p>${isSimulated ? SIMULATED : ''}</p>
            </div>`
      }
    </div>
  </footer>`;
}

const SIMULATED = rendered(
  html`${icon('flask-conical')}Payments are simulated here. No card is charged.`,
);

const LINKS = rendered(
  html`<p>Gatehouse</p>
    <a href="/">Store</a> <a href="/docs">Documentation</a> <a href="/docs/privacy">Privacy</a>`,
);

const COLUMNS_SHOWN = rendered(
  html`<div class="columns">
    <div>
      <span class="brand">${MARK}Gatehouse</span>
      <p>Software from the people who make it. One account opens everything you own.</p>
    </div>
    ${COLUMNS.map(
      ([name, links]) =>
        html`<div>
          <h2>${name}</h2>
          <ul>
            ${links.map(([path, label]) => html`<li><a href="${path}">${label}</a></li>`)}
          </ul>
        </div>`,
    )}
  </div>`,
);
