import { html, type HtmlSafeString } from '@prairielearn/html';
import { appIcon, gate, MARK, seal } from '../../html/emblems.ts';
import { pageHead } from '../../html/parts/page-head.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { icon } from '../../html/icon.ts';
import { button, type ButtonKind } from '../../html/parts/button.ts';
import { note } from '../../html/parts/note.ts';
import { pill, tag } from '../../html/parts/pill.ts';
import { segmentLinks } from '../../html/parts/choice.ts';
import { tabs } from '../../html/parts/tabs.ts';
import { paging } from '../../html/parts/paging.ts';
import type { View } from '../../http/route.ts';
import { consoleView } from '../team-frame.ts';
import { chartParts, codeParts, productParts, tableParts } from './data-parts.ts';
import { fieldParts } from './field-parts.ts';
import { foldParts } from './fold-parts.ts';
import { needParts } from './need-parts.ts';

/** Every part in every state, beside each other. */
export function designPage(): View {
  const content = html`
    ${part('Mark, seal, icons', emblems())} ${part('Colour', colours())} ${part('Type', type())}
    ${part('Buttons', buttons())} ${part('Pills and tags', pills())} ${part('Fields', fieldParts())}
    ${part('Folds', foldParts())} ${part('Notes', notes())} ${part('Navigation', navigation())}
    ${part('Numbers and charts', chartParts())} ${part('What waits', needParts())}
    ${part('Tables', tableParts())} ${part('Code, steps, timeline', codeParts())}
    ${part('Empty', empty())}
  `;
  const scope = {
    owner: 'all',
    name: 'Nora Quist',
    teams: [],
    unread: 0,
    seesMoney: true,
  } as const;
  const view = consoleView({ title: 'Design', content, scope }, '/console');
  return { ...view, hasCopyButtons: true };
}

/** The parts of the store, on which the console has no style. */
export function storeDesignPage(): View {
  return {
    title: 'Design of the store',
    heading: pageHead({ title: 'Design of the store' }),
    content: part('Products', productParts()),
  };
}

function part(title: string, content: HtmlSafeString): HtmlSafeString {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

const APP = { slug: 'pocket-ledger', name: 'Pocket Ledger', iconHash: null };

function emblems() {
  return html`<div class="buttons">
    <span>${MARK}</span> ${seal('large')} ${seal()} ${appIcon(APP, 60)} ${appIcon(APP, 24)}
    ${icon('webhook')} ${icon('webhook', 18)} ${icon('webhook', 20)} ${gate('open')} ${gate('shut')}
    ${gate('busy')}
  </div>`;
}

const COLOURS =
  'bg surface sunken hover line line-2 edge ink ink-2 ink-3 accent accent-2 accent-soft warn warn-soft bad bad-soft info info-soft chart-1 chart-2 lamp'.split(
    ' ',
  );

function colours() {
  return html`<ul class="buttons">
    ${COLOURS.map(
      (name) =>
        html`<li class="tag">
          <svg class="avatar large" aria-hidden="true">
            <rect width="100%" height="100%" fill="var(--${name})" />
          </svg>
          ${name}
        </li>`,
    )}
  </ul>`;
}

function type() {
  return html`<h3>A card, 17 on 24</h3>
    <p>Body of the console and of tables: 1,204.50 USD, 27 Nov 2026, <a href="#type">a link</a>.</p>
    <p class="muted">Secondary text.</p>
    <p><small>Hints, captions, heads of tables.</small></p>
    <p><code>evt_01M8EB4T9C2VJX5R8N0W7QKD</code></p>`;
}

const KINDS: [ButtonKind, string][] = [
  ['primary', 'Buy for 9.00 USD'],
  ['secondary', 'Download CSV'],
  ['quiet', 'Discard'],
  ['warns', 'Refund'],
  ['danger', 'Refund 14.50 USD'],
];

function buttons() {
  return html`${KINDS.map(
      ([kind, text]) =>
        html`<div class="buttons">
          ${button({ text, kind })} ${button({ text, kind, icon: 'download' })}
          ${button({ text, kind, href: '#buttons', isExternal: true })}
        </div>`,
    )}
    <div class="buttons">
      ${button({ text: 'Subscribe yearly', kind: 'secondary', size: 'large' })}
      ${button({ text: 'Save text', size: 'medium' })}
      ${button({ text: 'See deliveries', size: 'small' })}
    </div>`;
}

function pills() {
  return html`<div class="buttons">
    ${pill({ word: 'Listed', tone: 'ok', isLive: true })} ${pill({ word: 'Paid', tone: 'ok' })}
    ${pill({ word: 'Clearing', tone: 'info' })}
    ${pill({ word: 'Retrying', tone: 'warn', isLive: true })}
    ${pill({ word: 'Part refunded', tone: 'warn' })}
    ${pill({ word: 'Dead', tone: 'bad', isLive: true })} ${pill({ word: 'Disputed', tone: 'bad' })}
    ${pill({ word: 'Refunded', tone: 'neutral' })} ${pill({ word: 'Draft', tone: 'info' })}
    ${pill({ word: 'Quality seal', tone: 'ok', mark: seal() })}
    ${pill({ word: 'Included with Member', tone: 'line', mark: icon('key-round') })}
    ${tag('key-round', 'Member')} ${tag('badge-check', 'Verified maker')}
    <span class="chip">${icon('flask-conical')}<span>Simulated payments</span></span>
  </div>`;
}

function notes() {
  return html`${note({ tone: 'ok', more: 'Price set. Buyers pay 30.00 USD a year.' })}
  ${note({ tone: 'plain', more: html`5 more match without the seal. <a href="#notes">Show all 11</a>` })}
  ${note({ tone: 'info', sentence: 'On your own machine', more: 'an address may begin with http://.' })}
  ${note({ tone: 'warn', more: 'A full refund closes the access at once.' })}
  ${note({ tone: 'warn', icon: 'clock', sentence: 'Checkout not finished.', more: 'Nothing is paid yet.' })}
  ${note({
    tone: 'bad',
    sentence: 'It answers 500 since 09:14 UTC.',
    more: '2 deliveries wait.',
    actions: button({ text: 'See deliveries', size: 'small', href: '#notes' }),
  })}`;
}

function navigation() {
  return html`${tabs({
    label: 'States',
    tabs: [
      { path: '#all', label: 'All', count: 512 },
      { path: '#paid', label: 'Paid', count: 489 },
      { path: '#clearing', label: 'Clearing', count: 6 },
    ],
    current: '#all',
  })}
  ${segmentLinks('Period', [
    { path: '#7', label: '7 days', isCurrent: false },
    { path: '#28', label: '28 days', isCurrent: true },
  ])}
  ${paging({ path: '/console/design', before: 'a', next: 'b', total: '1,234' }, 50)}`;
}

function empty() {
  return html`${emptyState({
    title: 'No purchases yet',
    sentence: 'They appear here as soon as a checkout begins.',
    link: { path: '/console/design', label: 'Set a price' },
  })}
  ${emptyState({
    sentence: 'No products match.',
    link: { path: '/console/design', label: 'Clear filters' },
  })}`;
}
