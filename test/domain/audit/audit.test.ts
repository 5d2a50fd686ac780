import test from 'ava';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
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
  (await testDatabase.query('select * from audit where subject = $1', [subject]))[0];

const KEPT = [
  `update audit set action = 'thing.undone' where subject = $1`,
  `update audit set subject = 'other' where subject = $1`,
  `update audit set at = at + interval '1 day' where subject = $1`,
  `update audit set actor_id = null where subject = $1`,
  `update audit set detail = '{"x": 1}' where subject = $1`,
  `update audit set ip = '192.0.2.2' where subject = $1`,
  `update audit set ip = null, action = 'thing.undone' where subject = $1`,
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

test('an address may be forgotten, and nothing else of the row', async (t) => {
  const subject = await record();
  const before = await read(subject);
  await testDatabase.query('update audit set ip = null where subject = $1', [subject]);
  t.deepEqual(await read(subject), { ...before, ip: null });
});

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
