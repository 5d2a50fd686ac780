import { html, type HtmlSafeString } from '@prairielearn/html';
import type { CommercialOperator } from '../../../domain/catalog/commercial-operator.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PayoutAccountView } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import { describePayoutFailure } from '../../../domain/catalog/payouts/payout-failure.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { Requirement } from '../../../domain/billing/checkout/sale-requirements.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import type { View } from '../../http/route.ts';
import { smallButton } from '../../html/form.ts';
import { day, instant } from '../../html/layout.ts';
import { problemNotice } from '../../html/notices.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { roleBlockReason } from '../managed-product.ts';
import { writeFee } from '../catalog/fee-labels.ts';
import { unlisting } from '../catalog/lifecycle-actions.ts';
import { checklist, isReady } from '../catalog/sale-checklist.ts';

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
  const { product, requirements, payouts: account } = props;
  const isSoldHere = product.delivery === 'entitlement_api';
  // Beside a payout that failed, nothing is ticked.
  const shown = account?.failedPayout ? requirements.filter(({ isMet }) => !isMet) : requirements;
  return {
    title: `Selling ${product.name}`,
    ...productFrame(product, '/selling', 'Selling'),
    content: html`
      ${problemNotice(props.problem)}
      ${
        isSoldHere
          ? html`<p data-ready="${isReady(requirements)}">${readyWords(props)}</p>`
          : html`<p>
              This product is sold elsewhere. You can list it, but nobody can buy it here.
            </p>`
      }
      ${checklist(product, shown)} ${isSoldHere ? fee(props) : ''} ${state(props)}
      ${isSoldHere ? html`${operator(props)} ${payouts(props)} ${member(props)}` : ''}
      ${removal(props)}
    `,
  };
}

function fee({ product, feeBasisPoints }: Props) {
  return html`<p data-fee>
    Platform fee: ${writeFee(feeBasisPoints)} of each payment. Its share is returned with a refund.
    <a href="${productPath(product.slug)}/prices">Prices</a> says what you receive.
  </p>`;
}

function state({ product, unlistedByOperator, formToken: token }: Props) {
  const isListed = product.state === 'listed';
  const words = {
    draft: 'Draft. Only you and your team can see it.',
    listed: 'Listed. Everyone can find it in the store.',
    unlisted: 'Unlisted. Its page stays, but nobody can buy it.',
    removed: '',
  }[product.state];
  return html`<section id="state">
    <h2>Store</h2>
    <p>${words} ${unlistedByOperator}</p>
    ${allowed(product, 'list', () => {
      if (unlistedByOperator !== null && !product.roles.includes('operator')) return html``;
      const action = `${productPath(product.slug)}/selling/state`;
      return isListed
        ? unlisting({ action, token, hidden: { action: 'unlist' } })
        : smallButton({ action, token, hidden: { action: 'list' }, button: 'List' });
    })}
  </section>`;
}

function operator({ product, operator: who, viewerId, formToken: token }: Props) {
  const action = `${productPath(product.slug)}/selling/operator`;
  return html`<section id="operator">
    <h2>Seller of record</h2>
    <p>${describeOperator(product, who)}</p>
    ${allowed(product, 'answer_for_sales', () =>
      buttons(
        who?.personId === viewerId && product.hasCommercialOperator
          ? ''
          : smallButton({
              action,
              token,
              hidden: { action: 'answer' },
              button: 'Make me seller of record',
            }),
        who === null
          ? ''
          : smallButton({
              action,
              token,
              hidden: { action: 'stop', person: who.personId },
              button: 'Remove',
              label: `Remove ${who.handle} as seller of record`,
            }),
      ),
    )}
  </section>`;
}

function describeOperator(
  { hasCommercialOperator, isSuspended }: ManagedProduct,
  who: CommercialOperator | null,
): HtmlSafeString | string {
  if (who === null) {
    return 'Choose who is responsible for sales: a team owner, a finance member or the verified builder.';
  }
  const name = html`<strong data-operator="${who.personId}">${who.handle}</strong>`;
  return hasCommercialOperator
    ? html`${name} is the seller of record.`
    : html`${name} can no longer be seller of record. ${isSuspended ? '' : 'Choose someone else.'}`;
}

