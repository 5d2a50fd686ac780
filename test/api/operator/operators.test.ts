import test from 'ava';
import { ROUTES } from '../../../api/routes.ts';
import { foundTeam } from '../../../domain/teams/team.repository.ts';
import { startPeople } from '../../support/identity/people.ts';

const people = await startPeople();
const { api } = people;
const operator = await people.signedIn(await api.seed.person({ isOperator: true }));
const builder = await people.signedIn(await api.seed.person({ isBuilder: true }));
const teamOwner = await people.signedIn(await api.seed.person({ isBuilder: true }));
const somebody = await people.signedIn();
await api.seed.product({ owner: builder.person });
await api.database.transaction((em) =>
  foundTeam(em, { name: 'Band', ownerId: teamOwner.person.id }),
);
test.after.always(() => api.close());

const routes = ROUTES.filter(({ path }) => path === '/operator' || path.startsWith('/operator/'));
const others = { builder, 'team owner': teamOwner, 'signed-in person': somebody };
const filled = (path: string) => path.replaceAll(/:\w+/g, somebody.person.id);

test('there are pages for operators, and each asks for one', (t) => {
  t.true(routes.length >= 8);
  for (const { path, credential } of routes) t.is(credential, 'operator', path);
});

for (const { method, path } of routes) {
  for (const [who, { browser }] of Object.entries(others)) {
    test(`${method} ${path} does not exist for a ${who}`, async (t) => {
      const elsewhere = await browser.get('/operator/no-such-page');
      t.is(elsewhere.status, 404);
      if (method === 'GET') {
        const response = await browser.get(filled(path));
        t.is(response.status, 404);
        t.regex(await response.text(), /There is nothing here/);
        return;
      }
      // Before the form's token and what it holds are looked at.
      for (const fields of [{}, { csrf: 'x' }, { action: '\0' }] as Record<string, string>[]) {
        const response = await browser.submit('/', { action: filled(path), fields });
        t.is(response.status, 404);
      }
    });
  }

  if (method !== 'POST') continue;
  test(`${method} ${path} from elsewhere or without its token is refused`, async (t) => {
    const send = (fields = {}, headers = {}) =>
      operator.browser.submit('/', { action: filled(path), fields, headers });
    t.is((await send({ csrf: 'x' })).status, 403);
    t.is((await send({}, { origin: 'https://elsewhere.example' })).status, 403);
    t.is((await send({}, { 'sec-fetch-site': 'cross-site' })).status, 403);
  });
}

test('nobody is signed in: to sign-in and back', async (t) => {
  const browser = api.browser();
  const { location } = Object.fromEntries((await browser.get('/operator/audit')).headers);
  t.is(location, '/sign-in');
  const back = await browser.signIn(operator.person);
  t.is(back.headers.get('location'), '/operator/audit');
});

test('only operators are shown the way', async (t) => {
  t.true((await (await operator.browser.get('/')).text()).includes('href="/operator"'));
  t.false((await (await builder.browser.get('/')).text()).includes('href="/operator"'));
});

test('who is no operator any more is out with the next request', async (t) => {
  const { browser, person } = await people.signedIn(await api.seed.person({ isOperator: true }));
  t.is((await browser.get('/operator')).status, 200);
  await api.test.query('update person set is_operator = false where id = $1', [person.id]);
  t.is((await browser.get('/operator')).status, 404);
});

test('the overview counts and leads on', async (t) => {
  const page = await (await operator.browser.get('/operator')).text();
  t.regex(
    page,
    /<strong class="figure">\d+<\/strong>\s*<a href="\/operator\/builders\?show=verified"/,
  );
  for (const path of ['/operator/builders?show=waiting', '/operator/clients', '/operator/audit']) {
    t.true(page.includes(`href="${path}"`), path);
    t.is((await operator.browser.get(path)).status, 200);
  }
});
