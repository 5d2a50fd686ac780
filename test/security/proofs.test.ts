// Which form asks for a fresh proof, and which does not for what reason.
import test from 'ava';
import { z } from 'zod';
import { json } from '../../api/http/response.ts';
import { defineRoute, type Route } from '../../api/http/route.ts';
import { ROUTES } from '../../api/routes.ts';
import { answerForm, makeStale } from '../support/identity/proving.ts';
import { startTeams } from '../support/identity/teams.ts';

const FORM_BYTES = 64 * 1024;

const echo = defineRoute({
  method: 'POST',
  path: '/echo',
  summary: 'Return the fields',
  credential: 'session',
  limit: null,
  proof: 'fresh',
  input: { body: { kind: 'form', shape: z.object({}) } },
  handler: ({ ctx }) => json(ctx.state['fields']),
});

const people = await startTeams({ routes: [...ROUTES, echo] });
const { api } = people;
test.after.always(() => api.close());

/** A form that gives no proof away says why; `some` says for which of its fields it asks. */
const PROOFS: Record<string, string> = {
  '/oauth/authorize': 'none: signing in to a product would ask for the password each time',
  '/sign-out': 'none: it ends the own session',
  '/settings/apps/:client/revoke': 'none: it takes the access of an app away, which asks again',
  '/console/verification': 'none: it asks an operator, who decides',
  '/console/new-product': 'none: a draft',
  '/console/products/:ref/seal': 'none: a text for an operator',
  '/console/products/:ref/transfer': 'fresh',
  '/console/products/:ref/clients': 'fresh',
  '/console/products/:ref/clients/:client': 'some: all but disabling, which stops a leak',
  '/console/products/:ref/clients/:client/redirect-uris': 'fresh',
  '/console/products/:ref/keys': 'fresh',
  '/console/products/:ref/keys/:key': 'some: rotating; revoking stops a leak',
  '/console/products/:ref/grants': 'fresh',
  '/console/products/:ref/grants/:grant': 'fresh',
  '/console/products/:ref/purchases/:purchase/refund': 'fresh',
  '/console/products/:ref/listing': 'fresh',
  '/console/products/:ref/listing/slug': 'none: all earlier slugs still lead to the product',
  '/console/products/:ref/imports': 'none: it reads, and changes nothing of the listing',
  '/console/products/:ref/imports/:import/apply': 'fresh',
  '/console/products/:ref/releases': 'fresh',
  '/console/products/:ref/releases/:release/remove': 'fresh',
  '/console/products/:ref/listing/icon': 'none: a picture, which no confirmation could carry',
  '/console/products/:ref/listing/screenshots':
    'none: a picture, which no confirmation could carry',
  '/console/products/:ref/listing/screenshots/replace':
    'none: a picture, which no confirmation could carry',
  '/console/products/:ref/listing/pictures': 'none: pictures, which are uploaded without one',
  '/console/products/:ref/prices': 'fresh',
  '/console/products/:ref/prices/:currency': 'fresh',
  '/console/products/:ref/selling/state': 'fresh',
  '/console/products/:ref/selling/operator': 'fresh',
  '/console/products/:ref/selling/member': 'fresh',
  '/console/products/:ref/selling/payouts': 'some: connecting; a refresh reads the status',
  '/console/products/:ref/selling/payouts/replace': 'fresh',
  '/console/products/:ref/remove': 'fresh',
  '/console/products/:ref/endpoints': 'fresh',
  '/console/products/:ref/endpoints/:endpoint': 'fresh',
  '/console/products/:ref/endpoints/:endpoint/state': 'some: all but disabling',
  '/console/products/:ref/endpoints/:endpoint/test': 'none: an event with made-up data',
  '/console/products/:ref/endpoints/:endpoint/secret': 'fresh',
  '/console/products/:ref/endpoints/:endpoint/rotate': 'fresh',
  '/console/products/:ref/deliveries/:delivery/retry': 'none: the same event to the same endpoint',
  '/console/products/:ref/deliveries/:delivery/retry-now':
    'none: the same event to the same endpoint',
  '/console/products/:ref/recoveries': 'none: the same events to the same endpoint',
  '/console/notifications': 'none: what the person has read',
  '/console/teams': 'none: an empty team',
  '/console/teams/:team/rename': 'none: a name',
  '/console/teams/:team/members/:person': 'some: all roles but the one that the member has',
  '/console/teams/:team/members/:person/remove': 'fresh',
  '/console/teams/:team/leave': 'fresh',
  '/console/teams/:team/members/:person/owner': 'fresh',
  '/console/teams/:team/delete': 'fresh',
  '/console/teams/:team/invitations': 'some: all roles but the viewer',
  '/console/teams/:team/invitations/:invitation/resend': 'fresh',
  '/console/teams/:team/invitations/:invitation/withdraw': 'none: it can be sent again',
  '/team-invitations/:invitation': 'fresh',
  '/confirm-email': 'none: a mail to the own address',
  '/settings/profile': 'none: texts about the person',
  '/settings/profile/picture': 'none: a picture, which no confirmation could carry',
  '/settings/profile/picture/remove': 'none: a picture',
  '/settings/security/verification': 'none: a mail to the own address',
  '/settings/security/email': 'none: the form itself asks for the password, each time',
  '/settings/security/password': 'none: the form itself asks for the password, each time',
  '/settings/security/passkeys/options': 'none: the form itself asks for the password, each time',
  '/settings/security/passkeys': 'none: it answers the options, which asked for the password',
  '/settings/security/passkeys/remove': 'none: the form itself asks for the password, each time',
  '/settings/security/sessions/end': 'none: it ends an own session',
  '/settings/security/sign-out-everywhere': 'none: it ends the own sessions',
  '/confirm/passkey/options': 'none: it begins a proof',
  '/confirm/passkey': 'none: it is a proof',
  '/settings/delete-account': 'none: the form itself asks for the password, each time',
  '/purchases/:id/discard': 'none: an own checkout that is not paid',
  '/member/cancel': 'none: cancelling is as easy as buying, and can be taken back',
  '/member/resume': 'fresh',
  '/member/card': 'fresh',
  '/member/open/:ref': 'none: the person opens an included product',
  '/subscriptions/:id/cancel': 'none: cancelling is as easy as buying, and can be taken back',
  '/subscriptions/:id/resume': 'fresh',
  '/subscriptions/:id/card': 'fresh',
  '/operator/people/:id/builder': 'fresh',
  '/operator/clients': 'fresh',
  '/operator/clients/:client': 'fresh',
  '/operator/clients/:client/redirect-uris': 'fresh',
  '/operator/products/:ref': 'fresh',
  '/operator/pictures': 'fresh',
  '/operator/seals': 'fresh',
  '/operator/shelves': 'none: it orders products that anyone finds, moves no money, and is audited',
  '/operator/pool/periods/:period/approve': 'fresh',
  '/operator/pool/periods/:period/approval-code': 'fresh',
  '/operator/pool/periods/:period/preview': 'none: a computation that pays nothing',
  '/operator/pool/periods/:period/review': 'fresh',
  '/operator/pool/payouts': 'fresh',
  '/operator/pool/payouts/outcome': 'fresh',
  '/operator/pool/exclusions': 'fresh',
  '/operator/pool/settings': 'fresh',
  '/operator/money/currencies': 'fresh',
  '/operator/money/fee': 'fresh',
  '/operator/member': 'fresh',
  '/operator/member/withdraw': 'fresh',
  '/operator/alerts': 'none: what the operators have seen to',
  '/operator/events/:processor/:id/again': 'fresh',
  '/operator/events/:processor/:id/set-aside': 'fresh',
  '/operator/messages': 'fresh',
};

