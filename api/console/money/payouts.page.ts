import { html, type HtmlSafeString } from '@prairielearn/html';
import { describePayoutFailure } from '../../../domain/catalog/payouts/payout-failure.ts';
import type { PayoutAccountView } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { OwnerPayout } from '../../../domain/pool/payout-lines/owner-payouts.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { writePlural } from '../../html/numbers.ts';
import { instant, shortInstant } from '../../html/dates.ts';
import { avatar } from '../../html/parts/avatar.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { payoutAccountPill, payoutPill } from '../../html/status-pills.ts';
import { table } from '../../html/table.ts';
import { named } from '../../html/parts/named.ts';
import { productPath } from '../console-frame.ts';
import type { ConsoleScope } from '../console-scope.ts';
import { consoleView } from '../team-frame.ts';

type Props = {
  scope: ConsoleScope;
  /** The products whose money the person may see. */
  sold: ManagedProduct[];
  /** The current accounts by the id of their owners. */
  accounts: Map<string, PayoutAccountView>;
  payouts: OwnerPayout[];
};

type Owner = {
  id: string;
  name: string;
  products: ManagedProduct[];
  account: PayoutAccountView | null;
};

/** The payout account of each owner, and what the creator pool has paid to it. */
export function payoutsPage({ scope, sold, accounts, payouts }: Props): View {
  const owners = toOwners(sold, accounts);
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  const content =
    owners.length === 0
      ? emptyState({
          title: 'No payouts yet',
          sentence: 'A product that you own or whose team you manage has a payout account.',
          link: { path: '/console/new-product', label: 'New product' },
        })
      : html`
          ${owners.map(failure)}
          ${card({ title: 'Payout accounts', rows: accountTable(owners), foot: HOW_PAID })}
          ${card({
            title: 'Payouts of the creator pool',
            rows: payouts.length === 0 ? NO_PAYOUTS : payoutTable(payouts, names),
          })}
        `;
  return consoleView({ title: 'Payouts', content, scope }, '/console/payouts');
}

const HOW_PAID =
  "Buyers pay into the maker's account at the payment processor, less the platform fee. The processor pays it out to the bank, and shows when.";

const NO_PAYOUTS = html`<p class="body">
  None yet. The creator pool pays products that are included with Member, once a month.
</p>`;

function toOwners(sold: ManagedProduct[], accounts: Props['accounts']): Owner[] {
  const byOwner = Map.groupBy(
    sold,
    ({ ownerTeamId, ownerPersonId }) => ownerTeamId ?? ownerPersonId!,
  );
  return [...byOwner].map(([id, products]) => ({
    id,
    name: products[0]!.sellerName,
    products,
    account: accounts.get(id) ?? null,
  }));
}

function failure({ name, products, account }: Owner): HtmlSafeString | '' {
  const failed = account?.failedPayout;
  if (!failed) return '';
  const { reason, madeAt, amountMinor, currency } = failed;
  return note({
    tone: 'bad',
    sentence: `A payout of ${formatMoney(amountMinor, currency)} to ${name} failed.`,
    more: html`${sentenceCase(describePayoutFailure(reason).reason)}. ${instant(madeAt)}. The money
    stays at the payment processor until a later payout arrives.`,
    actions: button({ text: 'Check account', href: settingsOf(products[0]!), size: 'small' }),
  });
}

function settingsOf({ slug }: ManagedProduct): string {
  return `${productPath(slug)}/selling#payouts`;
}

function accountTable(owners: Owner[]): HtmlSafeString {
  return table({
    label: 'Payout accounts',
    rows: owners,
    empty: '',
    columns: {
      Owner: ({ name, products }: Owner) =>
        named({
          mark: avatar(name),
          name: html`<strong>${name}</strong>`,
          line: writePlural(products.length, 'product'),
        }),
      State: { onPhone: 'state', cell: ({ account }) => payoutAccountPill(account) },
      'Checked (UTC)': ({ account }) =>
        account?.checkedAt ? shortInstant(account.checkedAt) : '\u2013',
      Settings: {
        isNumber: true,
        cell: ({ products, account, name }) => {
          const text = account === null ? 'Set up payouts' : 'Payout settings';
          const href = settingsOf(products[0]!);
          return button({ text, label: `${text} of ${name}`, href, size: 'small' });
        },
      },
    },
  });
}

function payoutTable(payouts: OwnerPayout[], names: Map<string, string>): HtmlSafeString {
  return table({
    label: 'Payouts of the creator pool',
    rows: payouts,
    empty: '',
    columns: {
      Month: ({ month }: OwnerPayout) => html`<strong>${writeMonth(month.slice(0, 7))}</strong>`,
      Owner: ({ teamId, personId }) => names.get(teamId ?? personId!) ?? '',
      State: { onPhone: 'state', cell: payoutPill },
      'Paid (UTC)': ({ endedAt, status }) =>
        status === 'paid' && endedAt !== null ? shortInstant(endedAt) : '\u2013',
      Amount: { isNumber: true, cell: ({ amountMinor, currency }) => money(amountMinor, currency) },
    },
  });
}
