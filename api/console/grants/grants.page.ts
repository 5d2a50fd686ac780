import { html, type HtmlSafeString } from '@prairielearn/html';
import type { GrantView } from '../../../domain/entitlements/grants/grant.repository.ts';
import type { View } from '../../http/route.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { cutId } from '../../html/copy.ts';
import { shortInstant } from '../../html/dates.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { field, INSTANT } from '../../html/parts/field.ts';
import { formFields, smallButton, type Draft } from '../../html/form.ts';
import { blockNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { cardFold } from '../../html/parts/fold.ts';
import { pill } from '../../html/parts/pill.ts';

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
  now: Date;
};

const NEW = 'give-access';

const GIVE = button({ text: 'Give access', href: `#${NEW}`, kind: 'primary', icon: 'gift' });

export function grantsPage(props: Props): View {
  const { product, grants, before, blockReason } = props;
  const path = productPath(product.slug);
  const isOpen = blockReason === null;
  const isEmpty = grants.length === 0 && before === null;
  const newForm = isOpen ? newGrantForm(props, isEmpty) : '';
  return {
    title: `Access to ${product.name}`,
    ...productFrame(product, '/grants', 'Access', {
      ...(isOpen && !isEmpty && { actions: GIVE }),
    }),
    content: html`
      <p>
        Give free access to testers or press. It does not count toward the pool or the seal. Whoever
        paid is under <a href="${path}/purchases">Purchases</a> and
        <a href="${path}/subscribers">Subscribers</a>.
      </p>
      ${blockNotice(blockReason)}
      ${
        props.draft === null
          ? html`${grantList(props)} ${newForm}`
          : html`${newForm} ${grantList(props)}`
      }
    `,
  };
}

function grantList(props: Props): HtmlSafeString {
  const { product, grants, before, next, now } = props;
  return listCard<GrantView>({
    label: 'Access that was given',
    empty: {
      title: 'No access given yet',
      sentence: 'Nobody has free access. Testers and press get it from you.',
    },
    rows: grants,
    columns: {
      Person: ({ handle, grantId }) =>
        html`<strong>@${handle}</strong><br /><small>${cutId(grantId)}</small>`,
      State: {
        cell: ({ state }) => html`<span data-state="${state}">${pill(STATES[state])}</span>`,
        onPhone: 'state',
      },
      'From (UTC)': { cell: ({ startsAt }) => shortInstant(startsAt, now), isNumber: true },
      'Until (UTC)': { cell: (grant) => until(grant, now), isNumber: true },
      'Given by': ({ grantedByHandle }) => (grantedByHandle === null ? '' : `@${grantedByHandle}`),
      Actions: (grant) => withdrawal(grant, props),
    },
    pages: { path: grantsPath(product), before, next },
  });
}

const STATES: Record<GrantView['state'], Parameters<typeof pill>[0]> = {
  active: { word: 'Open', tone: 'ok', isLive: true },
  ended: { word: 'Ended', tone: 'neutral' },
  withdrawn: { word: 'Revoked', tone: 'neutral' },
  ahead: { word: 'Scheduled', tone: 'info' },
};

function until({ endsAt, withdrawnAt }: GrantView, now: Date): HtmlSafeString | string {
  const end = withdrawnAt ?? endsAt;
  return end === null ? 'No end date' : shortInstant(end, now);
}

function withdrawal({ grantId, handle, state }: GrantView, props: Props): HtmlSafeString | string {
  if (props.blockReason !== null || state === 'withdrawn' || state === 'ended') return '';
  return smallButton({
    action: `${grantsPath(props.product)}/${grantId}`,
    token: props.formToken,
    hidden: { action: 'withdraw' },
    button: 'Revoke',
    label: `Revoke the access of ${handle}`,
  });
}

function newGrantForm(props: Props, isOnly: boolean): HtmlSafeString {
  const { product, draft } = props;
  const fields = formFields(draft);
  const optional = { ...INSTANT, isOptional: true } as const;
  return cardFold({
    id: NEW,
    title: 'Give access',
    icon: 'gift',
    isOpen: isOnly || draft !== null,
    content: html`<form method="post" action="${grantsPath(product)}">
      ${formToken(props.formToken)}
      <input type="hidden" name="grant" value="${props.newGrantId}" />
      ${field(fields('person', { label: 'Person', hint: 'Their handle or user ID.' }))}
      <div class="pair">
        ${field(fields('starts_at', { label: 'From (UTC)', hint: 'Now if empty.', ...optional }))}
        ${field(fields('ends_at', { label: 'Until (UTC)', hint: 'No end date if empty.', ...optional }))}
      </div>
      ${button({ text: 'Give access', kind: isOnly ? 'primary' : 'secondary' })}
    </form>`,
  });
}

export function grantsPath({ slug }: { slug: string }): string {
  return `${productPath(slug)}/grants`;
}
