import test from 'ava';
import { composeChargeReceipt, composeReceipt } from '../../activities/mail/receipt-text.ts';

const to = { name: 'Bob', baseUrl: 'https://g.example', isSimulated: false };
const facts = {
  productName: 'Paper Trail',
  sellerName: 'Ada',
  grossMinor: 1_900,
  currency: 'USD',
  issuedAt: new Date('2026-11-26T08:30:00Z'),
  websiteUrl: 'https://paper.example/app',
  signInUrl: null,
};
const once = { ...facts, purchaseId: 'pay_1', billingInterval: null, periodEnd: null };
const period = {
  ...facts,
  paymentId: 'ch_1',
  subscriptionId: 'sub_1',
  periodStart: new Date('2026-11-26T08:30:00Z'),
  periodEnd: new Date('2026-12-26T08:30:00Z'),
  status: 'succeeded' as const,
  isTakenBack: false,
};

const linksIn = (text: string) => text.match(/https?:\S+/g);

test('the receipt of a purchase leads to the product and to itself', (t) => {
  const { text, html } = composeReceipt(once, to);
  t.regex(text, /Paper Trail is yours/);
  t.regex(text, /19\.00 USD, on 26 Nov 2026, 08:30 UTC/);
  t.deepEqual(linksIn(text), [
    'https://paper.example/app',
    'https://g.example/purchases/pay_1/receipt',
  ]);
  t.regex(html, /Open Paper Trail/);
});

test('the first receipt of a subscription says that it renews, when, and for how much', (t) => {
  const { text } = composeReceipt(
    { ...once, billingInterval: 'month', periodEnd: period.periodEnd },
    to,
  );
  t.regex(text, /subscription to Paper Trail has started/);
  t.regex(text, /renews every month for 19\.00 USD, next on 26 Dec 2026, until you cancel/);
  t.notRegex(text, /is yours/);
});

test('the receipt of a renewal leads to the product, that of Member to the library', (t) => {
  const renewed = composeChargeReceipt(period, to);
  t.deepEqual(linksIn(renewed.text), [
    'https://paper.example/app',
    'https://g.example/receipts/ch_1',
  ]);
  const signIn = { ...period, signInUrl: 'https://paper.example/login' };
  t.deepEqual(linksIn(composeChargeReceipt(signIn, to).text)?.[0], signIn.signInUrl);
  const nowhere = composeChargeReceipt({ ...period, websiteUrl: null }, to);
  t.deepEqual(linksIn(nowhere.text), ['https://g.example/receipts/ch_1']);
  const member = composeChargeReceipt(
    { ...period, subscriptionId: null, productName: 'Member', websiteUrl: null },
    to,
  );
  t.deepEqual(linksIn(member.text), [
    'https://g.example/library',
    'https://g.example/receipts/ch_1',
  ]);
  t.regex(member.text, /Open your library/);
});
