import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readCommand } from '../../scripts/admin/command-line.ts';
import { UsageError } from '../../scripts/command.ts';
import { runAdmin, startAdmin } from '../support/identity/admin.ts';
import { makeFolder } from '../support/engines/folder.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';

const people = await startPeople();
const { api, mailsTo, newEmail } = people;
test.after.always(() => api.close());

const DATABASE = { DATABASE_URL: api.test.url };
const LINKS = {
  ...DATABASE,
  BASE_URL: api.url,
  SECRET_KEYS: api.config.secretKeys
    .map(({ id, key }) => `${id}:${key.toString('base64')}`)
    .join(','),
};

const wordsOf = (command: string) => command.split(' ').filter(Boolean);
const admin = (command: string, settings: Record<string, string> = DATABASE) =>
  runAdmin(wordsOf(command), settings);
const create = (email: string, rest = '', settings = DATABASE) =>
  admin(`operator create --email ${email} ${rest}`, settings);

type Row = {
  id: string;
  handle: string;
  display_name: string;
  is_operator: boolean;
  email_verified_at: Date | null;
  password_hash: string | null;
};

async function find(email: string): Promise<Row> {
  const [row] = await api.test.query<Row>('select * from person where email = $1', [email]);
  return row!;
}

const auditOf = async (personId: string) =>
  (
    await api.test.query<{ action: string; actor_id: string | null; ip: string | null }>(
      `select action, actor_id, ip from audit
       left join audit_address on audit_id = audit.id where subject = $1 order by at, id`,
      [personId],
    )
  ).map(({ action, actor_id, ip }) => [action, actor_id, ip]);

test.serial(
  'somebody new is made an operator, chooses a password by the mailed link, and signs in',
  async (t) => {
    const email = newEmail();
    const { exitCode, out, err } = await create(email, '--handle Grace --name Grace');
    t.is(exitCode, 0, err);
    t.regex(
      out,
      /^Created operator grace \(.*\)\.\nThe worker emails \S+ a link to choose a password/,
    );
    const made = await find(email);
    t.like(made, {
      handle: 'grace',
      display_name: 'Grace',
      is_operator: true,
      password_hash: null,
    });
    t.deepEqual(await auditOf(made.id), [['operator.created', null, null]]);
    const browser = api.browser();
    const link = await people.linkTo(email, 'reset_password');
    t.is((await people.follow(browser, link, { password: PASSWORD })).status, 303);
    await browser.signIn({ email, password: PASSWORD });
    t.is((await browser.get('/operator')).status, 200);
  },
);

test.serial('with --print-link nothing is mailed, and the link works once', async (t) => {
  const email = newEmail();
  const { exitCode, out } = await create(email, '--print-link', LINKS);
  t.is(exitCode, 0);
  t.deepEqual(await people.mailsTo(email).then((mails) => mails.length), 1);
  t.deepEqual(
    await api.test.query(
      `select 1 from outbox where workflow_id = 'mail:' || (select id from mail_token where address = $1)`,
      [email],
    ),
    [],
  );
  const link = new URL(out.trim().split('\n').at(-1)!);
  const path = link.pathname + link.search;
  t.is((await people.follow(api.browser(), path, { password: PASSWORD })).status, 303);
  t.is((await people.follow(api.browser(), path, { password: PASSWORD })).status, 404);
  const browser = api.browser();
  await browser.signIn({ email, password: PASSWORD });
  t.is((await browser.get('/operator')).status, 200);
});

test.serial(
  '--print-link without the settings that make links is refused, and nobody is made',
  async (t) => {
    const email = newEmail();
    const { exitCode, err } = await create(email, '--print-link');
    t.is(exitCode, 1);
    t.regex(err, /needs the BASE_URL and SECRET_KEYS/);
    t.is(await find(email), undefined as never);
  },
);

test.serial(
  'running it again changes nothing; who has no password yet gets a new link, the old one dies',
  async (t) => {
    const email = newEmail();
    await create(email);
    const first = await people.linkTo(email, 'reset_password');
    const again = await create(email);
    t.is(again.exitCode, 0);
    t.regex(again.out, /is already an operator/);
    t.is((await auditOf((await find(email)).id)).length, 1);
    t.is((await mailsTo(email)).length, 2);
    t.is((await people.follow(api.browser(), first, { password: PASSWORD })).status, 404);
    const second = await people.linkTo(email, 'reset_password');
    t.is((await people.follow(api.browser(), second, { password: PASSWORD })).status, 303);
    await create(email);
    const resets = (await mailsTo(email)).filter(({ purpose }) => purpose === 'reset_password');
    t.is(resets.length, 2, 'with a password there is no link');
  },
);

test.serial('two at once make one operator', async (t) => {
  const email = newEmail();
  const command = wordsOf(`operator create --email ${email}`);
  const done = await Promise.all([startAdmin(command, DATABASE), startAdmin(command, DATABASE)]);
  for (const { exitCode, err } of done) t.is(exitCode, 0, err);
  t.deepEqual(await auditOf((await find(email)).id), [['operator.created', null, null]]);
});