const forms = ROUTES.filter(
  ({ method, credential }) =>
    method === 'POST' && (credential === 'session' || credential === 'operator'),
);
const kindOf = ({ proof }: Route) => (typeof proof === 'function' ? 'some' : proof);

test('each form of a signed-in person asks for the proof that the list says', (t) => {
  const expected = Object.entries(PROOFS).map(([path, proof]) => [path, proof.split(':')[0]]);
  const found = forms.map((route) => [route.path, kindOf(route)]);
  t.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
  for (const [path, proof] of Object.entries(PROOFS)) {
    t.regex(proof, /^(fresh|(some|none): \w+.* \w+)$/, path);
  }
});

test('a form that asks for a proof is carried by the confirmation, and an upload never asks', (t) => {
  for (const { path, proof, input } of forms.filter(({ proof }) => proof !== 'none')) {
    t.is(input.body?.kind, 'form', path);
    // The confirmation is sent to the route itself, with its limit: a description needs a wider one.
    t.is(
      input.body?.limitBytes,
      /^.console.products.:ref.listing$/.test(path) ? 131_072 : undefined,
      path,
    );
    t.is(input.query, undefined, `${path}: the confirmation leaves the query out`);
    const { shape = {} } = input.body!.shape as z.ZodObject;
    t.false('proof_password' in shape || 'response' in shape, path);
    t.not(proof, undefined, path);
  }
});

test('what stops a leak, and what takes no right, is done without a proof', (t) => {
  const asks = (path: string, body: object) => {
    const { proof } = forms.find((route) => route.path === path)!;
    return (proof as (body: object) => boolean)(body);
  };
  const product = '/console/products/:ref';
  for (const [path, fields, isAsked] of [
    [`${product}/clients/:client`, { action: 'disable' }, false],
    [`${product}/clients/:client`, { action: 'enable' }, true],
    [`${product}/clients/:client`, { action: 'delete' }, true],
    [`${product}/clients/:client`, { action: 'rotate' }, true],
    [`${product}/keys/:key`, { action: 'revoke' }, false],
    [`${product}/keys/:key`, { action: 'rotate' }, true],
    [`${product}/endpoints/:endpoint/state`, { action: 'disable' }, false],
    [`${product}/endpoints/:endpoint/state`, { action: 'enable' }, true],
    [`${product}/endpoints/:endpoint/state`, { action: 'delete' }, true],
    [`${product}/selling/payouts`, { action: 'refresh' }, false],
    [`${product}/selling/payouts`, { action: 'connect' }, true],
    ['/console/teams/:team/invitations', { role: 'viewer' }, false],
    ['/console/teams/:team/invitations', { role: 'developer' }, true],
  ] as const) {
    t.is(asks(path, fields), isAsked, `${path} ${JSON.stringify(fields)}`);
  }
});

