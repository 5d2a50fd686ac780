import type { Adapter, AdapterPayload } from 'oidc-provider';
import type pg from 'pg';

type Row = { payload: AdapterPayload };

const LIVE = '(expires_at is null or expires_at > now())';

/** oidc-provider's store on PostgreSQL: one row per token or grant, every statement prepared. */
export function createAdapter(pool: pg.Pool, model: string): Adapter {
  const find = async (by: 'id' | 'uid', value: string) => {
    const { rows } = await pool.query<Row>({
      name: `find_payload_by_${by}`,
      text: `select payload from bench.oidc_payload where model = $1 and ${by} = $2 and ${LIVE}`,
      values: [model, value],
    });
    return rows[0]?.payload;
  };
  return {
    find: (id) => find('id', id),
    findByUid: (uid) => find('uid', uid),
    findByUserCode: async () => undefined, // the device flow is switched off
    async upsert(id, payload, expiresInS) {
      await pool.query({
        name: 'upsert_payload',
        text: `insert into bench.oidc_payload (model, id, payload, grant_id, uid, expires_at)
          values ($1, $2, $3, $4, $5, now() + $6 * interval '1 second')
          on conflict (model, id) do update set payload = excluded.payload,
            grant_id = excluded.grant_id, uid = excluded.uid, expires_at = excluded.expires_at`,
        values: [
          model,
          id,
          payload,
          payload.grantId ?? null,
          payload.uid ?? null,
          expiresInS ?? null,
        ],
      });
    },
    async consume(id) {
      await pool.query({
        name: 'consume_payload',
        text: `update bench.oidc_payload
          set payload = payload || jsonb_build_object('consumed', floor(extract(epoch from now())))
          where model = $1 and id = $2`,
        values: [model, id],
      });
    },
    async destroy(id) {
      await pool.query({
        name: 'destroy_payload',
        text: 'delete from bench.oidc_payload where model = $1 and id = $2',
        values: [model, id],
      });
    },
    async revokeByGrantId(grantId) {
      await pool.query({
        name: 'revoke_grant',
        text: 'delete from bench.oidc_payload where grant_id = $1',
        values: [grantId],
      });
    },
  };
}
