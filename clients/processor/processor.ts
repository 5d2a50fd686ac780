import type { Stripe } from 'stripe';
import type { Config } from '../../platform/config.ts';
import type { DisputeReading } from '../../domain/billing/disputes/dispute.repository.ts';
import type {
  ListedDispute,
  Span,
} from '../../domain/billing/processor-inbox/missed-dispute.repository.ts';
import type { PayoutReading } from '../../domain/catalog/payouts/payout-failure.ts';
import { decideCheckoutState, type CheckoutState } from './checkout-state.ts';
import { listDisputes, readDisputes } from './disputes.ts';
import { expireCheckout, openCheckout, readCheckout, type OpenCheckoutInput } from './checkout.ts';
import { readSignedEvent, type ProcessorEvent } from './event.ts';
import { callProcessor, expectObject } from './errors.ts';
import { readProcessorFee } from './invoices.ts';
import { readPayout, type PayoutKey } from './payouts/payouts.ts';
import { listRefunds, refund, type RefundInput, type RefundState } from './refunds.ts';
import {
  cancelAtPeriodEnd,
  cancelSubscription,
  movePayouts,
  openCardUpdate,
  readSubscription,
  type CancelAtPeriodEndInput,
  type CardUpdateInput,
  type PayoutMoveInput,
  type SubscriptionKey,
  type SubscriptionState,
} from './subscriptions.ts';
import { loadStripe, objectsOnly } from './stripe.ts';
import {
  createTransfer,
  findTransfer,
  type TransferInput,
  type TransferState,
} from './payouts/transfers.ts';

export { MalformedEvent } from './event.ts';
export { isProcessorTrouble, ProcessorFault, UnknownProcessorState } from './errors.ts';
export type { RefundState } from './refunds.ts';

export type Processor = {
  kind: 'simulator' | 'stripe';
  openCheckout(
    input: OpenCheckoutInput,
  ): Promise<{ sessionId: string; url: string; expiresAt: Date }>;
  /** An expired or complete session stays as it is. */
  expireCheckout(sessionId: string): Promise<void>;
  /** Throws UnknownProcessorState for an unknown status and for a session of another checkout. */
  readCheckout(sessionId: string, checkoutId?: string): Promise<CheckoutState>;
  /** All disputes of a payment; throws UnknownProcessorState as well. */
  readDisputes(paymentIntentId: string): Promise<DisputeReading[]>;
  /** The disputes of all payments that were opened in a span. */
  listDisputes(span: Span): Promise<ListedDispute[]>;
  /** A refund is made once, however often it is called. */
  refund(input: RefundInput): Promise<RefundState>;
  /** All refunds of a payment, also those made elsewhere. */
  listRefunds(paymentIntentId: string): Promise<RefundState[]>;
  /** Returns the subscription with all its charges; throws UnknownProcessorState as well. */
  readSubscription(processorId: string): Promise<SubscriptionState>;
  /** Returns minor units of the charge; null while the fee is not known, or in another currency. */
  readProcessorFee(paymentIntentId: string): Promise<number | null>;
  /** Ends at the end of its period, or no longer does; an ended subscription stays as it is. */
  cancelAtPeriodEnd(input: CancelAtPeriodEndInput): Promise<SubscriptionState>;
  /** Cancels at once; an ended subscription stays as it is. */
  cancelSubscription(input: SubscriptionKey): Promise<SubscriptionState>;
  /** Later charges go to another account; an ended subscription stays as it is. */
  movePayouts(input: PayoutMoveInput): Promise<SubscriptionState>;
  /** A page of the processor to change a subscription's card. */
  openCardUpdate(input: CardUpdateInput): Promise<{ url: string }>;
  /**
   * Returns null for a refused signature; throws MalformedEvent for signed bytes that are no event.
   */
  readEvent(rawBody: Buffer, signature: string | undefined): ProcessorEvent | null;
  /** A key opens one account, however often it is called. */
  createPayoutAccount(input: { email: string; key?: string }): Promise<PayoutAccount>;
  readPayoutAccount(id: string): Promise<PayoutAccount>;
  /** Throws UnknownProcessorState as well. */
  readPayout(key: PayoutKey): Promise<PayoutReading>;
  /** A payout of the pool is transferred once within a day, however often it is called. */
  createTransfer(input: TransferInput): Promise<TransferState>;
  /** The transfer of a payout of the pool, however old; null where none was made. */
  findTransfer(input: TransferInput): Promise<{ transferId: string } | null>;
  /** A page of the processor with its questions to the seller; works once. */
  openOnboarding(input: OnboardingInput): Promise<{ url: string }>;
};

