import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import test from 'ava';
import { createMailer } from '../../clients/mail.ts';
import { composeMail } from '../../activities/mail/mail-text.ts';
import { queueMail } from '../../domain/identity/mail/mail.repository.ts';
import { eventually } from '../support/eventually.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

const ADDRESS = 'ada@example.com';

/** What the mail server answers to the recipients that come, in turn; then it takes all. */
let answers: number[] = [];
let taken = 0;
let server: SMTPServer;
let stage: Stage;

test.before(async () => {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const responseCode = answers.shift();
      if (responseCode === undefined) return done();
      done(Object.assign(new Error(`${address} is not welcome`), { responseCode }));
    },
    onData(stream, _session, done) {
      stream.resume();
      stream.on('end', () => {
        taken += 1;
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 'G <no-reply@g.example>' });
  stage = await openStage({ taskQueues: ['mail'], mailer });
  stage.closeLater(async () => mailer.close());
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(async () => {
  await stage?.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

/** Queues a mail, changes its row if told to, and gives what became of it. */
async function send(change?: string) {
  const { client, database, testDatabase } = stage;
  const { personId } = await addProduct(testDatabase);
  const workflowId = await database.transaction(async (em) => {
    await queueMail(em, { purpose: 'reset_password', personId, address: ADDRESS });
    const [row] = (await em.execute(
      `select 'mail:' || id as id from mail_token order by created_at desc, id desc limit 1`,
    )) as { id: string }[];
    if (change) await em.execute(change, [row!.id.slice(5)]);
    return row!.id;
  });
  const run = client.workflow.getHandle(workflowId);
  await eventually(
    () =>
      run.describe().then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  const status = String(await run.result());
  return { status, history: JSON.stringify(await run.fetchHistory()) };
}

const readable = (history: string) =>
  history.replaceAll(/"data":"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );

test.serial(
  'a mail that the server cannot take now is sent later, and no history quotes it',
  async (t) => {
    answers = [451, 421];
    const before = taken;
    const { status, history } = await send();
    t.is(status, 'sent');
    t.is(taken, before + 1);
    t.false(readable(history).includes(ADDRESS));
    t.false(readable(history).includes('welcome'));
  },
);

test.serial('a mail that the server will never take is given up', async (t) => {
  answers = [550];
  const { status, history } = await send();
  t.is(status, 'refused');
  t.false(readable(history).includes(ADDRESS));
});

test.serial('a mail whose link is over, or whose person is gone, is not sent', async (t) => {
  const before = taken;
  const over = 'update mail_token set expires_at = gatehouse_now() where id = ?';
  t.is((await send(over)).status, 'expired');
  t.is((await send('delete from mail_token where id = ?')).status, 'gone');
  t.is((await send('update mail_token set sent_at = gatehouse_now() where id = ?')).status, 'sent');
  t.is(taken, before);
});

test('a mail says the same as text and as HTML, with one link', (t) => {
  const mail = composeMail({
    purpose: 'verify_email',
    name: 'ada',
    token: 'x.y',
    baseUrl: 'https://gatehouse.example',
    support: 'help@gatehouse.example',
  });
  const link = 'https://gatehouse.example/verify-email?token=x.y';
  t.regex(mail.text, /^Hello,/, 'nobody writes words of an own choice to an unconfirmed address');
  t.deepEqual(mail.text.match(/https?:\S+/g), [link]);
  t.deepEqual(mail.html.match(/https?:[^"\s<]+/g), [link]);
  t.notRegex(mail.html, /<img|<script/);
});

test('a mail of a new sign-in says when, from where, and what to do', (t) => {
  const { text } = composeMail({
    purpose: 'new_sign_in',
    name: 'ada',
    token: null,
    baseUrl: 'https://gatehouse.example',
    support: 'help@gatehouse.example',
    device: 'Firefox on Linux',
    createdAt: '24 Nov 2026, 21:00 UTC',
  });
  t.regex(text, /Firefox on Linux, on 24 Nov 2026, 21:00 UTC/);
  t.deepEqual(text.match(/https?:\S+/g), ['https://gatehouse.example/forgot-password']);
});

const DECISIONS = {
  verification_requested: ['/operator/builders', 'what the maker sells'],
  builder_verified: ['/console', 'have verified you as a maker'],
  builder_declined: [
    '/console/verification',
    'change what it names and your answers, and request verification again',
  ],
  builder_withdrawn: ['/console/verification', 'revoked your verification'],
} as const;

for (const [purpose, [path, words]] of Object.entries(DECISIONS)) {
  test(`a request and its decision are mailed: ${purpose}`, async (t) => {
    const { text } = composeMail({
      purpose: purpose as keyof typeof DECISIONS,
      name: 'ada',
      token: null,
      baseUrl: 'https://gatehouse.example',
      support: 'help@gatehouse.example',
    });
    t.regex(text, new RegExp(`^Hello ada,[^]*${words}`));
    t.deepEqual(text.match(/https?:\S+/g), [`https://gatehouse.example${path}`]);
  });
}
