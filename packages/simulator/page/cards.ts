export type CardOutcome =
  | 'succeeds'
  | 'declined'
  | 'needs_authentication'
  | 'clears_late'
  | 'fails_late'
  | 'disputed'
  | 'inquired'
  | 'refunds_late'
  | 'refund_fails_late'
  | 'renewals_recover'
  | 'renewals_fail'
  | 'renewals_refused';

export type TestCard = { number: string; outcome: CardOutcome; effect: string };

export const TEST_CARDS: readonly TestCard[] = [
  { number: '4242424242424242', outcome: 'succeeds', effect: 'is paid at once' },
  { number: '4000000000000002', outcome: 'declined', effect: 'is declined' },
  {
    number: '4000002760003184',
    outcome: 'needs_authentication',
    effect: 'is paid once the bank has asked you',
  },
  { number: '4000000000009999', outcome: 'clears_late', effect: 'clears after three days' },
  { number: '4000000000009991', outcome: 'fails_late', effect: 'fails after three days' },
  { number: '4000000000000259', outcome: 'disputed', effect: 'is paid, then disputed' },
  {
    number: '4000000000001976',
    outcome: 'inquired',
    effect: 'is paid, then the bank asks about it',
  },
  {
    number: '4000000000007726',
    outcome: 'refunds_late',
    effect: 'is paid; a refund takes three days',
  },
  {
    number: '4000000000005126',
    outcome: 'refund_fails_late',
    effect: 'is paid; a refund is made, and fails after three days',
  },
];

/** What only matters where something is charged again. */
export const RENEWAL_CARDS: readonly TestCard[] = [
  {
    number: '4000000000003410',
    outcome: 'renewals_recover',
    effect: 'is paid; renewals fail, then succeed on the second retry',
  },
  {
    number: '4000000000000341',
    outcome: 'renewals_fail',
    effect: 'is paid; renewals fail, and so does every retry',
  },
  {
    number: '4000000000009987',
    outcome: 'renewals_refused',
    effect: 'is paid; renewals are refused for good and not retried',
  },
];

/** How refunds go of what was paid by a card, where they do not just succeed. */
export const REFUNDS: Partial<Record<CardOutcome, string>> = {
  refunds_late: 'succeed_late',
  refund_fails_late: 'fail_late',
};

export function findCard(typed: string): TestCard | undefined {
  const digits = typed.replace(/[\s-]/g, '');
  return [...TEST_CARDS, ...RENEWAL_CARDS].find((card) => card.number === digits);
}

export function spaceOut(cardNumber: string): string {
  return cardNumber.replace(/(\d{4})(?=\d)/g, '$1 ');
}
