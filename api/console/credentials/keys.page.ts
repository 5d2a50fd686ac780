import { html } from '@prairielearn/html';
import type {
  FreshKey,
  KeyMode,
  KeyView,
} from '../../../domain/catalog/keys/api-key.repository.ts';
import type { View } from '../../http/route.ts';
import { askOnce, field, formFields, type Draft } from '../../html/form.ts';
import { copyable } from '../../html/copy.ts';
import { formToken, instant } from '../../html/layout.ts';
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
};

export function keysPage(props: Props): View {
  const { product, keys, blockReason, problem, arrival } = props;
  const fresh = arrival?.shown ?? null;
  return {
    title: `API keys of ${product.name}`,
    showsSecret: fresh !== null,
    hasCopyButtons: fresh !== null,
    ...productFrame(product, '/keys', 'API keys'),
    content: html`
      ${blockNotice(blockReason)} ${problemNotice(problem)}
      ${props.isTrial ? trialNotice('keys') : ''} ${arrival === null ? '' : freshKey(fresh)}
      <p>Use keys only on your server. Each key works only for this product.</p>
      ${keyTable(keys, props)} ${blockReason === null ? newKeyForm(props) : ''}
    `,
  };
}

function freshKey(fresh: FreshKey | null) {
  if (fresh === null) return shownBefore('key', 'rotate the key');
  const { keyId, key } = fresh;
  return html`<article role="status" data-fresh="${keyId}">
    <p><strong>Copy the key now. We show it only once.</strong></p>
    <p>${copyable({ id: `key-${keyId}`, label: 'key', text: key })}</p>
  </article>`;
}

function keyTable(keys: KeyView[], props: Props) {
  return table({
    label: 'API keys',
    empty:
      'No keys yet. A test key reads real data and records nothing. A live key is for production.',
    rows: keys,
    columns: {
      Name: ({ name }) => name,
      Key: ({ mode, lastFour }) => html`<code>gk_${mode}_...${lastFour}</code>`,
      Created: ({ createdAt }) => instant(createdAt),
      'Last used': ({ lastUsedAt }) => (lastUsedAt ? instant(lastUsedAt) : 'Never'),
      Expires: ({ expiresAt }) => (expiresAt ? instant(expiresAt) : 'Never'),
      Actions: (key) => changes(key, props),
    },
  });
}

function changes({ keyId, name, mode, expiresAt }: KeyView, props: Props) {
  if (props.blockReason !== null || (props.isTrial && mode === 'live')) return '';
  const action = `${productPath(props.product.slug)}/keys/${keyId}`;
  return html`<form method="post" action="${action}" class="actions" data-key="${keyId}">
    ${formToken(props.formToken)}
    ${
      expiresAt === null
        ? askOnce({
            summary: 'Rotate',
            label: `Rotate ${name}`,
            sentence:
              'You get a new key. This one keeps working for 48 hours, so that you can replace it.',
            button: html`<button name="action" value="rotate" class="outline">Rotate key</button>`,
          })
        : ''
    }
    ${askOnce({
      summary: 'Revoke',
      label: `Revoke ${name}`,
      sentence: "This key stops working immediately. This can't be undone.",
      button: html`<button name="action" value="revoke" class="danger">Revoke key</button>`,
    })}
  </form>`;
}

function newKeyForm({ product, draft, isTrial, formToken: token }: Props) {
  const fields = formFields(draft);
  const mode = draft?.typed.mode ?? 'test';
  return html`<article>
    <h2>Create key</h2>
    <form method="post" action="${productPath(product.slug)}/keys">
      ${formToken(token)}
      ${field(
        fields('name', {
          label: 'Name',
          hint: 'Where you use the key, such as "production" or "my laptop".',
        }),
      )}
      <fieldset>
        <legend>Kind</legend>
        ${radio('test', 'Test: reads real data, records no usage, supports the test header', mode)}
        ${isTrial ? '' : radio('live', 'Live: for production', mode)}
      </fieldset>
      <button type="submit">Create key</button>
    </form>
    <p>
      <small>
        Rotating a key creates a new one. The old one keeps working for 48 hours. If a key has
        leaked, revoke it.
      </small>
    </p>
  </article>`;
}

function radio(mode: KeyMode, text: string, chosen: string) {
  return html`<label>
    <input type="radio" name="mode" value="${mode}" ${chosen === mode ? html`checked` : ''} />
    ${text}
  </label>`;
}