test.serial(
  'a promotion keeps the password and ends every session; so does a removal',
  async (t) => {
    const { person, browser } = await people.signedIn();
    const { exitCode, out } = await create(person.email.toUpperCase());
    t.is(exitCode, 0);
    t.regex(out, /is now an operator and must sign in again/);
    t.is((await mailsTo(person.email)).length, 0);
    t.is((await browser.get('/settings/profile')).status, 303);
    await browser.signIn(person);
    t.is((await browser.get('/operator')).status, 200);
    const removed = await admin(`operator remove --email ${person.email}`);
    t.is(removed.exitCode, 0);
    t.regex(removed.out, /is no longer an operator/);
    t.is((await browser.get('/operator')).headers.get('location'), '/sign-in');
    await browser.signIn(person);
    t.is((await browser.get('/operator')).status, 404);
    const again = await admin(`operator remove --email ${person.email}`);
    t.is(again.exitCode, 0);
    t.regex(again.out, /is not an operator. Nothing changed/);
    t.deepEqual(
      (await auditOf(person.id)).map(([action]) => action),
      ['operator.promoted', 'operator.removed'],
    );
  },
);

test.serial(
  'an account whose address nobody has confirmed could be anybody: it is not promoted',
  async (t) => {
    const squatter = await api.seed.person({ isEmailVerified: false });
    const { exitCode, err } = await create(squatter.email);
    t.is(exitCode, 1);
    t.regex(err, /is not confirmed/);
    t.false((await find(squatter.email)).is_operator);
    t.deepEqual(await auditOf(squatter.id), []);
  },
);

test.serial('a handle that somebody has is refused with the way out', async (t) => {
  const { handle } = await api.seed.person();
  const email = newEmail();
  const { exitCode, err } = await create(email, `--handle ${handle}`);
  t.is(exitCode, 1);
  t.regex(err, /Choose another one with --handle/);
  t.is(await find(email), undefined as never);
});

test.serial('operators are listed, and nobody else', async (t) => {
  const operator = await api.seed.person({ isOperator: true });
  const other = await api.seed.person();
  const { exitCode, out } = await admin('operator list');
  t.is(exitCode, 0);
  t.true(out.includes(operator.email));
  t.false(out.includes(other.email));
});

test.serial('removing an address that nobody has is refused', async (t) => {
  const { exitCode, err } = await admin('operator remove --email nobody@example.com');
  t.is(exitCode, 1);
  t.is(err, 'No account has this address.\n');
});

const MISTAKES: [string, RegExp][] = [
  ['operator', /Unknown command "operator"/],
  ['operator make --email a@example.com', /Unknown command "operator make"/],
  ['operator create', /--email is required/],
  ['operator create --email nonsense', /--email is not an email address/],
  ['operator create --email a@example.com --handle A!', /--handle needs 3 to 24/],
  ['operator create --email a@example.com --password x', /Unknown option '--password'/],
  ['operator list --email a@example.com', /"operator list" has no option --email/],
  ['operator remove --email a@example.com --print-link', /has no option --print-link/],
  ['operator create --email', /argument missing/],
];

for (const [command, expected] of MISTAKES) {
  test(`"${command}" is refused with what is wrong`, (t) => {
    t.throws(() => readCommand(command.split(' ')), { instanceOf: UsageError, message: expected });
  });
}

test.serial('what is not understood is answered with how it goes, and exit code 2', async (t) => {
  const command = wordsOf('operator create --email nonsense');
  const { exitCode, out, err } = await startAdmin(command, DATABASE);
  t.is(exitCode, 2);
  t.is(out, '');
  t.regex(err, /^--email is not an email address\.\n\nUsage: npm run admin/);
});

test.serial('help is an answer', async (t) => {
  for (const args of ['--help', '']) {
    const { exitCode, out } = await admin(args, {});
    t.is(exitCode, 0);
    t.regex(out, /^Usage: npm run admin/);
  }
});

test.serial(
  'without DATABASE_URL it takes the database of the data folder of npm start',
  async (t) => {
    const folder = join(makeFolder(t), 'data');
    const settings = { GATEHOUSE_DATA_DIR: folder };
    const before = await admin('operator list', settings);
    t.is(before.exitCode, 1);
    t.regex(before.err, /Set DATABASE_URL, or run `npm start` first/);
    mkdirSync(folder);
    const write = (name: string, content: object) =>
      writeFileSync(join(folder, name), JSON.stringify(content));
    write('demo.json', { database_url: api.test.url, base_url: api.url });
    write('secrets.json', { secretKeys: LINKS.SECRET_KEYS });
    const email = newEmail();
    const { exitCode, out } = await create(email, '--print-link', settings as never);
    t.is(exitCode, 0);
    const link = new URL(out.trim().split('\n').at(-1)!);
    t.is((await api.request(link.pathname + link.search)).status, 200);
    writeFileSync(join(folder, 'demo.json'), '{');
    t.regex((await admin('operator list', settings)).err, /Cannot read .*demo\.json/);
  },
);

test.serial('a database that does not answer is told in words, without its password', async (t) => {
  const url = 'postgres://me:secret-word@127.0.0.1:1/none';
  const { exitCode, err } = await admin('operator list', { DATABASE_URL: url });
  t.is(exitCode, 1);
  t.regex(err, /^The database does not respond/);
  t.false(err.includes('secret-word'));
});

test.serial('a database without our tables is told in words', async (t) => {
  const { DATABASE_URL } = DATABASE;
  const empty = new URL(DATABASE_URL);
  empty.pathname = '/postgres';
  const { exitCode, err } = await admin('operator list', { DATABASE_URL: empty.href });
  t.is(exitCode, 1);
  t.regex(err, /Run `npm run migrate`/);
});
