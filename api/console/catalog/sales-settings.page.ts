import { html, type HtmlSafeString } from '@prairielearn/html';
import type { CommercialOperator } from '../../../domain/catalog/listing/commercial-operator.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/managed-product.repository.ts';
import type { PayoutAccountView } from '../../../domain/catalog/ownership/payout-account.repository.ts';
import type { Requirement } from '../../../domain/billing/checkout/readiness.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import type { View } from '../../route.ts';
import { smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { notice, problemNotice } from '../../html/notices.ts';
import { productHeading, productPath } from '../console-frame.ts';
import { roleBlockReason } from '../managed-product.ts';
import { checklist, isReady } from './readiness.ts';

type Props = {
  product: ManagedProduct;
  requirements: Requirement[];
  operator: CommercialOperator | null;
  payouts: PayoutAccountView | null;
  /** How many have opened it with Member. */
  memberCount: number;
  viewerId: string;
  problem: string | null;
  notice: unknown;
  formToken: string;
};

export function salesSettingsPage(props: Props): View {
  const { product, requirements } = props;
  const isSoldHere = product.delivery === 'entitlement_api';
  return {
    title: `Selling ${product.name}`,
    content: html`
      ${productHeading(product, '/selling')}
      <h2>Selling</h2>
      ${notice(props.notice)} ${problemNotice(props.problem)}
      ${
        isSoldHere
          ? html`<p data-ready="${isReady(requirements)}">
              ${
                isReady(requirements)
                  ? 'The product can be bought.'
                  : 'Before the product can be sold:'
              }
            </p>`
          : html`<p>This product is sold elsewhere: it can be listed, and is not bought here.</p>`
      }
      ${checklist(product, requirements)} ${state(props)}
      ${isSoldHere ? html`${operator(props)} ${payouts(props)} ${member(props)}` : ''}
      ${removal(props)}
    `,
  };
}

function state({ product, formToken: token }: Props) {
  const isListed = product.state === 'listed';
  const words = {
    draft: 'A draft: nobody but you and your team sees it.',
    listed: 'Everybody finds it in the store.',
    unlisted: 'Its page stays, and says that it is not on sale.',
    removed: '',
  }[product.state];
  return html`<section id="state">
    <h2>In the store</h2>
    <p>${words}</p>
    ${allowed(product, 'list', () =>
      smallButton({
        action: `${productPath(product.slug)}/selling/state`,
        token,
        hidden: { action: isListed ? 'unlist' : 'list' },
        button: isListed ? 'Unlist' : 'List',
      }),
    )}
  </section>`;
}

function operator({ product, operator: who, viewerId, formToken: token }: Props) {
  const action = `${productPath(product.slug)}/selling/operator`;
  return html`<section id="operator">
    <h2>Commercial operator</h2>
    <p>${describeOperator(product, who)}</p>
    ${allowed(product, 'answer_for_sales', () =>
      buttons(
        who?.personId === viewerId && product.hasCommercialOperator
          ? ''
          : smallButton({
              action,
              token,
              hidden: { action: 'answer' },
              button: 'Answer for its sales myself',
            }),
        who === null
          ? ''
          : smallButton({
              action,
              token,
              hidden: { action: 'stop', person: who.personId },
              button: `${who.handle} no longer answers`,
            }),
      ),
    )}
  </section>`;
}

function describeOperator(
  { hasCommercialOperator }: ManagedProduct,
  who: CommercialOperator | null,
): HtmlSafeString | string {
  if (who === null) {
    return 'Nobody answers for the sales of this product. An owner or finance of the team does, or its verified builder.';
  }
  const name = html`<strong data-operator="${who.personId}">${who.handle}</strong>`;
  return hasCommercialOperator
    ? html`${name} answers for the sales of this product.`
    : html`${name} was to answer for the sales, and may not any more: somebody else has to.`;
}

function payouts({ product, payouts: account, formToken: token }: Props) {
  const action = `${productPath(product.slug)}/selling/payouts`;
  const button = (name: string, words: string) =>
    smallButton({ action, token, hidden: { action: name }, button: words });
  return html`<section id="payouts">
    <h2>Payout account</h2>
    <p>One account for all products of ${product.sellerName}. ${describeAccount(account)}</p>
    ${account === null ? '' : accountFacts(account)}
    ${
      account?.canCharge
        ? ''
        : allowed(product, 'connect_payouts', () =>
            button(
              'connect',
              account === null ? 'Connect a payout account' : 'Continue at the processor',
            ),
          )
    }
    ${
      account === null
        ? ''
        : allowed(product, 'integrate', () => button('refresh', 'Refresh the status'))
    }
  </section>`;
}

function describeAccount(account: PayoutAccountView | null): string {
  if (account === null) return 'There is none yet.';
  if (account.canCharge) return 'It can charge.';
  return account.isSubmitted
    ? 'It cannot charge yet: the payment processor is looking at it.'
    : 'It cannot charge yet: the payment processor has questions.';
}

function accountFacts({ account, canCharge, checkedAt }: PayoutAccountView) {
  return html`<dl class="facts" data-payouts="${canCharge ? 'ready' : 'not_ready'}">
    <dt>Account</dt>
    <dd class="id"><code>${account}</code></dd>
    <dt>As of</dt>
    <dd>${checkedAt === null ? 'never asked' : instant(checkedAt)}</dd>
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
        button: isIncluded ? 'Take it out of Member' : 'Include it with Member',
      }),
    )}
  </section>`;
}

const NOT_INCLUDED = html`<p>
  It is not. Included, everybody with <a href="/member">Member</a> may use it at once, for as long
  as they are members and it stays Included. It can still be bought; what members pay is for Member,
  and no sale of this product. Your endpoints hear <code>entitlement.created</code> when a member
  first opens it.
</p>`;

function included(memberCount: number) {
  return html`<p>
      It is: everybody with <a href="/member">Member</a> may use it.
      <strong data-members="${memberCount}">${memberCount}</strong>
      ${memberCount === 1 ? 'member has' : 'members have'} opened it.
    </p>
    <p>
      Taken out, members lose it at once, unless they have it from elsewhere too: your endpoints
      hear
      <code>entitlement.canceled</code> for each who had opened it. What was bought, subscribed to
      or given stays. Included again, members open it anew.
    </p>`;
}

function removal({ product }: Props) {
  if (!isAllowed(product.roles, 'remove_product')) return '';
  return html`<section>
    <h2>Remove</h2>
    <p><a href="${productPath(product.slug)}/remove">Remove the product for good</a></p>
  </section>`;
}

function buttons(...given: (HtmlSafeString | '')[]) {
  return html`<div class="actions">${given}</div>`;
}

/** The button, or who may press it. */
function allowed(
  product: ManagedProduct,
  action: Parameters<typeof roleBlockReason>[1],
  show: () => HtmlSafeString,
): HtmlSafeString {
  const blockReason = roleBlockReason(product, action);
  return blockReason === null ? show() : html`<p class="muted"><small>${blockReason}</small></p>`;
}
