// Why a bank refused a payout, and what its seller does about it.

/** A payout as the processor describes it; others than these two are under way. */
export type PayoutReading = {
  id: string;
  status: 'paid' | 'failed' | 'under_way';
  amountMinor: number;
  currency: string;
  /** The processor's code for the reason. */
  failureCode: string | null;
  createdAt: Date;
};

type Words = { reason: string; remedy: string };

const OTHER_ACCOUNT = 'Enter another bank account at the payment processor.';
const CORRECT = 'Correct the bank account at the payment processor.';
const ASK_BANK =
  'Ask your bank to accept payouts, or enter another bank account at the payment processor.';

/** The texts by the processor's codes. */
const WORDS: Record<string, Words> = {
  account_closed: { reason: 'the bank account is closed', remedy: OTHER_ACCOUNT },
  account_frozen: { reason: 'the bank account is frozen', remedy: ASK_BANK },
  bank_account_restricted: {
    reason: 'the bank account cannot receive this kind of payout',
    remedy: ASK_BANK,
  },
  bank_ownership_changed: {
    reason: 'the bank account was moved to another bank',
    remedy: CORRECT,
  },
  could_not_process: { reason: 'the bank could not process the payout', remedy: ASK_BANK },
  debit_not_authorized: { reason: 'the bank account allows no debits', remedy: ASK_BANK },
  declined: { reason: 'the bank declined the payout', remedy: ASK_BANK },
  incorrect_account_holder_address: {
    reason: "the account holder's address is wrong",
    remedy: CORRECT,
  },
  incorrect_account_holder_name: { reason: "the account holder's name is wrong", remedy: CORRECT },
  incorrect_account_holder_tax_id: {
    reason: "the account holder's tax id is wrong",
    remedy: CORRECT,
  },
  incorrect_account_type: { reason: 'the type of the bank account is wrong', remedy: CORRECT },
  insufficient_funds: {
    reason: 'the balance did not cover the payout',
    remedy: 'Nothing: the next payout is made when new sales cover it.',
  },
  invalid_account_number: { reason: 'the account number is wrong', remedy: CORRECT },
  invalid_account_number_length: {
    reason: 'the account number has the wrong length',
    remedy: CORRECT,
  },
  invalid_currency: {
    reason: 'the bank account does not take this currency',
    remedy: OTHER_ACCOUNT,
  },
  no_account: { reason: 'the bank has no such account', remedy: CORRECT },
  unsupported_card: {
    reason: 'the bank does not take payouts to this card',
    remedy: OTHER_ACCOUNT,
  },
};

export function describePayoutFailure(code: string | null): Words {
  const known = code !== null && Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return known ?? { reason: 'the bank gave no reason', remedy: ASK_BANK };
}

type Seen = { payoutSeenAt: Date | null; failedPayoutCurrency: string | null };

/**
 * An older payout says nothing of how payouts go now, and one that arrived says nothing of a failed
 * one in another currency, which may go to another bank account.
 */
export function isNewsOfPayouts(seen: Seen, { createdAt, status, currency }: PayoutReading) {
  const { payoutSeenAt, failedPayoutCurrency } = seen;
  const isOlder = payoutSeenAt !== null && createdAt.getTime() < payoutSeenAt.getTime();
  const isElsewhere = failedPayoutCurrency !== null && failedPayoutCurrency !== currency;
  return !isOlder && !(status === 'paid' && isElsewhere);
}
