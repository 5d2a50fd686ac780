import test from 'ava';
import { startApi } from '../../support/http/api.ts';
import {
  authorizePath,
  decide,
  exchange,
  parametersOf,
  readProfile,
} from '../../support/identity/oauth.ts';

const api = await startApi();
test.after.always(() => api.close());

test('a person signs in to an app: authorize, sign-in, consent, token, profile', async (t) => {
  const product = await api.seed.product();
  const client = await api.seed.client({ product });
  const person = await api.seed.person();
  const browser = api.browser();
  const path = authorizePath(client, { state: 'st at&e=%+é' });
  const sent = await browser.get(path);
  t.is(sent.status, 303);
  t.is(sent.headers.get('location'), '/sign-in');
  const signedIn = await browser.signIn(person);
  t.is(signedIn.headers.get('location'), path, 'the identical request');
  const allowed = await decide(browser, path);
  t.is(allowed.status, 303);
  const { code, ...rest } = parametersOf(allowed);
  t.deepEqual(rest, { state: 'st at&e=%+é' });
  const response = await exchange(api, { client, code: code! });
  t.is(response.status, 200);
  const token = (await response.json()) as Record<string, string>;
  t.like(token, {
    token_type: 'Bearer',
    expires_in: 2_592_000 as never,
    scope: 'identity entitlements',
  });
  const profile = await readProfile(api, token['access_token']!);
  t.is(profile.status, 200);
  t.deepEqual(await profile.json(), {
    id: person.id,
    handle: person.handle,
    display_name: `Person ${person.handle}`,
    image: `${api.url}/people/${person.id}/avatar.svg`,
    entitlement: { product_id: product.id, active: false, type: null, source: null, ends_at: null },
  });
});
