import test from 'ava';
import { z } from 'zod';
import { ROUTES } from '../../api/routes.ts';
import type { Route } from '../../api/http/route.ts';
import { validatePassword } from '../../domain/identity/new-password.ts';
import { isPasswordRight } from '../../domain/identity/password.ts';
import { validateLine } from '../../domain/shared/text.ts';
import { normaliseCampaign } from '../../domain/billing/checkout/attribution.ts';
import { LIMITS } from '../../api/http/limits.ts';
import { startPeople } from '../support/identity/people.ts';
import { textFieldsOf, type TextField } from '../support/http/route-fields.ts';
import { combiningMarks, watchText } from '../support/http/watch-text.ts';

const MARKS = combiningMarks(62_000);
/** As many as fit into a request line. */
const FEW_MARKS = combiningMarks(4_000);

const limits = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 100_000]));
const { api } = await startPeople({ limits });
const owner = await api.seed.person({ isBuilder: true });
const product = await api.seed.product({ owner });
const browsers = {
  person: api.browser(),
  operator: api.browser(),
  stranger: api.browser(),
};
await browsers.person.signIn(owner);
await browsers.operator.signIn(await api.seed.person({ isOperator: true }));
const tokens = {
  person: await formToken(browsers.person),
  operator: await formToken(browsers.operator),
  stranger: await formToken(browsers.stranger),
};

test.after.always(() => api.close());

async function formToken(browser: ReturnType<typeof api.browser>): Promise<string> {
  const page = await (await browser.get('/forgot-password')).text();
  return /name="csrf" value="([^"]*)"/.exec(page)![1]!;
}

function callerOf({ credential }: Route): keyof typeof browsers {
  if (credential === 'session') return 'person';
  return credential === 'operator' ? 'operator' : 'stranger';
}

function fill({ route, where, name }: TextField): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_, part: string) => {
    if (where === 'params' && part === name) return encodeURIComponent(FEW_MARKS);
    return part === 'ref' ? product.slug : '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
  });
  return where === 'query' ? `${path}?${name}=${encodeURIComponent(FEW_MARKS)}` : path;
}

async function attack(field: TextField): Promise<number> {
  const { route, where, name, others } = field;
  const caller = callerOf(route);
  const headers = new Headers({ origin: api.url });
  const { cookies } = browsers[caller];
  headers.set('cookie', [...cookies].map(([key, value]) => `${key}=${value}`).join('; '));
  if (route.credential.startsWith('key')) headers.set('authorization', `Bearer ${product.liveKey}`);
  const { body: asked } = route.input;
  const isJson = asked?.kind === 'json';
  headers.set('content-type', isJson ? 'application/json' : 'application/x-www-form-urlencoded');
  const given = where === 'body' ? { ...others, [name]: MARKS } : {};
  const pairs = Object.entries({ csrf: tokens[caller], ...given });
  const form = pairs.map(([key, value]) => `${key}=${value}`).join('&');
  const body = route.method === 'GET' ? {} : { body: isJson ? JSON.stringify(given) : form };
  const response = await api.request(fill(field), { method: route.method, headers, ...body });
  return response.status;
}

const isFile = ({ route: { input }, name }: TextField) =>
  input.body?.kind === 'upload' &&
  (input.body.shape as z.ZodObject).shape[name] instanceof z.ZodCustom;
const fields = ROUTES.flatMap(textFieldsOf).filter((field) => !isFile(field));

test('every field that takes text says how long it may be', (t) => {
  t.true(fields.length > 100, String(fields.length));
  const open = fields.filter(({ longest }) => longest === Infinity);
  t.deepEqual(
    open.map(({ route, name }) => `${route.method} ${route.path}: ${name}`),
    [],
  );
});

test.serial('64 KiB of combining marks in any field keep nobody busy', async (t) => {
  const busy: string[] = [];
  for (const field of fields) {
    const { route, where, name, longest } = field;
    const what = `${route.method} ${route.path}: ${name}`;
    let status = 0;
    const lengths = await watchText(async () => {
      status = await attack(field);
    });
    const most = Math.max(0, ...lengths);
    if (most > longest) busy.push(`${what}: ${most} characters were looked at`);
    const isRefused = status >= 400 && status < 500;
    if (where === 'body' ? !isRefused : status >= 500) busy.push(`${what}: ${status}`);
  }
  t.deepEqual(busy, []);
});

test.serial(
  'what is far too long is neither a name nor a password, and is not normalised',
  async (t) => {
    const lengths = await watchText(async () => {
      t.is(validateLine(MARKS, 80).problem, 'too_long');
      t.is(validatePassword(MARKS, []), 'too_long');
      t.false(await isPasswordRight(null, MARKS));
      normaliseCampaign(MARKS);
    });
    t.true(Math.max(0, ...lengths) <= 512, String(lengths));
  },
);
