import pg from 'pg';

/** The channels of the outbox publisher and the dispatcher, which also poll. */
export type WakeChannel = 'gatehouse_outbox' | 'gatehouse_delivery';

const GATHER_MS = 3;
/** Ends the wait on a silent network, where neither a connection nor a response comes. */
const TIMEOUT_MS = 2_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * NOTIFY in every commit would serialise the writers. It is sent after the commit, from one
 * connection, at most once per channel within a few milliseconds.
 */
export function createCommitNotifier(databaseUrl: string) {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  pool.on('error', () => undefined);
  const pending = new Set<WakeChannel>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const channels = [...pending];
    pending.clear();
    pool
      .query(`select pg_notify(channel, '') from unnest($1::text[]) as channel`, [channels])
      .catch(() => undefined); // publisher and dispatcher also poll once a second
  };
  return {
    wake(channel: WakeChannel) {
      pending.add(channel);
      timer ??= setTimeout(flush, GATHER_MS);
    },
    async close() {
      clearTimeout(timer);
      await pool.end();
    },
  };
}

/** Calls `onWake` for each notification; reconnects for ever until closed. */
export function listenForWakes(databaseUrl: string, onWake: (channel: WakeChannel) => void) {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      // Nothing is sent while it listens: by itself the system would ask after two hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    let hasEnded = false;
    const retry = () => {
      if (hasEnded || isClosed) return;
      hasEnded = true;
      timer = setTimeout(() => void connect(), 1_000);
    };
    fresh.on('error', retry);
    fresh.on('end', retry);
    fresh.on('notification', ({ channel }) => onWake(channel as WakeChannel));
    client = fresh;
    try {
      await fresh.connect();
      await fresh.query('listen gatehouse_outbox; listen gatehouse_delivery');
    } catch {
      await fresh.end().catch(() => undefined);
      retry();
    }
  };
  void connect();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
