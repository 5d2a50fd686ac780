import { html, type HtmlSafeString } from '@prairielearn/html';
import type { CommercialOperator } from '../../../domain/catalog/commercial-operator.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PayoutAccountView } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import type { Requirement } from '../../../domain/billing/checkout/sale-requirements.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import type { View } from '../../http/route.ts';
import { smallButton } from '../../html/form.ts';
import { writeBasisPoints } from '../../html/numbers.ts';
import { problemNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { pill } from '../../html/parts/pill.ts';
import { productPill } from '../../html/status-pills.ts';
import { needs } from '../../html/parts/needs.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { unlisting } from '../catalog/lifecycle-actions.ts';
import { isReady, toNeed } from '../catalog/sale-checklist.ts';
import { payouts } from './payout-part.ts';
import { allowed, part } from './settings-part.ts';

type Props = {
  product: ManagedProduct;
  requirements: Requirement[];
  operator: CommercialOperator | null;
  payouts: PayoutAccountView | null;
  /** The person comes from the processor's pages: the known status is out of date. */
  hasReturned: boolean;
  /** Why the owner cannot list the product. */
  unlistedByOperator: string | null;
  /** How many have opened it with Member. */
  memberCount: number;
  /** The platform's fee of new checkouts. */
  feeBasisPoints: number;
  viewerId: string;
  problem: string | null;
  formToken: string;
};

export function salesSettingsPage(props: Props): View {
  const { product } = props;
  const isSoldHere = product.delivery === 'entitlement_api';
  return {
    title: `Settings of ${product.name}`,
    ...productFrame(product, '/selling', 'Settings'),
    content: html`
      ${problemNotice(props.problem)} ${ready(props, isSoldHere)}
      <div class="stack">
        ${state(props)}
        ${isSoldHere ? html`${payouts(props)} ${operator(props)} ${member(props)}` : ''}
        ${removal(props)}
      </div>
    `,
  };
}

/** What is missing stands first; once nothing is, the fee. */
function ready(props: Props, isSoldHere: boolean): HtmlSafeString {
  const { product, requirements, payouts: account } = props;
  if (!isSoldHere) {
    return card({
      title: 'Sold elsewhere',
      body: html`<p>You can list this product, but nobody can buy it here.</p>`,
      rows: checklist(product, requirements),
    });
  }
  // Beside a payout that failed, nothing is ticked.
  const shown = account?.failedPayout ? requirements.filter(({ isMet }) => !isMet) : requirements;
  return card({
    title: titleOf(props),
    body: html`<p data-ready="${isReady(requirements)}">${readyWords(props)}</p>`,
    ...(shown.length > 0 && { rows: checklist(product, shown) }),
    foot: fee(props),
  });
}

function checklist(product: ManagedProduct, requirements: Requirement[]): HtmlSafeString {
  return needs(requirements.flatMap((each) => toNeed(product, each) ?? []));
}

function titleOf({ requirements, payouts: account }: Props): string {
  if (!isReady(requirements)) return 'Before you can sell';
  return account?.failedPayout ? 'Selling' : 'Ready to sell';
}

function fee({ product, feeBasisPoints }: Props): HtmlSafeString {
  return html`<p data-fee>
    Platform fee: ${writeBasisPoints(feeBasisPoints)} of each payment. A refund gives its share
    back.
    <a href="${productPath(product.slug)}/prices">Prices</a> says what you receive.
  </p>`;
}

const STATES: Record<ManagedProduct['state'], string> = {
  draft: 'Only you and your team can see it.',
  listed: 'Everyone can find it in the store.',
  unlisted: 'Its page stays, but nobody can buy it.',
  removed: '',
};

function state({ product, requirements, unlistedByOperator, formToken: token }: Props) {
  const isListed = product.state === 'listed';
  const action = `${productPath(product.slug)}/selling/state`;
  const isNext = requirements.every(({ code, isMet }) => isMet || code === 'not_listed');
  const change = () => {
    if (unlistedByOperator !== null && !product.roles.includes('operator')) return html``;
    return isListed
      ? unlisting({ action, token, hidden: { action: 'unlist' } })
      : smallButton({ action, token, hidden: { action: 'list' }, button: 'List', isMain: isNext });
  };
  return part({
    id: 'state',
    title: 'Store',
    mark: productPill(product),
    body: html`<p>${STATES[product.state]} ${unlistedByOperator}</p>`,
    actions: allowed(product, 'list', change),
  });
}

function operator({ product, operator: who, viewerId, formToken: token }: Props) {
  const action = `${productPath(product.slug)}/selling/operator`;
  const make = () =>
    smallButton({
      action,
      token,
      hidden: { action: 'answer' },
      button: 'Make me seller of record',
    });
  const remove = ({ personId, handle }: CommercialOperator) =>
    smallButton({
      action,
      token,
      hidden: { action: 'stop', person: personId },
      button: 'Remove',
      label: `Remove ${handle} as seller of record`,
    });
  const isViewer = who?.personId === viewerId && product.hasCommercialOperator;
  return part({
    id: 'operator',
    title: 'Seller of record',
    mark: who === null ? pill({ word: 'Not chosen', tone: 'warn' }) : '',
    body: html`<p>${describeOperator(product, who)}</p>`,
    actions: allowed(
      product,
      'answer_for_sales',
      () => html`${isViewer ? '' : make()} ${who === null ? '' : remove(who)}`,
    ),
  });
}

function describeOperator(
  { hasCommercialOperator, isSuspended }: ManagedProduct,
  who: CommercialOperator | null,
): HtmlSafeString | string {
  if (who === null) {
    return 'Choose who is responsible for sales: a team owner, a finance member or the verified maker.';
  }
  const name = html`<strong data-operator="${who.personId}">${who.handle}</strong>`;
  return hasCommercialOperator
    ? html`${name} is the seller of record.`
    : html`${name} can no longer be seller of record. ${isSuspended ? '' : 'Choose someone else.'}`;
}

function readyWords({ requirements, payouts: account }: Props) {
  if (!isReady(requirements)) return 'Complete these steps to start selling:';
  return account?.failedPayout
    ? html`You can sell, but <a href="#payouts">the last payout failed</a>.`
    : 'Ready to sell.';
}

function member({ product, memberCount, formToken: token }: Props) {
  const isIncluded = product.includedWithMember;
  return html`<div data-included="${isIncluded}">
    ${part({
      id: 'member',
      title: 'Included with Member',
      mark: isIncluded
        ? pill({ word: 'Included', tone: 'ok', isLive: true })
        : pill({ word: 'Not included', tone: 'neutral' }),
      body: isIncluded ? included(memberCount) : NOT_INCLUDED,
      actions: allowed(product, 'price', () =>
        smallButton({
          action: `${productPath(product.slug)}/selling/member`,
          token,
          hidden: { action: isIncluded ? 'exclude' : 'include' },
          button: isIncluded ? 'Remove from Member' : 'Include with Member',
        }),
      ),
    })}
  </div>`;
}

const NOT_INCLUDED = html`<p>
  If you include this product, everyone with <a href="/member">Member</a> can use it. You can still
  sell it separately. Members pay for Member, not for this product. Your endpoints get
  <code>entitlement.created</code> when a member first opens the product.
</p>`;

function included(memberCount: number) {
  return html`<p>
      Everyone with <a href="/member">Member</a> can use the product.
      <strong data-members="${memberCount}">${memberCount}</strong>
      ${memberCount === 1 ? 'member has' : 'members have'} opened the product.
    </p>
    <p>
      If you remove the product from Member, members lose access immediately, unless they also have
      access through a purchase, a subscription or a grant. Your endpoints get
      <code>entitlement.canceled</code> for each member who has opened the product.
    </p>`;
}

function removal({ product }: Props): HtmlSafeString | '' {
  if (!isAllowed(product.roles, 'remove_product')) return '';
  return part({
    id: 'remove',
    title: 'Remove product',
    body: html`<p>A removed product leaves the store. Its address stays taken.</p>`,
    actions: button({
      text: 'Remove product',
      kind: 'warns',
      size: 'small',
      href: `${productPath(product.slug)}/remove`,
    }),
  });
}
