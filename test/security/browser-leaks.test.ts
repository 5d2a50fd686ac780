import test from 'ava';
import { startPeople } from '../support/identity/people.ts';

const people = await startPeople();
const { api } = people;
test.after.always(() => api.close());

test('no page may use the camera, the microphone or the place of its reader', async (t) => {
  for (const path of ['/', '/sign-in', '/nowhere']) {
    const policy = (await api.request(path)).headers.get('permissions-policy')!;
    for (const feature of ['camera', 'microphone', 'geolocation']) {
      t.true(policy.includes(`${feature}=()`), `${path} ${feature}`);
    }
    t.true(policy.includes('publickey-credentials-get=(self)'), path);
  }
});

test('a browser that somebody signed out of keeps none of their pages', async (t) => {
  for (const [page, action] of [
    ['/settings/security', '/sign-out'],
    ['/settings/security', '/settings/security/sign-out-everywhere'],
  ] as const) {
    const { browser } = await people.signedIn();
    const answer = await browser.submit(page, { action });
    t.is(answer.status, 303, action);
    t.is(answer.headers.get('clear-site-data'), '"cache", "storage"', action);
  }
});

test('a page that only names our host in its requests submits no form of ours', async (t) => {
  const secure = await people.signedIn();
  const submit = (origin: string, host?: string) =>
    secure.browser.submit('/settings/profile', {
      action: '/settings/profile',
      fields: { handle: `h_${origin.length}`, display_name: 'Somebody' },
      headers: { origin, ...(host === undefined ? {} : { host }) },
    });
  t.is((await submit('https://evil.example', 'evil.example')).status, 403);
  t.is((await submit('http://localhost:1')).status, 403);
  t.not((await submit(api.url)).status, 403);
});
