// `npm run migrate:roles`: the roles of the database. The owner migrates, the application only reads
// and writes rows, a trial's payment simulator has a schema of its own. Safe to repeat; once after
// each migration is enough.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { ConfigurationError, readRolesConfig } from '../platform/config.ts';
import { giveSimulatorSchema, grantRights } from '../migrations/rights.ts';

type Role = { name: string; password: string };

export type RoleUrls = {
  /** A superuser, or a role that may create roles and databases. */
  adminUrl: string;
  /** The address of migrations; it names the database too. */
  ownerUrl: string;
  /** The address of `api` and `worker`. */
  appUrl: string;
  /** The address of the payment simulator; none where payments are real. */
  simulatorUrl?: string | undefined;
};

const ITERATIONS = 4_096;

/** Creates the roles and the database where they are missing, and sets all rights anew. */
export async function applyRoles(urls: RoleUrls): Promise<void> {
  const { adminUrl, ownerUrl, appUrl, simulatorUrl } = urls;
  const owner = readRole(ownerUrl);
  const app = readRole(appUrl);
  const simulator = simulatorUrl === undefined ? null : readRole(simulatorUrl);
  const database = decodeURIComponent(new URL(ownerUrl).pathname.slice(1));
  await withClient(adminUrl, async (admin) => {
    await inTurn(admin, async () => {
      await ensureRole(admin, owner);
      await refusePower(admin, { setting: 'APP_DATABASE_URL', role: app.name, owner: owner.name });
      await ensureRole(admin, app);
      await join(admin, owner.name);
      if (simulator === null) return;
      const setting = 'SIMULATOR_DATABASE_URL';
      await refusePower(admin, { setting, role: simulator.name, owner: owner.name });
      if (simulator.name === app.name) throw createPowerError(setting, simulator.name);
      await ensureRole(admin, simulator);
      await join(admin, simulator.name);
    });
    await ensureDatabase(admin, database, owner.name);
  });
  const inside = new URL(adminUrl);
  inside.pathname = `/${encodeURIComponent(database)}`;
  await withClient(inside.href, (admin) =>
    inTurn(admin, async () => {
      await grantRights(admin, { database, owner: owner.name, app: app.name });
      if (simulator) await giveSimulatorSchema(admin, { database, role: simulator.name });
    }),
  );
}

function readRole(url: string): Role {
  const { username, password } = new URL(url);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}

async function ensureRole(admin: pg.Client, { name, password }: Role): Promise<void> {
  const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [name]);
  const role = admin.escapeIdentifier(name);
  const verifier = admin.escapeLiteral(createVerifier(password));
  await admin.query(`${rowCount ? 'alter' : 'create'} role ${role} login password ${verifier}`);
}

/** The verifier that PostgreSQL would store, so the password is in no statement and no log. */
function createVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const sign = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(sign('Client Key')).digest('base64');
  const server = sign('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}

async function refusePower(
  admin: pg.Client,
  { setting, role, owner }: { setting: string; role: string; owner: string },
): Promise<void> {
  const { rowCount } = await admin.query(
    `select from pg_roles where rolname = $1 and (rolsuper or rolcreaterole or rolcreatedb
       or rolreplication or rolbypassrls or pg_has_role(oid, $2, 'member'))`,
    [role, owner],
  );
  if (rowCount) throw createPowerError(setting, role);
}

function createPowerError(setting: string, role: string): ConfigurationError {
  return new ConfigurationError(
    `${setting}: the role ${role} is a superuser, or has another right of the owner, of the application or of the server. Name one of its own.`,
  );
}

/** A role that may create roles may not act as them by that. */
async function join(admin: pg.Client, role: string): Promise<void> {
  const { rows } = await admin.query<{ isAllowed: boolean }>(
    `select pg_has_role(current_user, $1, 'set') as "isAllowed"`,
    [role],
  );
  if (!rows[0]!.isAllowed)
    await admin.query(`grant ${admin.escapeIdentifier(role)} to current_user`);
}

async function ensureDatabase(admin: pg.Client, name: string, owner: string): Promise<void> {
  const { rows } = await admin.query<{ owner: string }>(
    'select datdba::regrole::text as owner from pg_database where datname = $1',
    [name],
  );
  const [database, role] = [admin.escapeIdentifier(name), admin.escapeIdentifier(owner)];
  if (rows.length === 0) await admin.query(`create database ${database} owner ${role}`);
  else await admin.query(`alter database ${database} owner to ${role}`);
}

/** Works in one transaction; two at once wait for each other. */
async function inTurn(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  await client.query(`select pg_advisory_xact_lock(hashtext('gatehouse roles'))`);
  await work();
  await client.query('commit');
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // what it breaks off is a fault by itself
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

if (import.meta.main) {
  try {
    await applyRoles(readRolesConfig());
    console.log('The roles are there and have their rights.');
  } catch (error) {
    console.error(error instanceof ConfigurationError ? error.message : error);
    process.exitCode = 1;
  }
}
