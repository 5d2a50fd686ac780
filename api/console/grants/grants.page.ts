import { html, type HtmlSafeString } from '@prairielearn/html';
import type { GrantView } from '../../../domain/entitlements/grants/grant.repository.ts';
import type { View } from '../../http/route.ts';
import { formToken, instant } from '../../html/layout.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';
import { smallButton } from '../../html/form.ts';
import { blockNotice } from '../../html/notices.ts';
import { paging, table } from '../../html/table.ts';

export type GrantDraft = {
  typed: { person: string; startsAt: string; endsAt: string };
  problems: { person?: string; startsAt?: string; endsAt?: string };
};

export const EMPTY_GRANT: GrantDraft = {
  typed: { person: '', startsAt: '', endsAt: '' },
  problems: {},
};

type Props = {
  product: FramedProduct;
  grants: GrantView[];
  before: string | null;
  next: string | null;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  /** Sent with the form, so that a form that is sent twice grants once. */
  newGrantId: string;
  draft: GrantDraft;
  formToken: string;
};

export function grantsPage(props: Props): View {
  const { product, grants, before, next, blockReason } = props;
  return {
    title: `Grants of ${product.name}`,
    content: html`
      ${productHeading(product, '/grants')}
      <h2>Grants</h2>
      ${blockNotice(blockReason)}
      <p>
        Give free access to testers or press. Free access does not count toward the pool or the
        seal.
      </p>
      ${blockReason === null ? newGrantForm(props) : ''}
      ${table({ label: 'Grants', empty: 'No grants yet.', rows: grants, columns: columns(props) })}
      ${paging({ path: pathOf(props), before, next })}
    `,
  };
}

function columns(props: Props) {
  return [
    { heading: 'Person', cell: ({ handle }: GrantView) => handle },
    {
      heading: 'State',
      cell: ({ state }: GrantView) =>
        html`<span data-state="${state}">${STATE_WORDS[state]}</span>`,
    },
    { heading: 'From', cell: ({ startsAt }: GrantView) => instant(startsAt) },
    { heading: 'Until', cell: untilOf },
    { heading: 'Granted by', cell: ({ grantedByHandle }: GrantView) => grantedByHandle ?? '' },
    {
      heading: 'ID',
      cell: ({ grantId }: GrantView) => html`<code class="id">${grantId}</code>`,
    },
    { heading: 'Actions', cell: (grant: GrantView) => withdrawal(grant, props) },
  ];
}

const STATE_WORDS: Record<GrantView['state'], string> = {
  active: 'Active',
  ended: 'Ended',
  withdrawn: 'Revoked',
  ahead: 'Scheduled',
};

function untilOf({ endsAt, withdrawnAt }: GrantView): HtmlSafeString | string {
  const end = withdrawnAt ?? endsAt;
  return end === null ? 'No end' : instant(end);
}

function withdrawal({ grantId, state }: GrantView, props: Props): HtmlSafeString | string {
  if (props.blockReason !== null || state === 'withdrawn' || state === 'ended') return '';
  return smallButton({
    action: `${pathOf(props)}/${grantId}`,
    token: props.formToken,
    hidden: { action: 'withdraw' },
    button: 'Revoke',
  });
}

function newGrantForm(props: Props) {
  const { draft } = props;
  const { typed, problems } = draft;
  return html`<article>
    <h2>Grant access</h2>
    <form method="post" action="${pathOf(props)}">
      ${formToken(props.formToken)}
      <input type="hidden" name="grant" value="${props.newGrantId}" />
      ${input({
        name: 'person',
        label: 'Person (handle or user ID)',
        value: typed.person,
        problem: problems.person,
      })}
      <div class="grid">
        ${input({
          name: 'starts_at',
          label: 'From (UTC, now if empty)',
          value: typed.startsAt,
          problem: problems.startsAt,
          isTime: true,
        })}
        ${input({
          name: 'ends_at',
          label: 'Until (UTC, no end if empty)',
          value: typed.endsAt,
          problem: problems.endsAt,
          isTime: true,
        })}
      </div>
      <button type="submit">Grant access</button>
    </form>
  </article>`;
}

type Input = {
  name: string;
  label: string;
  value: string;
  problem: string | undefined;
  isTime?: boolean;
};

function input({ name, label, value, problem, isTime = false }: Input) {
  return html`<label>
    ${label}
    <input
      type="${isTime ? 'datetime-local' : 'text'}"
      name="${name}"
      value="${value}"
      autocomplete="off"
      ${isTime ? '' : html`required`}
      ${problem ? html`aria-invalid="true" aria-describedby="${name}-problem"` : ''}
    />
    ${problem ? html`<small id="${name}-problem" role="alert">${problem}</small>` : ''}
  </label>`;
}

function pathOf({ product }: Props): string {
  return `${productPath(product.slug)}/grants`;
}
