import { html, type HtmlSafeString } from '@prairielearn/html';
import { field } from '../../html/parts/field.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { cardFold, fold, more } from '../../html/parts/fold.ts';
import { pill } from '../../html/parts/pill.ts';
import { table } from '../../html/table.ts';

const KEYS = ['production', 'my laptop, whose name is as long as a name of a key may be'];

/** Questions below a row and in a card, a form that fills a card, and more to read. */
export function foldParts(): HtmlSafeString {
  return html`${card({
    rows: table({
      label: 'Keys',
      rows: KEYS,
      empty: '',
      columns: {
        Name: (name) => html`<strong>${name}</strong><br /><small>gk_test_...7QKD</small>`,
        Kind: { cell: () => pill({ word: 'Test', tone: 'info' }), onPhone: 'state' },
        'Last used (UTC)': { cell: () => '10:52', isNumber: true },
        Actions: (name) => html`<div class="actions">${rotating(name)} ${revoking(name)}</div>`,
      },
    }),
  })}
  ${card({
    title: 'Password',
    body: html`<p>Changed in May.</p>
      ${password(false)}`,
  })}
  ${card({ title: 'Password', body: password(true) })}
  ${card({
    title: 'Approval',
    body: fold({
      summary: 'Approve November',
      sentence: 'The payouts start now.',
      isMain: true,
      content: button({ text: 'Approve November', kind: 'primary' }),
    }),
  })}
  ${cardFold({
    id: 'fold',
    title: 'Create key',
    icon: 'plus',
    fact: 'Up to 20',
    content: html`<form method="get" action="/console/design">
      ${field({ label: 'Name', name: 'new', hint: 'Where you use the key.' })}
      ${button({ text: 'Create key' })}
    </form>`,
  })}
  ${more('Request and response', html`<p>Not connected</p>`)}`;
}

function rotating(about: string): HtmlSafeString {
  return fold({
    summary: 'Rotate',
    about,
    sentence: 'You get a new key. This one keeps working for 48 hours.',
    content: button({ text: 'Rotate key' }),
  });
}

function revoking(about: string): HtmlSafeString {
  return fold({
    summary: 'Revoke',
    about,
    isDangerous: true,
    sentence: "This key stops working immediately. This can't be undone.",
    content: button({ text: 'Revoke key', kind: 'danger' }),
  });
}

function password(isOpen: boolean): HtmlSafeString {
  return fold({
    summary: 'Change password',
    sentence: 'You will be signed out everywhere else.',
    isOpen,
    content: html`<form method="get" action="/console/design">
      ${field({ label: 'New password', name: isOpen ? 'one' : 'other', type: 'password' })}
      ${button({ text: 'Change password' })}
    </form>`,
  });
}
