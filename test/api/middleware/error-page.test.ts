import test from 'ava';
import { startApi } from '../../support/http/api.ts';

const api = await startApi({ limits: { sign_in: 1_000, address_failures: 1_000 } });
const narrow = await startApi({ limits: { pages: 5 } });
const person = await api.seed.person();
const browser = api.browser();
await browser.signIn(person);
test.after.always(() => Promise.all([api.close(), narrow.close()]));

test.serial('an error page keeps the navigation of a signed-in person', async (t) => {
  for (const path of ['/nowhere', '/p/never-was', '/console/products/never-was', '/operator']) {
    const response = await browser.get(path);
    t.is(response.status, 404, path);
    const text = await response.text();
    t.regex(text, /href="\/library"/, path);
    t.regex(text, /action="\/sign-out"/, path);
    t.regex(text, /href="\/console">Console/, path);
  }
  const anonymous = await (await api.request('/nowhere')).text();
  t.regex(anonymous, /href="\/sign-in"/);
  t.notRegex(anonymous, /href="\/library"/);
});

test.serial('too many pages say how long to wait, and read no session for it', async (t) => {
  const visitor = narrow.browser();
  await visitor.signIn(await narrow.seed.person());
  let last: Response;
  do {
    last = await visitor.get('/library');
  } while (last.status !== 429);
  const seconds = last.headers.get('retry-after')!;
  t.regex(await last.text(), new RegExp(`Try again in ${seconds} seconds?\\.`));
  const unknown = await visitor.get('/nowhere');
  t.is(unknown.status, 404);
  t.notRegex(await unknown.text(), /href="\/library"/);
});

test.serial('a lock of the sign-in says how long it holds', async (t) => {
  const one = await api.seed.person();
  let answer: Response;
  do {
    answer = await api.browser().signIn({ email: one.email, password: 'wrong' });
  } while (answer.status !== 429);
  t.regex(await answer.text(), /Too many attempts\. Try again in 15 minutes\./);
});
