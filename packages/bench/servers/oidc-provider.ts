// What others run: oidc-provider with opaque tokens in PostgreSQL, its client in memory.
import Provider, { type AccountClaims } from 'oidc-provider';
import type pg from 'pg';
import { createAdapter } from './parts/oidc-adapter.ts';
import { OIDC_CLIENT_ID } from './parts/oidc-client.ts';
import { openOrderedPool, serve } from './parts/child-server.ts';

type Person = { id: string; handle: string; display_name: string };

const pool = await openOrderedPool();
const provider = new Provider('http://127.0.0.1', {
  adapter: (model) => createAdapter(pool, model),
  clients: [
    {
      client_id: OIDC_CLIENT_ID,
      client_secret: 'of no use here',
      redirect_uris: ['https://app.example/callback'],
    },
  ],
  cookies: { keys: ['of no use here'] },
  features: { devInteractions: { enabled: false } },
  claims: { openid: ['sub'], profile: ['name', 'picture', 'preferred_username'] },
  async findAccount(_ctx, id) {
    const person = await findPerson(pool, id);
    return person && { accountId: id, claims: async () => present(person) };
  },
});
await serve(provider.callback());

async function findPerson(pool: pg.Pool, id: string): Promise<Person | undefined> {
  const { rows } = await pool.query<Person>({
    name: 'find_person',
    text: 'select id, handle, display_name from person where id = $1 and deleted_at is null',
    values: [id],
  });
  return rows[0];
}

function present({ id, handle, display_name: name }: Person): AccountClaims {
  const picture = `http://127.0.0.1/people/${id}/avatar.svg`;
  return { sub: id, name, preferred_username: handle, picture };
}
