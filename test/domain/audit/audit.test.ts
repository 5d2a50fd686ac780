import test from 'ava';
import { listAudit, recordAudit } from '../../../domain/audit/audit.repository.ts';
import { dropPartition } from '../../../domain/retention/partitions.repository.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
const [person] = await testDatabase.query<{ id: string }>(
  `insert into person (id, handle, display_name, email)
   values (gen_random_uuid(), 'ada', 'Ada', 'ada@example.com') returning id`,
);
const personId = person!.id;
test.after.always(() => close());

async function record(): Promise<string> {
  const subject = crypto.randomUUID();
  const by = { personId, ip: '192.0.2.1' };
  await database.transaction((em) => recordAudit(em, { by, action: 'client.created', subject }));
  return subject;
}

const read = async (subject: string) =>
  (
    await testDatabase.query<Record<string, unknown>>('select * from audit where subject = $1', [
      subject,
    ])
  )[0];

const KEPT = [
  `update audit set action = 'thing.undone' where subject = $1`,
  `update audit set subject = 'other' where subject = $1`,
  `update audit set at = at + interval '1 day' where subject = $1`,
  `update audit set actor_id = null where subject = $1`,
  `update audit set detail = '{"x": 1}' where subject = $1`,
  'delete from audit where subject = $1',
  `delete from audit where subject = $1 and action like 'client.%'`,
];

for (const statement of KEPT) {
  test(`the database refuses: ${statement}`, async (t) => {
    const subject = await record();
    const before = await read(subject);
    await t.throwsAsync(testDatabase.query(statement, [subject]), { code: '23001' });
    t.deepEqual(await read(subject), before);
  });
}

test('the audit trail cannot be emptied', async (t) => {
  const subject = await record();
  for (const statement of ['truncate audit', 'truncate audit cascade', 'truncate person cascade']) {
    await t.throwsAsync(testDatabase.query(statement), { code: '23001' }, statement);
  }
  t.truthy(await read(subject));
});

const addressOf = async (subject: string) => {
  const { lines } = await listAudit(database.em(), { filter: { personId } });
  return lines.find((line) => line.subject === subject)!.ip;
};

test.serial(
  'an address is shown for 90 days and dropped with its month, the row stays',
  async (t) => {
    const DAY_MS = 86_400_000;
    const subject = await record();
    const before = await read(subject);
    const kept = () =>
      testDatabase.query('select ip from audit_address where audit_id = $1', [before!['id']]);
    t.is(await addressOf(subject), '192.0.2.1');
    await testDatabase.advance(90 * DAY_MS);
    t.is(await addressOf(subject), null);
    while (await database.transaction(dropPartition));
    t.is((await kept()).length, 1);
    await testDatabase.advance(31 * DAY_MS);
    while (await database.transaction(dropPartition));
    t.deepEqual(await kept(), []);
    t.deepEqual(await read(subject), before);
  },
);

test('somebody who stands in the audit trail cannot be removed from the database', async (t) => {
  await record();
  const gone = testDatabase.query('delete from person where id = $1', [personId]);
  await t.throwsAsync(gone, { message: /audit/ });
});

test('what was done and its row are written together or not at all', async (t) => {
  const subject = crypto.randomUUID();
  const broken = database.transaction(async (em) => {
    await recordAudit(em, { by: { personId, ip: null }, action: 'client.created', subject });
    throw new Error('it did not come to that');
  });
  await t.throwsAsync(broken, { message: 'it did not come to that' });
  t.is(await read(subject), undefined);
});
