import test from 'ava';
import { arrivalOf, noticeOf } from '../../support/http/arrival.ts';
import { people, operator } from './scene.ts';
import { ask, auditOf, builderStatus, decide, page, purposes, VERIFICATION } from './verifying.ts';

const { api, mailsTo } = people;

test('a builder asks, an operator verifies, and the builder is told and may integrate', async (t) => {
  const registrant = await people.signedIn();
  const { person, browser } = registrant;
  const product = await api.seed.product({ owner: person });
  const clients = `/console/products/${product.slug}/clients`;
  t.is(await builderStatus(registrant), 'none');
  t.is(arrivalOf(await ask(registrant)), `${VERIFICATION} verification_asked`);
  t.is(await builderStatus(registrant), 'waiting');
  const waiting = await page(`?handle=${person.handle}`);
  t.true(waiting.includes(person.handle) && waiting.includes(person.email));
  t.regex(await (await browser.get(clients)).text(), /once you are a verified maker/i);
  const answer = await decide(person.id, 'verify', 'waiting');
  t.is(arrivalOf(answer), '/operator/builders?show=waiting builder_verified');
  t.is(await builderStatus(registrant), 'verified');
  t.deepEqual(await purposes(person.email), ['builder_verified']);
  t.true((await (await browser.get(clients)).text()).includes('Create client'));
  t.false((await page(`?handle=${person.handle}`)).includes(person.email));
  const verified = await page(`?show=verified&handle=${person.handle}`);
  t.regex(verified, new RegExp(`Revoke <span class="unseen">${person.handle}<`));
  const rows = await auditOf(person.id);
  t.deepEqual(
    rows.map(({ action, actor_id }) => [action, actor_id]),
    [
      ['builder.requested', person.id],
      ['builder.verified', operator.person.id],
    ],
  );
  for (const { ip } of rows) t.is(ip, '127.0.0.1');
});

test('a verification that is withdrawn stops what it allowed, at once', async (t) => {
  const person = await api.seed.person({ isBuilder: true });
  const builder = await people.signedIn(person);
  const product = await api.seed.product({ owner: person });
  await api.seed.payoutAccount(person, { account: `acct_${person.handle}` });
  const clients = `/console/products/${product.slug}/clients`;
  const newClient = (uri = 'https://a.example/cb') =>
    builder.browser.submit('/', {
      action: clients,
      fields: { kind: 'public', name: 'A', redirect_uris: uri },
    });
  const keys = `/console/products/${product.slug}/keys`;
  const newKey = async (mode: string) =>
    (await builder.browser.submit('/', { action: keys, fields: { mode, name: 'A' } })).status;
  const whereBuyLeads = async () =>
    (await api.request(`/buy/${product.slug}`)).headers.get('location');
  t.is((await newClient()).status, 303);
  t.is(await whereBuyLeads(), '/sign-in');
  t.is((await decide(person.id, 'withdraw')).status, 303);
  t.is((await newClient()).status, 422);
  t.is(await newKey('live'), 422);
  t.is((await newClient('http://localhost:3000/')).status, 303, 'as before the verification');
  t.is(await newKey('test'), 303);
  const endpoints = `/console/products/${product.slug}/endpoints`;
  const fields = { url: 'https://a.example/hook', events: 'purchase.completed' };
  const added = await builder.browser.submit('/', { action: endpoints, fields });
  t.is(added.status, 422);
  t.is(await whereBuyLeads(), `/p/${product.slug}?reason=no_commercial_operator`);
  t.deepEqual(await purposes(person.email), ['key_made', 'builder_withdrawn']);
  t.is(await builderStatus(builder), 'none', 'they may ask again');
  t.is(
    (
      await api.request(`/api/v1/entitlements?user_id=${person.id}`, {
        headers: { authorization: `Bearer ${product.liveKey}` },
      })
    ).status,
    200,
    'what was built keeps running',
  );
});

test('a request that is declined can be made again', async (t) => {
  const registrant = await people.signedIn();
  await ask(registrant);
  await decide(registrant.person.id, 'decline', 'person');
  t.is(await builderStatus(registrant), 'none');
  t.deepEqual(await purposes(registrant.person.email), ['builder_declined']);
  const declined = await (await registrant.browser.get(VERIFICATION)).text();
  t.regex(declined, /data-declined[\s\S]*No website\./);
  await ask(registrant);
  t.is(await builderStatus(registrant), 'waiting');
  t.notRegex(await (await registrant.browser.get(VERIFICATION)).text(), /data-declined/);
});

test('a request is declined with a reason of one line', async (t) => {
  const registrant = await people.signedIn();
  await ask(registrant);
  const { id, email } = registrant.person;
  for (const reason of ['', ' ', 'x'.repeat(501), 'a\0b']) {
    const answer = await operator.browser.submit('/operator', {
      action: `/operator/people/${id}/builder`,
      fields: { decision: 'decline', reason },
    });
    t.is(answer.status, 422);
    t.regex(await answer.text(), /id="reason-problem"/);
  }
  t.is(await builderStatus(registrant), 'waiting');
  t.deepEqual(await purposes(email), []);
});

