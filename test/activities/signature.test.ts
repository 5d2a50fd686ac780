import Stripe from 'stripe';
import test from 'ava';
import { startEndpoints } from '../support/webhooks/endpoints.ts';
import { startReceiver } from '../support/webhooks/receiver.ts';

const endpoints = await startEndpoints();
const sending = endpoints.startSending();
test.after.always(async () => {
  await sending.stop();
  await endpoints.api.close();
});

const { webhooks } = new Stripe('sk_test_of_nobody');
const TOLERANCE_S = 300;

/** A real delivery as it arrived, and the moment that its signature names. */
async function receive() {
  const { path } = await endpoints.newProduct();
  const receiver = await startReceiver();
  const made = await endpoints.add(path, { url: receiver.url });
  await endpoints.press(`${made.path}/test`);
  sending.wake();
  await endpoints.untilSent(made.endpointId);
  await receiver.close();
  const { rawBody, headers } = receiver.hits[0]!;
  const header = String(headers['service-signature']);
  const atMs = Number(/^t=(\d+),/.exec(header)![1]) * 1_000;
  return { body: rawBody, header, secret: made.secret, atMs };
}

test("Stripe's own verifier accepts our signature, with the header's name changed", async (t) => {
  const { body, header, secret, atMs } = await receive();
  const verify = (
    given: { body?: Buffer; header?: string; secret?: string },
    receivedAtMs = atMs + 1_000,
  ) =>
    webhooks.constructEvent(
      given.body ?? body,
      given.header ?? header,
      given.secret ?? secret,
      TOLERANCE_S,
      undefined,
      receivedAtMs,
    );
  t.like(verify({}), JSON.parse(body.toString()));
  for (const at of [0, Math.floor(body.length / 2), body.length - 1]) {
    const changed = Buffer.from(body);
    changed[at]! ^= 1;
    t.throws(() => verify({ body: changed }), { message: /No signatures found/ });
  }
  const digit = header.at(-1) === '0' ? '1' : '0';
  t.throws(() => verify({ header: header.slice(0, -1) + digit }), { message: /No signatures/ });
  t.throws(() => verify({ secret: secret.replace('whsec_', '') }), { message: /No signatures/ });
  t.notThrows(() => verify({}, atMs + TOLERANCE_S * 1_000));
  t.throws(() => verify({}, atMs + (TOLERANCE_S + 1) * 1_000), { message: /tolerance/ });
  const ahead = header.replace(/t=\d+/, `t=${atMs / 1_000 + 1}`);
  t.throws(() => verify({ header: ahead }), { message: /No signatures/ }, 'the time is signed too');
  // Why the documentation has integrators look in both directions themselves.
  t.notThrows(() => verify({}, atMs - (TOLERANCE_S + 1) * 1_000));
});
