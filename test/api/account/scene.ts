import test from 'ava';
import { startApi } from '../../support/http/api.ts';
import { startPeople } from '../../support/identity/people.ts';

export const people = await startPeople({
  config: { isProxyTrusted: true },
  limits: { token: 100_000, authorize: 100_000 },
});

export type Person = Awaited<ReturnType<typeof people.signedIn>>;

export const isSignedIn = async ({ browser }: Pick<Person, 'browser'>) =>
  (await browser.get('/library')).status === 200;

export const person = await people.api.seed.person();
/** Behind https. */
export const secure = await startApi({ config: { baseUrl: 'https://gatehouse.example' } });
test.after.always(() => Promise.all([people.api.close(), secure.close()]));