test('asking twice is asking once', async (t) => {
  const registrant = await people.signedIn();
  await Promise.all([ask(registrant), ask(registrant), ask(registrant)]);
  t.is((await ask(registrant)).headers.get('location'), VERIFICATION);
  t.is((await auditOf(registrant.person.id)).length, 1);
});

test('whose address is not confirmed cannot ask, nor be verified', async (t) => {
  const registrant = await people.signedIn(await api.seed.person({ isEmailVerified: false }));
  t.is(await builderStatus(registrant), 'unconfirmed');
  const asked = await registrant.browser.submit('/', { action: VERIFICATION });
  t.is(asked.status, 403);
  t.regex(await asked.text(), /Confirm your email address/);
  t.is(noticeOf(await decide(registrant.person.id, 'verify')), 'unchanged');
  t.deepEqual(await auditOf(registrant.person.id), []);
  t.deepEqual(await mailsTo(registrant.person.email), []);
});

test('of several decisions at once one is made: one row, one mail', async (t) => {
  const registrant = await people.signedIn();
  await ask(registrant);
  const { id, email } = registrant.person;
  const answers = await Promise.all(['verify', 'verify', 'verify'].map((word) => decide(id, word)));
  const ends = answers.map(noticeOf);
  t.deepEqual(ends.toSorted(), ['builder_verified', 'unchanged', 'unchanged']);
  t.deepEqual(await purposes(email), ['builder_verified']);
  t.is((await auditOf(id)).length, 2);
});

test('a decision that is none, about nobody, or from nowhere is refused', async (t) => {
  const { id } = await api.seed.person();
  t.is((await decide(id, 'promote')).status, 400);
  t.is((await decide(id, 'verify', 'https://elsewhere.example')).status, 400);
  t.is((await decide('nobody', 'verify')).status, 404);
  t.is((await decide(crypto.randomUUID(), 'verify')).status, 404);
  t.deepEqual(await auditOf(id), []);
});

test('people are found by how their handle starts, page by page, each once', async (t) => {
  const handles = Array.from({ length: 103 }, (_, n) => `zoe_${String(n).padStart(3, '0')}`);
  await api.test.query(
    `insert into person (id, handle, display_name, email, builder_requested_at)
     select gen_random_uuid(), h, h, h || '@example.com', now() - random() * interval '1 day'
     from unnest($1::text[]) h`,
    [handles],
  );
  await api.seed.person({ handle: 'zoeyy' });
  for (const shown of ['everybody', 'waiting']) {
    const found: string[] = [];
    const list = shown === 'waiting' ? 'builders' : 'accounts';
    let path: string | undefined = `/operator/${list}?handle=ZOE_`;
    for (let pages = 0; path; pages += 1) {
      t.true(pages < 4);
      const text: string = await (await operator.browser.get(path)).text();
      found.push(...[...text.matchAll(/>(zoe\w+)<\/a>/g)].map(([, handle]) => handle!));
      path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    t.deepEqual(found.toSorted(), handles, shown);
  }
});

test('the underscore of a handle stands for itself', async (t) => {
  await api.seed.person({ handle: 'under_score' });
  await api.seed.person({ handle: 'underxscore' });
  const text = await (await operator.browser.get('/operator/accounts?handle=under_')).text();
  t.true(text.includes('under_score'));
  t.false(text.includes('underxscore'));
});

const BAD = ['?handle=%00', '?handle=a%25', '?handle=a&handle=b', '?after=x', '?after=%00'];

for (const query of BAD) {
  test(`${query} is a bad request`, async (t) => {
    t.is((await operator.browser.get(`/operator/builders${query}`)).status, 400);
  });
}

test('an unknown part of the makers, or an unknown span, is what is shown first', async (t) => {
  t.regex(await page('?show=everybody'), /show=waiting" aria-current="page"/);
  t.is((await operator.browser.get('/operator?days=30&currency=eur')).status, 200);
});

test('the page of a person shows what is theirs, also once they have gone', async (t) => {
  const { person, browser } = await people.signedIn();
  await browser.signIn(person);
  const product = await api.seed.product({ owner: person, name: '<i>Tilt</i>' });
  const path = `/operator/people/${person.id}`;
  const text = await (await operator.browser.get(path)).text();
  for (const part of [person.handle, person.email, person.id, product.slug, '&lt;i&gt;Tilt']) {
    t.true(text.includes(part), part);
  }
  t.regex(text, /data-sessions>1</);
  t.regex(text, /data-builder="none"/);
  t.is((await operator.browser.get(`/operator/people/${crypto.randomUUID()}`)).status, 404);
  t.is((await operator.browser.get('/operator/people/%00')).status, 404);
  await api.test.query('update person set deleted_at = now() where id = $1', [person.id]);
  const gone = await (await operator.browser.get(path)).text();
  t.regex(gone, /<dt>Deleted<\/dt>/);
  t.false(gone.includes('/builder"'));
});

test('mail addresses stand on pages of operators alone', async (t) => {
  const { person } = await people.signedIn(await api.seed.person({ isBuilder: true }));
  await api.seed.product({ owner: person, slug: 'no-address' });
  t.false((await (await api.request('/p/no-address')).text()).includes(person.email));
});
