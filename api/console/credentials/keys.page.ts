import { html, type HtmlSafeString } from '@prairielearn/html';
import type { FreshKey, KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { field } from '../../html/parts/field.ts';
import { formFields, type Draft } from '../../html/form.ts';
import { shortInstant } from '../../html/dates.ts';
import { copyable } from '../../html/copy.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { picks } from '../../html/parts/choice.ts';
import { cardFold, fold } from '../../html/parts/fold.ts';
import { pill } from '../../html/parts/pill.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import type { Arrival } from '../shown-once.ts';
import { trialNotice } from './trial-notice.ts';
import { blockNotice, problemNotice, shownBefore } from '../../html/notices.ts';
import { table } from '../../html/table.ts';

export type KeyDraft = Draft<'name' | 'mode'>;

type Props = {
  product: FramedProduct;
  keys: KeyView[];
  /** The reason why the page is read-only. */
  blockReason: string | null;
  /** Live keys are read-only, and none is made. */
  isTrial: boolean;
  problem: string | null;
  /** The arrival after a key was made. */
  arrival: Arrival<FreshKey> | null;
  draft: KeyDraft | null;
  formToken: string;
  now: Date;
};

const NEW = 'new-key';

export function keysPage(props: Props): View {
  const { product, keys, blockReason, problem, arrival } = props;
  const fresh = arrival?.shown ?? null;
  const isOpen = blockReason === null;
  return {
    title: `API keys of ${product.name}`,
    showsSecret: fresh !== null,
    hasCopyButtons: fresh !== null,
    ...productFrame(product, '/keys', 'API keys'),
    content: html`
      <p>Use keys only on your server. Each key works only for this product.</p>
      ${blockNotice(blockReason)} ${problemNotice(problem)}
      ${props.isTrial ? trialNotice('keys') : ''} ${arrival === null ? '' : freshKey(fresh)}
      ${keys.length === 0 ? NONE : ''} ${isOpen ? newKeyForm(props) : ''}
      ${keys.length === 0 ? '' : card({ rows: keyTable(props) })}
    `,
  };
}

const NONE = emptyState({
  title: 'No keys yet',
  sentence: 'A test key reads real data and records nothing. A live key is for production.',
});

function freshKey(fresh: FreshKey | null) {
  if (fresh === null) return shownBefore('key', 'rotate the key');
  const { keyId, key } = fresh;
  return html`<div role="status" data-fresh="${keyId}">
    ${card({
      title: 'Copy the key now',
      facts: 'We show it only once.',
      body: html`<p>${copyable({ id: `key-${keyId}`, label: 'key', text: key })}</p>`,
    })}
  </div>`;
}

function keyTable(props: Props) {
  const { keys, now } = props;
  const time = (at: Date | null) => (at ? shortInstant(at, now) : 'Never');
  return table<KeyView>({
    label: 'API keys',
    empty: '',
    rows: keys,
    columns: {
      Name: ({ name, mode, lastFour }) =>
        html`<strong>${name}</strong><br /><small><code>gk_${mode}_...${lastFour}</code></small>`,
      Kind: { cell: ({ mode }) => KINDS[mode], onPhone: 'state' },
      'Last used (UTC)': { cell: ({ lastUsedAt }) => time(lastUsedAt), isNumber: true },
      'Created (UTC)': { cell: ({ createdAt }) => time(createdAt), isNumber: true },
      'Expires (UTC)': { cell: ({ expiresAt }) => time(expiresAt), isNumber: true },
      Actions: (key) => changes(key, props),
    },
  });
}

const KINDS = {
  live: pill({ word: 'Live', tone: 'ok' }),
  test: pill({ word: 'Test', tone: 'info' }),
} as const;

function changes({ keyId, name, mode, expiresAt }: KeyView, props: Props) {
  if (props.blockReason !== null || (props.isTrial && mode === 'live')) return '';
  const action = `${productPath(props.product.slug)}/keys/${keyId}`;
  return html`<form method="post" action="${action}" class="actions" data-key="${keyId}">
    ${formToken(props.formToken)}
    ${
      expiresAt === null
        ? fold({
            summary: 'Rotate',
            about: name,
            sentence:
              'You get a new key. This one keeps working for 48 hours, so that you can replace it.',
            content: button({ text: 'Rotate key', name: 'action', value: 'rotate' }),
          })
        : ''
    }
    ${fold({
      summary: 'Revoke',
      about: name,
      isDangerous: true,
      sentence: "This key stops working immediately. This can't be undone.",
      content: button({ text: 'Revoke key', name: 'action', value: 'revoke', kind: 'danger' }),
    })}
  </form>`;
}

function newKeyForm({ product, keys, draft, isTrial, formToken: token }: Props): HtmlSafeString {
  const fields = formFields(draft);
  const live = { value: 'live', label: 'Live', hint: 'For production.' };
  const test = {
    value: 'test',
    label: 'Test',
    hint: 'Reads real data, records no usage, supports the test header.',
  };
  return cardFold({
    id: NEW,
    title: 'Create key',
    icon: 'plus',
    fact: 'Up to 20',
    isOpen: keys.length === 0 || draft !== null,
    content: html`<form method="post" action="${productPath(product.slug)}/keys">
      ${formToken(token)}
      ${field(
        fields('name', {
          label: 'Name',
          hint: 'Where you use the key, such as "production" or "my laptop".',
        }),
      )}
      ${picks({
        legend: 'Kind',
        name: 'mode',
        options: isTrial ? [test] : [test, live],
        value: draft?.typed.mode ?? 'test',
      })}
      ${button({ text: 'Create key', kind: 'primary' })}
    </form>`,
  });
}