type PayoutAccount = { id: string; canCharge: boolean; isSubmitted: boolean };

/** The seller lands at `refreshUrl` when the link has expired. */
type OnboardingInput = { account: string; returnUrl: string; refreshUrl: string };

/** Calls Stripe, or the simulator, which has Stripe's API. */
export function createProcessor(config: Config['processor']): Processor {
  let connection: Stripe | undefined;
  const stripe = () => (connection ??= connect(config));
  return {
    kind: config.kind,
    openCheckout: (input) => callProcessor('open checkout', () => openCheckout(stripe(), input)),
    expireCheckout: (id) => callProcessor('expire checkout', () => expireCheckout(stripe(), id)),
    readCheckout: async (id, checkoutId) =>
      decideCheckoutState(
        await callProcessor('read checkout', () => readCheckout(stripe(), id)),
        checkoutId,
      ),
    readDisputes: (id) => callProcessor('read disputes', () => readDisputes(stripe(), id)),
    listDisputes: (span) => callProcessor('list disputes', () => listDisputes(stripe(), span)),
    refund: (input) => callProcessor('refund', () => refund(stripe(), input)),
    listRefunds: (id) => callProcessor('list refunds', () => listRefunds(stripe(), id)),
    readSubscription: (id) =>
      callProcessor('read subscription', () => readSubscription(stripe(), id)),
    readProcessorFee: (id) =>
      callProcessor('read processor fee', () => readProcessorFee(stripe(), id)),
    cancelAtPeriodEnd: (input) =>
      callProcessor('cancel at period end', () => cancelAtPeriodEnd(stripe(), input)),
    cancelSubscription: (input) =>
      callProcessor('cancel subscription', () => cancelSubscription(stripe(), input)),
    movePayouts: (input) => callProcessor('move payouts', () => movePayouts(stripe(), input)),
    openCardUpdate: (input) =>
      callProcessor('open card update', () => openCardUpdate(stripe(), input)),
    readEvent: (rawBody, signature) =>
      readSignedEvent(rawBody, { signature, secret: config.webhookSecret }),
    createPayoutAccount: (input) =>
      callProcessor('create payout account', () => createPayoutAccount(stripe(), input)),
    readPayoutAccount: async (id) =>
      describeAccount(
        await callProcessor('read payout account', () => stripe().accounts.retrieve(id)),
      ),
    readPayout: (key) => callProcessor('read payout', () => readPayout(stripe(), key)),
    createTransfer: (input) =>
      callProcessor('create transfer', () => createTransfer(stripe(), input)),
    findTransfer: (input) => callProcessor('find transfer', () => findTransfer(stripe(), input)),
    openOnboarding: (input) =>
      callProcessor('open onboarding', () => openOnboarding(stripe(), input)),
  };
}

function connect(config: Config['processor']): Stripe {
  const { protocol, hostname, port } = new URL(config.apiUrl);
  const isPlain = protocol === 'http:';
  const Package = loadStripe();
  return new Package(config.secretKey, {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? 'http' : 'https',
    // A buyer may be waiting: two tries of six seconds.
    maxNetworkRetries: 1,
    timeout: 6_000,
    telemetry: false,
    httpClient: objectsOnly(),
  });
}

async function createPayoutAccount(
  stripe: Stripe,
  { email, key }: { email: string; key?: string },
): Promise<PayoutAccount> {
  const account = await stripe.accounts.create(
    {
      email,
      controller: {
        stripe_dashboard: { type: 'express' },
        fees: { payer: 'application' },
        losses: { payments: 'application' },
      },
      capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
    },
    key ? { idempotencyKey: key } : {},
  );
  return describeAccount(account);
}

function describeAccount(account: Stripe.Account): PayoutAccount {
  expectObject(account, 'account');
  const canReceive = account.capabilities?.transfers === 'active';
  return {
    id: account.id,
    canCharge: account.charges_enabled && canReceive,
    isSubmitted: account.details_submitted,
  };
}

async function openOnboarding(stripe: Stripe, input: OnboardingInput): Promise<{ url: string }> {
  const link = await stripe.accountLinks.create({
    account: input.account,
    type: 'account_onboarding',
    return_url: input.returnUrl,
    refresh_url: input.refreshUrl,
  });
  expectObject(link, 'account_link');
  return { url: link.url };
}