test('an operator whose proof is an hour old moves no money and no right', async (t) => {
  const operator = await people.signedIn(await api.seed.person({ isOperator: true }));
  const { id } = await api.seed.person();
  await makeStale(api, operator.person);
  for (const [action, fields] of [
    ['/operator/money/fee', { basis_points: '0' }],
    ['/operator/money/currencies', { action: 'disable', currency: 'USD' }],
    ['/operator/pool/settings', { share: '10000', minimum: '1' }],
    [`/operator/people/${id}/builder`, { decision: 'verify' }],
    ['/operator/member', { currency: 'USD', amount: '1', interval: 'month' }],
    ['/operator/pool/periods/2026-01:USD/approve', {}],
    ['/operator/pool/payouts', { owner: id, reason: 'known' }],
    ['/operator/pool/payouts/outcome', { payout: 'po_1', is: 'paid' }],
  ] as const) {
    const response = await operator.browser.submit('/', { action, fields });
    t.is(response.status, 403, action);
    t.regex(await response.text(), /Nothing has changed yet/, action);
  }
});

test('a builder whose proof is an hour old changes no price, seller, address or access', async (t) => {
  const owner = await people.signedIn(await api.seed.person({ isBuilder: true }));
  const { slug } = await api.seed.product({ owner: owner.person });
  const team = await people.team(['admin']);
  const { admin } = team.members;
  for (const { person } of [owner, team.members.owner]) await makeStale(api, person);
  const path = `/console/products/${slug}`;
  for (const [by, action, fields] of [
    [owner, `${path}/prices`, { currency: 'USD', amount: '1', kind: 'one_time' }],
    [owner, `${path}/prices/USD`, { action: 'withdraw', kind: 'one_time' }],
    [owner, `${path}/grants`, { person: 'somebody', starts_at: '', ends_at: '' }],
    [owner, `${path}/selling/operator`, { action: 'answer' }],
    [owner, `${path}/selling/state`, { action: 'unlist' }],
    [
      owner,
      `${path}/listing`,
      {
        version: '1',
        name: 'A',
        tagline: 'B',
        delivery: 'entitlement_api',
        sign_in_url: 'https://c.example/',
      },
    ],
    [team.members.owner, `${team.path}/members/${admin.person.id}`, { role: 'viewer' }],
    [team.members.owner, `${team.path}/members/${admin.person.id}/remove`, {}],
  ] as const) {
    t.is((await by.browser.submit('/', { action, fields })).status, 403, action);
  }
  t.is(await people.roleOf(team.id, admin.person.id), 'admin');
});

/** Fields whose form has so many bytes, the token of the page included. */
async function fieldsOf(bytes: number, browser: { get(path: string): Promise<Response> }) {
  const page = await (await browser.get('/')).text();
  const csrf = /name="csrf" value="([^"]*)"/.exec(page)![1]!;
  const fields = {
    text: 'First line\r\nsecond "line" of <b>text</b> & \'more\' `it`;\r\n\t äöü 日本 \u{1F600} %41 +',
    tag: ['one', '', 'two', 'one', '&quot;&#39;'],
    'a name [0] & "another"': ' spaces at both ends ',
    empty: '',
    long: '',
  };
  const body = new URLSearchParams({ csrf });
  for (const [name, given] of Object.entries(fields)) {
    for (const value of [given].flat()) body.append(name, value);
  }
  fields.long = 'x'.repeat(bytes - body.toString().length);
  return fields;
}

test('a form of nearly 64 KiB survives the confirmation byte for byte', async (t) => {
  const { browser, person } = await people.signedIn();
  const fields = await fieldsOf(FORM_BYTES, browser);
  const signedIn = await browser.submit('/', { action: '/echo', fields });
  const { csrf: _token, ...sent } = (await signedIn.json()) as Record<string, string>;
  t.deepEqual(sent as object, fields);
  await makeStale(api, person);
  const refused = await browser.submit('/', { action: '/echo', fields });
  t.is(refused.status, 403);
  const wrong = await answerForm(browser, {
    page: await refused.text(),
    action: '/echo',
    typed: { proof_password: 'a guess' },
  });
  t.is(wrong.status, 422, 'and a wrong password keeps it');
  const typed = { proof_password: person.password };
  const done = await answerForm(browser, { page: await wrong.text(), action: '/echo', typed });
  t.is(done.status, 200);
  const { csrf: _, proof_password: __, ...arrived } = (await done.json()) as Record<string, string>;
  t.deepEqual(arrived as object, fields);
});

test('a larger form is refused before anybody is asked for a proof', async (t) => {
  const { browser, person } = await people.signedIn();
  await makeStale(api, person);
  const fields = await fieldsOf(FORM_BYTES + 1, browser);
  t.is((await browser.submit('/', { action: '/echo', fields })).status, 413);
});
