import type { Stripe } from 'stripe';
import type { Config } from '../../platform/config.ts';
import { decideCheckoutState } from './checkout-state.ts';
import { expireCheckout, openCheckout, readCheckout } from './checkout.ts';
import { listDisputes, readDisputes } from './disputes.ts';
import { callProcessor, expectObject } from './errors.ts';
import { readSignedEvent } from './event.ts';
import { readProcessorFee } from './invoices.ts';
import { readPayout } from './payouts/payouts.ts';
import { createTransfer, findTransfer } from './payouts/transfers.ts';
import { listRefunds, refund } from './refunds.ts';
import { loadStripe, objectsOnly } from './stripe.ts';
import {
  cancelAtPeriodEnd,
  cancelSubscription,
  movePayouts,
  openCardUpdate,
  readSubscription,
} from './subscriptions.ts';

export { MalformedEvent } from './event.ts';
export { isProcessorTrouble, ProcessorFault, UnknownProcessorState } from './errors.ts';
export type { RefundState } from './refunds.ts';

/** Calls Stripe, or the simulator, which has Stripe's API. Reads throw UnknownProcessorState. */
export type Processor = ReturnType<typeof createProcessor>;

export function createProcessor(config: Config['processor']) {
  let connection: Stripe | undefined;
  const stripe = () => (connection ??= connect(config));
  const bind =
    <Input, Result>(action: string, call: (stripe: Stripe, input: Input) => Promise<Result>) =>
    (input: Input) =>
      callProcessor(action, () => call(stripe(), input));
  const retrieveCheckout = bind('read checkout', readCheckout);
  return {
    kind: config.kind,
    openCheckout: bind('open checkout', openCheckout),
    /** An expired or complete session stays as it is. */
    expireCheckout: bind('expire checkout', expireCheckout),
    /** Throws UnknownProcessorState for a session of another checkout, too. */
    readCheckout: async (id: string, checkoutId?: string) =>
      decideCheckoutState(await retrieveCheckout(id), checkoutId),
    readDisputes: bind('read disputes', readDisputes),
    listDisputes: bind('list disputes', listDisputes),
    /** A refund is made once, however often it is called. */
    refund: bind('refund', refund),
    /** All refunds of a payment, also those made elsewhere. */
    listRefunds: bind('list refunds', listRefunds),
    /** Returns the subscription with all its charges. */
    readSubscription: bind('read subscription', readSubscription),
    readProcessorFee: bind('read processor fee', readProcessorFee),
    /** Ends at the end of its period, or no longer does; an ended subscription stays as it is. */
    cancelAtPeriodEnd: bind('cancel at period end', cancelAtPeriodEnd),
    /** Cancels at once; an ended subscription stays as it is. */
    cancelSubscription: bind('cancel subscription', cancelSubscription),
    /** Later charges go to another account; an ended subscription stays as it is. */
    movePayouts: bind('move payouts', movePayouts),
    /** A page of the processor to change a subscription's card. */
    openCardUpdate: bind('open card update', openCardUpdate),
    /**
     * Returns null for a refused signature; throws MalformedEvent for signed bytes that are no event.
     */
    readEvent: (rawBody: Buffer, signature: string | undefined) =>
      readSignedEvent(rawBody, { signature, secret: config.webhookSecret }),
    /** A key opens one account, however often it is called. */
    createPayoutAccount: bind('create payout account', createPayoutAccount),
    readPayoutAccount: bind('read payout account', readPayoutAccount),
    readPayout: bind('read payout', readPayout),
    /** A payout of the pool is transferred once within a day, however often it is called. */
    createTransfer: bind('create transfer', createTransfer),
    /** The transfer of a payout of the pool, however old; null where none was made. */
    findTransfer: bind('find transfer', findTransfer),
    /** A page of the processor with its questions to the seller; works once. */
    openOnboarding: bind('open onboarding', openOnboarding),
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
) {
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

async function readPayoutAccount(stripe: Stripe, id: string) {
  return describeAccount(await stripe.accounts.retrieve(id));
}

function describeAccount(account: Stripe.Account) {
  expectObject(account, 'account');
  const canReceive = account.capabilities?.transfers === 'active';
  return {
    id: account.id,
    canCharge: account.charges_enabled && canReceive,
    isSubmitted: account.details_submitted,
  };
}

/** The seller lands at `refreshUrl` when the link has expired. */
type OnboardingInput = { account: string; returnUrl: string; refreshUrl: string };

async function openOnboarding(stripe: Stripe, input: OnboardingInput) {
  const link = await stripe.accountLinks.create({
    account: input.account,
    type: 'account_onboarding',
    return_url: input.returnUrl,
    refresh_url: input.refreshUrl,
  });
  expectObject(link, 'account_link');
  return { url: link.url };
}
