// `npm run test:stripe`: what we ask of Stripe, against its published API: `stripe-mock` refuses whatever that does
// not know. It is a program in Go, so this runs where Go is; its answers are samples, so only refusals are judged.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessor, type Processor } from '../../clients/processor/processor.ts';
import { type OpenCheckoutInput } from '../../clients/processor/checkout.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { waitUntil } from '../../dev/process/run.ts';

const MODULE = 'github.com/stripe/stripe-mock@v0.203.0';
const START_MS = 10_000;

const once: OpenCheckoutInput = {
  checkoutId: '01a2018a-d74e-733b-bdef-afc1fa6b261d',
  purchaseId: 'pay_01M80RNNTESN749KY99R2P79QS',
  productName: 'Paper Trail',
  amountMinor: 1_900,
  currency: 'USD',
  customerEmail: 'buyer@example.com',
  payoutAccount: 'acct_123',
  applicationFeeMinor: 190,
  applicationFeeBasisPoints: 1_000,
  recurring: null,
  successUrl: 'https://gatehouse.example/done',
  cancelUrl: 'https://gatehouse.example/',
};
const member = {
  ...once,
  purchaseId: undefined,
  membershipId: once.checkoutId,
  payoutAccount: null,
  recurring: { interval: 'year' },
} as const;
const refund = { refundId: 're_1', paymentIntentId: 'pi_123', amountMinor: 100, currency: 'USD' };
const purchaseId = once.purchaseId;
const page = 'https://gatehouse.example/';
const subscription = { subscriptionId: 'sub_123', key: 'k1' };

const CALLS: Record<string, (processor: Processor) => Promise<unknown>> = {
  'a checkout, paid once': (p) => p.openCheckout(once),
  'a checkout in a currency without decimals': (p) => p.openCheckout({ ...once, currency: 'JPY' }),
  'a checkout by the month': (p) => p.openCheckout({ ...once, recurring: { interval: 'month' } }),
  'a checkout of Member': (p) => p.openCheckout(member),
  'the end of a checkout': (p) => p.expireCheckout('cs_123'),
  'a reading of a checkout': (p) => p.readCheckout('cs_123'),
  'the disputes of a payment': (p) => p.readDisputes('pi_123'),
  'the disputes of a span': (p) => p.listDisputes({ from: new Date(0), to: new Date() }),
  'a refund': (p) => p.refund({ ...refund, purchaseId, reason: 'duplicate' }),
  'the refunds of a payment': (p) => p.listRefunds('pi_123'),
  'a reading of a subscription': (p) => p.readSubscription('sub_123'),
  "the processor's fee of a charge": (p) => p.readProcessorFee('pi_123'),
  'a cancellation at the end': (p) => p.cancelAtPeriodEnd({ ...subscription, isCancel: true }),
  'a cancellation at once': (p) => p.cancelSubscription({ ...subscription, key: 'k2' }),
  'a page for another card': (p) => p.openCardUpdate({ ...subscription, returnUrl: page }),
  'a payout account': (p) => p.createPayoutAccount({ email: 'seller@example.com', key: 'k3' }),
  'a reading of a payout account': (p) => p.readPayoutAccount('acct_123'),
  'a reading of a payout': (p) => p.readPayout({ account: 'acct_123', payoutId: 'po_123' }),
  'an onboarding': (p) => {
    return p.openOnboarding({ account: 'acct_123', returnUrl: page, refreshUrl: page });
  },
};

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stripe-'));
const { port, tlsPort } = await resolvePorts({ port: 0, tlsPort: 0 });
const apiUrl = `http://127.0.0.1:${port}`;

const installed = spawnSync('go', ['install', MODULE], {
  env: { ...process.env, GOBIN: folder },
  stdio: 'inherit',
});
if (installed.status !== 0) {
  console.error('stripe-mock could not be installed: this test needs Go.');
  process.exit(1);
}
const mock = spawn(
  join(folder, 'stripe-mock'),
  ['-http-port', String(port), '-https-port', String(tlsPort)],
  { stdio: 'ignore' },
);
process.on('exit', () => {
  mock.kill();
  rmSync(folder, { recursive: true, force: true });
});

const isListening = () =>
  fetch(apiUrl).then(
    () => true,
    () => false,
  );
await waitUntil(isListening, { what: 'The start of stripe-mock', timeoutMs: START_MS });
const processor = createProcessor({
  kind: 'stripe',
  apiUrl,
  secretKey: 'sk_test_123',
  webhookSecret: 'whsec_123',
});
let failed = 0;
for (const [what, call] of Object.entries(CALLS)) {
  const error = await call(processor).then(
    () => null,
    (thrown: Error) => thrown,
  );
  // A sample is no checkout of ours: what is not understood was allowed to be asked.
  const isRefused = error !== null && error.name !== 'UnknownProcessorState';
  if (isRefused) failed += 1;
  console.log(`  ${isRefused ? '✘' : '✔'} ${what}${isRefused ? `: ${error.message}` : ''}`);
}
console.log(`${Object.keys(CALLS).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
