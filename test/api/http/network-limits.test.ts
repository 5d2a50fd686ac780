// Anonymous requests and wrong credentials count for the IPv6 networks around an address too.
import test from 'ava';
import { newCredential } from '../../../domain/shared/ids.ts';
import { startApi } from '../../support/http/api.ts';
import { authorizePath } from '../../support/identity/oauth.ts';

const USER = '00000000-0000-0000-0000-000000000000';
/** So few of each that a network of 48 bits is soon at its limit. */
const few = await startApi({
  limits: {
    unknown_credential: 2,
    buy: 2,
    sign_in: 2,
    authorize: 2,
    badge: 2,
    sign_up: 2,
    mail_request: 2,
    token: 2,
    client_unproven: 2,
    pre_session: 2,
  },
  config: { isProxyTrusted: true },
});
const fewClient = await few.seed.client({ product: await few.seed.product() });
test.after.always(() => few.close());

/** Away from the boundary, where a test's requests would fall into two windows. */
async function startWindow() {
  const [row] = await few.test.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await few.test.advance((row!.left + 1) * 1_000);
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const wrongToken = { grant_type: 'authorization_code', code: 'x', client_id: fewClient.clientId };

/** What anybody can make us write, and credentials that are wrong. */
const ANONYMOUS: Record<string, [path: string, init?: RequestInit]> = {
  'buy links': ['/buy/unknown'],
  'sign-in requests of apps': ['/oauth/authorize'],
  // Past the limit a badge that was asked for already still says what is known.
  badges: ['/p/unknown-:n/badge'],
  'sign-ins': ['/sign-in', { method: 'POST' }],
  'sign-ups': ['/sign-up', { method: 'POST' }],
  'requests for mails': ['/forgot-password', { method: 'POST' }],
  'pages that need a sign-in': ['/settings/profile'],
  'unknown keys': [
    `/api/v1/entitlements?user_id=${USER}`,
    { headers: { authorization: `Bearer ${newCredential('gk_live_')}` } },
  ],
  'token requests of unknown clients': [
    '/api/oauth/token',
    { method: 'POST', headers: form, body: 'client_id=nobody' },
  ],
  'token requests with a wrong secret': [
    '/api/oauth/token',
    {
      method: 'POST',
      headers: form,
      body: new URLSearchParams({ ...wrongToken, client_secret: 'wrong' }).toString(),
    },
  ],
};

for (const [index, [what, [path, init = {}]]] of Object.entries(ANONYMOUS).entries()) {
  test.serial(
    `${what}: an IPv6 network of 56 bits has 4 times the limit, one of 48 bits 16 times`,
    async (t) => {
      await startWindow();
      const over: number[] = [];
      const ask = async (network: number, site: number) => {
        const group = (network * 0x100 + site).toString(16);
        const address = `2001:db8:${(0x100 + index).toString(16)}:${group}::1`;
        const headers = { ...(init.headers as object), 'x-forwarded-for': address };
        const asked = path.replace(':n', `${network}-${over.length}`);
        return (await few.request(asked, { ...init, headers })).status;
      };
      for (let network = 0; network < 4; network += 1) {
        for (let site = 0; site < 4; site += 1) {
          for (const _ of [1, 2]) over.push(await ask(network, site));
        }
        if (network === 0) t.is(await ask(network, 99), 429, 'of 56 bits');
      }
      t.false(over.includes(429));
      t.is(await ask(9, 0), 429, 'of 48 bits');
      const headers = { ...(init.headers as object), 'x-forwarded-for': '2001:db8:ffff::1' };
      t.not((await few.request(path, { ...init, headers })).status, 429);
    },
  );
}

test.serial(
  'one network of 64 bits that is over its limit leaves its neighbours theirs',
  async (t) => {
    await startWindow();
    const ask = async (site: number) => {
      const headers = { 'x-forwarded-for': `2001:db8:200:${site}::1` };
      return (await few.request('/buy/unknown', { headers })).status;
    };
    for (let time = 0; time < 40; time += 1) await ask(1);
    t.is(await ask(1), 429);
    t.not(await ask(2), 429);
  },
);

test.serial(
  'where people go after sign-in is kept for each network within its limit',
  async (t) => {
    await startWindow();
    const keeps = async (site: number) => {
      const headers = { 'x-forwarded-for': `2001:db8:300:${site}::1` };
      const response = await few.request(authorizePath(fewClient), { headers });
      return response.headers.getSetCookie().some((cookie) => cookie.includes('pre_session'));
    };
    await few.test.query(
      `insert into rate_window (bucket, minute, n, slot)
     select 'pre_session:2001:db8:300:0::/56', minute, 8, minute % 3
     from floor(extract(epoch from gatehouse_now()) / 60) minute`,
    );
    t.false(await keeps(1));
    t.true(await keeps(0x100));
  },
);
