import { html, type HtmlSafeString } from '@prairielearn/html';
import type { GrantView } from '../../../domain/entitlements/grants/grant.repository.ts';
import type { View } from '../../http/route.ts';
import { formToken, instant } from '../../html/layout.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { field, formFields, INSTANT, smallButton, type Draft } from '../../html/form.ts';
import { blockNotice } from '../../html/notices.ts';
import { table } from '../../html/table.ts';

export type GrantDraft = Draft<'person' | 'starts_at' | 'ends_at'>;

type Props = {
  product: FramedProduct;
  grants: GrantView[];
  before: string | null;
  next: string | null;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  /** Sent with the form, so that a form that is sent twice grants once. */
  newGrantId: string;
  draft: GrantDraft | null;
  formToken: string;
};

export function grantsPage(props: Props): View {
  const { product, grants, before, next, blockReason } = props;
  return {
    title: `Grants of ${product.name}`,
    ...productFrame(product, '/grants', 'Grants'),
    content: html`
      ${blockNotice(blockReason)}
      <p>
        Give free access to testers or press. Free access does not count toward the pool or the
        seal.
      </p>
      ${blockReason === null ? newGrantForm(props) : ''}
      ${table({
        label: 'Grants',
        empty: 'No grants yet.',
        rows: grants,
        columns: {
          Person: ({ handle }: GrantView) => handle,
          State: ({ state }) => html`<span data-state="${state}">${STATE_WORDS[state]}</span>`,
          From: ({ startsAt }) => instant(startsAt),
          Until: until,
          'Granted by': ({ grantedByHandle }) => grantedByHandle ?? '',
          ID: ({ grantId }) => html`<code class="id">${grantId}</code>`,
          Actions: (grant) => withdrawal(grant, props),
        },
        pages: { path: grantsPath(product), before, next },
      })}
    `,
  };
}

const STATE_WORDS: Record<GrantView['state'], string> = {
  active: 'Active',
  ended: 'Ended',
  withdrawn: 'Revoked',
  ahead: 'Scheduled',
};

function until({ endsAt, withdrawnAt }: GrantView): HtmlSafeString | string {
  const end = withdrawnAt ?? endsAt;
  return end === null ? 'No end' : instant(end);
}

function withdrawal({ grantId, state }: GrantView, props: Props): HtmlSafeString | string {
  if (props.blockReason !== null || state === 'withdrawn' || state === 'ended') return '';
  return smallButton({
    action: `${grantsPath(props.product)}/${grantId}`,
    token: props.formToken,
    hidden: { action: 'withdraw' },
    button: 'Revoke',
  });
}

function newGrantForm(props: Props) {
  const fields = formFields(props.draft);
  return html`<article>
    <h2>Grant access</h2>
    <form method="post" action="${grantsPath(props.product)}">
      ${formToken(props.formToken)}
      <input type="hidden" name="grant" value="${props.newGrantId}" />
      ${field(fields('person', { label: 'Person (handle or user ID)' }))}
      <div class="grid">
        ${field(fields('starts_at', { label: 'From (UTC, now if empty)', ...INSTANT }))}
        ${field(fields('ends_at', { label: 'Until (UTC, no end if empty)', ...INSTANT }))}
      </div>
      <button type="submit">Grant access</button>
    </form>
  </article>`;
}

export function grantsPath({ slug }: { slug: string }): string {
  return `${productPath(slug)}/grants`;
}