function payouts({ product, payouts: account, hasReturned, formToken: token }: Props) {
  const action = `${productPath(product.slug)}/selling/payouts`;
  const button = (name: string, words: string) =>
    smallButton({ action, token, hidden: { action: name }, button: words });
  return html`<section id="payouts">
    <h2>Payout account</h2>
    <p>
      ${hasReturned && !account?.canCharge ? '' : describeAccount(account)} All products of
      ${product.sellerName} share one payout account.
    </p>
    ${account === null ? '' : accountFacts(account)} ${failedPayout(product, account)}
    ${
      account?.canCharge && account.failedPayout === null
        ? ''
        : allowed(product, 'connect_payouts', () => button('connect', connectWords(account)))
    }
    ${
      account === null
        ? ''
        : allowed(product, 'integrate', () => button('refresh', 'Refresh status'))
    }
    ${
      account === null || roleBlockReason(product, 'connect_payouts') !== null
        ? ''
        : html`<p><a href="${action}/replace">Replace payout account</a></p>`
    }
  </section>`;
}

function readyWords({ requirements, payouts: account }: Props) {
  if (!isReady(requirements)) return 'Complete these steps to start selling:';
  return account?.failedPayout
    ? html`You can sell, but <a href="#payouts">the last payout failed</a>.`
    : 'Ready to sell.';
}

function connectWords(account: PayoutAccountView | null): string {
  if (account === null) return 'Connect payout account';
  return account.canCharge
    ? 'Check the bank account at the payment processor'
    : 'Continue at the payment processor';
}

/** The amount is for the roles that see what comes in. */
function failedPayout(
  product: ManagedProduct,
  account: PayoutAccountView | null,
): HtmlSafeString | '' {
  if (!account?.failedPayout) return '';
  const { amountMinor, currency, reason: code, madeAt } = account.failedPayout;
  const { reason, remedy } = describePayoutFailure(code);
  const amount = isAllowed(product.roles, 'see_statements')
    ? html` of <span class="amount">${formatMoney(amountMinor, currency)}</span>`
    : '';
  return html`<p class="notice" role="alert" data-payout="failed">
    The payout${amount} of ${day(madeAt)} failed: ${reason}. ${remedy}
  </p>`;
}

function describeAccount(account: PayoutAccountView | null): string {
  if (account === null) return 'No payout account yet.';
  if (account.canCharge) {
    return account.failedPayout ? 'Payments arrive in the account.' : 'Payouts enabled.';
  }
  const reason = account.isSubmitted
    ? 'When last checked, the payment processor was reviewing the account.'
    : 'When last checked, the payment processor needed more details.';
  return `Payouts not enabled. ${reason} Until they are, nobody can buy your products.`;
}

function accountFacts({ account, canCharge, checkedAt }: PayoutAccountView) {
  return html`<dl class="facts" data-payouts="${canCharge ? 'ready' : 'not_ready'}">
    <dt>Account</dt>
    <dd class="id"><code>${account}</code></dd>
    <dt>Last checked</dt>
    <dd>${checkedAt === null ? 'Not checked yet' : instant(checkedAt)}</dd>
  </dl>`;
}

function member({ product, memberCount, formToken: token }: Props) {
  const isIncluded = product.includedWithMember;
  return html`<section id="member" data-included="${isIncluded}">
    <h2>Included with Member</h2>
    ${isIncluded ? included(memberCount) : NOT_INCLUDED}
    ${allowed(product, 'price', () =>
      smallButton({
        action: `${productPath(product.slug)}/selling/member`,
        token,
        hidden: { action: isIncluded ? 'exclude' : 'include' },
        button: isIncluded ? 'Remove from Member' : 'Include with Member',
      }),
    )}
  </section>`;
}

const NOT_INCLUDED = html`<p>
  Not included. If you include this product, everyone with <a href="/member">Member</a> can use it.
  You can still sell it separately. Members pay for Member, not for this product. Your endpoints get
  <code>entitlement.created</code> when a member first opens the product.
</p>`;

function included(memberCount: number) {
  return html`<p>
      Included. Everyone with <a href="/member">Member</a> can use the product.
      <strong data-members="${memberCount}">${memberCount}</strong>
      ${memberCount === 1 ? 'member has' : 'members have'} opened the product.
    </p>
    <p>
      If you remove the product from Member, members lose access immediately, unless they also have
      access through a purchase, a subscription or a grant. Your endpoints get
      <code>entitlement.canceled</code> for each member who has opened the product.
    </p>`;
}

function removal({ product }: Props) {
  if (!isAllowed(product.roles, 'remove_product')) return '';
  return html`<section>
    <h2>Remove product</h2>
    <p><a href="${productPath(product.slug)}/remove">Remove product</a></p>
  </section>`;
}

function buttons(...given: (HtmlSafeString | '')[]) {
  return html`<div class="actions">${given}</div>`;
}

/** The button, or the roles that may use it. */
function allowed(
  product: ManagedProduct,
  action: Parameters<typeof roleBlockReason>[1],
  show: () => HtmlSafeString,
): HtmlSafeString {
  const blockReason = roleBlockReason(product, action);
  return blockReason === null ? show() : html`<p class="muted"><small>${blockReason}</small></p>`;
}
