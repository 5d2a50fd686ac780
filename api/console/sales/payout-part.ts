// The payout account of a seller among the settings of a product.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PayoutAccountView } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import { describePayoutFailure } from '../../../domain/catalog/payouts/payout-failure.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { cutId } from '../../html/copy.ts';
import { smallButton } from '../../html/form.ts';
import { factList } from '../../html/parts/facts.ts';
import { day, instant } from '../../html/dates.ts';
import { button } from '../../html/parts/button.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { payoutAccountPill } from '../../html/status-pills.ts';
import { productPath } from '../console-frame.ts';
import { roleBlockReason } from '../managed-product.ts';
import { allowed, part } from './settings-part.ts';

type PayoutProps = {
  product: ManagedProduct;
  payouts: PayoutAccountView | null;
  hasReturned: boolean;
  formToken: string;
};

export function payouts({ product, payouts: account, hasReturned, formToken: token }: PayoutProps) {
  const action = `${productPath(product.slug)}/selling/payouts`;
  const submit = (name: string, words: string) =>
    smallButton({ action, token, hidden: { action: name }, button: words });
  const isDone = account?.canCharge && account.failedPayout === null;
  const mayReplace = account !== null && roleBlockReason(product, 'connect_payouts') === null;
  return part({
    id: 'payouts',
    title: 'Payout account',
    mark: payoutAccountPill(account),
    body: html`${failedPayout(product, account)}
      <p>
        ${hasReturned && !account?.canCharge ? '' : describeAccount(account)} All products of
        ${product.sellerName} share one payout account.
      </p>
      ${account === null ? '' : accountFacts(account)}`,
    actions: html`
      ${isDone ? '' : allowed(product, 'connect_payouts', () => submit('connect', connectWords(account)))}
      ${account === null ? '' : allowed(product, 'integrate', () => submit('refresh', 'Refresh status'))}
      ${
        mayReplace
          ? button({ text: 'Replace payout account', size: 'small', href: `${action}/replace` })
          : ''
      }
    `,
  });
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
    ? html` of ${money(amountMinor, currency)}`
    : '';
  return html`<div data-payout="failed">
    ${note({
      tone: 'bad',
      more: html`The payout${amount} of ${day(madeAt)} failed: ${reason}. ${remedy}`,
    })}
  </div>`;
}

function describeAccount(account: PayoutAccountView | null): string {
  if (account === null) return 'No payout account yet.';
  if (account.canCharge) return 'Payments arrive in the account.';
  const reason = account.isSubmitted
    ? 'When last checked, the payment processor was reviewing the account.'
    : 'When last checked, the payment processor needed more details.';
  return `Payouts not enabled. ${reason} Until they are, nobody can buy your products.`;
}

function accountFacts({ account, canCharge, checkedAt }: PayoutAccountView) {
  const state = canCharge ? 'ready' : 'not_ready';
  return factList([
    ['Account', html`<span data-payouts="${state}">${cutId(account)}</span>`],
    ['Last checked', checkedAt === null ? 'Not checked yet' : instant(checkedAt)],
  ]);
}
