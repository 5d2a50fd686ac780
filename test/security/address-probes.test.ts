import test from 'ava';
import { PASSWORD, startPeople } from '../support/identity/people.ts';
import { arrivalOf } from '../support/http/arrival.ts';

const people = await startPeople();
const { api } = people;
test.after.always(() => api.close());

const SECURITY = '/settings/security';

let lastNumber = 0;
const newHandle = () => `prober_${(lastNumber += 1)}`;

/** An address that has an account, and one that has none. */
async function bothAddresses() {
  const person = await api.seed.person();
  return { known: person.email, unknown: people.newEmail() };
}

/** What somebody sees who does the same with both. */
async function seenWith<Seen>(probe: (email: string) => Promise<Seen>) {
  const { known, unknown } = await bothAddresses();
  return { known: await probe(known), unknown: await probe(unknown) };
}

test.serial('a sign-up in between opens no new counter of wrong passwords', async (t) => {
  const { known, unknown } = await seenWith(async (email) => {
    const attempt = async () => (await api.browser().signIn({ email, password: 'wrong' })).status;
    const statuses: number[] = [];
    for (let time = 0; time < 11; time += 1) statuses.push(await attempt());
    await people.signUp({ email, handle: newHandle() });
    statuses.push(await attempt());
    // From one address so many fail in a quarter of an hour.
    await api.test.advance(16 * 60_000);
    return statuses;
  });
  t.deepEqual(known.slice(-2), [429, 429]);
  t.deepEqual(unknown, known);
});

test('the mail to the old address does not tell whether the new one is free', async (t) => {
  const { known, unknown } = await seenWith(async (email) => {
    const { browser, person } = await people.signedIn();
    const fields = { email, password: person.password };
    await browser.submit(SECURITY, { action: `${SECURITY}/email`, fields });
    const stop = await people.linkTo(person.email, 'email_change_asked');
    const page = await (await api.browser().get(stop)).text();
    const stopped = await people.follow(api.browser(), stop);
    const again = await people.follow(api.browser(), stop);
    const isAsked = page.includes('Stop the email change?');
    return { isAsked, leadsTo: arrivalOf(stopped), again: again.status };
  });
  t.deepEqual(unknown, known);
  t.like(unknown, { isAsked: true, leadsTo: '/sign-in email_change_stopped', again: 404 });
});

test('nobody is granted anything before the address is confirmed', async (t) => {
  const owner = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product({ owner });
  const { browser } = await people.signedIn(owner);
  const path = `/console/products/${product.slug}/grants`;
  const grant = async (person: string) => {
    const fields = { person, starts_at: '', ends_at: '' };
    return (await browser.submit(path, { action: path, fields })).status;
  };
  const { known, unknown } = await seenWith(async (email) => {
    const handle = newHandle();
    const signedUp = await people.signUp({ email, handle, password: PASSWORD });
    return { handle, browser: signedUp.browser, email, status: await grant(handle) };
  });
  t.is(known.status, 422);
  t.is(unknown.status, 422);
  await people.follow(unknown.browser, await people.linkTo(unknown.email, 'verify_email'));
  t.is(await grant(unknown.handle), 303);
});
