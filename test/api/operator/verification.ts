import test from 'ava';
import { people, operator } from './scene.ts';
import {
  ANSWERS,
  ask,
  auditOf,
  builderStatus,
  decide,
  page,
  purposes,
  VERIFICATION,
} from './verifying.ts';

const { api, mailsTo } = people;

const answersOf = (personId: string) =>
  api.test.query(`select sells, place, contact from verification_request where person_id = $1`, [
    personId,
  ]);
const requestMails = async (email: string) =>
  (await purposes(email)).filter((purpose) => purpose === 'verification_requested').length;

test('the page says who is verified and the usual time, and an operator reads the answers', async (t) => {
  const registrant = await people.signedIn();
  const { person } = registrant;
  const form = await (await registrant.browser.get(VERIFICATION)).text();
  t.regex(form, /We usually decide within two working days[\s\S]*Who is verified/);
  t.deepEqual(
    ['sells', 'place', 'contact'].filter((name) => form.includes(`name="${name}"`)),
    ['sells', 'place', 'contact'],
  );
  await ask(registrant);
  const waiting = await (await registrant.browser.get(VERIFICATION)).text();
  t.regex(waiting, /We usually decide within two working days/);
  const pages = [await page(`?handle=${person.handle}`)];
  pages.push(await (await operator.browser.get(`/operator/people/${person.id}`)).text());
  await api.test.query(`update person set builder_requested_at = '2020-01-01' where id = $1`, [
    person.id,
  ]);
  pages.push(await page(''));
  for (const text of pages) {
    t.true(text.includes('For trains.') && text.includes(ANSWERS.place));
    t.true(text.includes(ANSWERS.contact));
  }
});

test('the page asks a verified builder for nothing', async (t) => {
  const { browser } = await people.signedIn(await api.seed.person({ isBuilder: true }));
  const text = await (await browser.get(VERIFICATION)).text();
  t.regex(text, /You are a verified maker/);
  t.notRegex(text, /Verify your account|Request verification/);
});

const WRONG: [name: string, typed: string, sentence: RegExp][] = [
  ['sells', ' \n ', /^Fill this in\.$/],
  ['sells', 'x'.repeat(501), /^Use at most 500 characters\.$/],
  ['sells', 'a\u202eb', /^Leave out characters/],
  ['place', '', /^Fill this in\.$/],
  ['place', 'x'.repeat(301), /^Use at most 300 characters\.$/],
  ['place', 'a\0b', /^Leave out characters/],
  ['contact', '', /^Fill this in\.$/],
  ['contact', 'x'.repeat(201), /^Use at most 200 characters\.$/],
];

for (const [name, typed, sentence] of WRONG) {
  test(`an answer is refused in place: ${name} ${JSON.stringify(typed.slice(0, 8))}`, async (t) => {
    const registrant = await people.signedIn();
    const refused = await ask(registrant, { [name]: typed });
    t.is(refused.status, 422);
    const text = await refused.text();
    const [, said = ''] = new RegExp(`id="${name}-problem"[^>]*>([^<]*)`).exec(text) ?? [];
    t.regex(said, sentence);
    t.is([...text.matchAll(/-problem"[^>]*role="alert"/g)].length, 1);
    for (const [other, answer] of Object.entries(ANSWERS)) {
      if (other !== name) t.true(text.includes(answer), `${other} stays`);
    }
    if (typed.length > 100) t.true(text.includes(typed), 'what was typed stays');
    t.is(await builderStatus(registrant), 'none');
    t.deepEqual(await answersOf(registrant.person.id), []);
    t.deepEqual(await auditOf(registrant.person.id), []);
  });
}

test.serial('every operator gets a mail of a request, once, without the answers', async (t) => {
  const second = await api.seed.person({ isOperator: true });
  const registrant = await people.signedIn();
  const before = await requestMails(second.email);
  await Promise.all([ask(registrant), ask(registrant), ask(registrant)]);
  t.is((await requestMails(second.email)) - before, 1);
  t.true((await requestMails(operator.person.email)) > 0);
  const rows = JSON.stringify(await mailsTo(second.email));
  t.false(rows.includes('trains') || rows.includes(ANSWERS.contact));
});

test('answers are replaced by those of a later request, and go with the account', async (t) => {
  const registrant = await people.signedIn();
  const { id, password } = registrant.person;
  await ask(registrant);
  await decide(id, 'decline', 'person');
  const again = await (await registrant.browser.get(VERIFICATION)).text();
  t.true(again.includes('For trains.'), 'the last answers are there to be changed');
  await ask(registrant, { place: 'https://later.example' });
  t.deepEqual(await answersOf(id), [{ ...ANSWERS, place: 'https://later.example' }]);
  const deleted = await registrant.browser.submit('/settings/profile', {
    action: '/settings/delete-account',
    fields: { password },
  });
  t.is(deleted.status, 303);
  t.deepEqual(await answersOf(id), []);
});
