import { rows, type EntityManager } from '../../platform/database/database.ts';

export type ConnectedApp = {
  clientId: string;
  name: string;
  productName: string | null;
  scopes: string[];
  grantedAt: Date;
};

/** The person's connected apps, the latest consent first. */
export async function listConnectedApps(
  em: EntityManager,
  personId: string,
): Promise<ConnectedApp[]> {
  const found = await rows<ConnectedApp>(
    em,
    `select k.client_id as "clientId", c.name, p.name as "productName", k.scopes,
       k.granted_at as "grantedAt"
     from consent k
     join oauth_client c on c.id = k.client_id and c.deleted_at is null
     left join product p on p.id = c.product_id
     where k.person_id = ? and k.revoked_at is null
     order by k.granted_at desc, k.client_id limit 200`,
    [personId],
  );
  return found.map((app) => ({ ...app, grantedAt: new Date(app.grantedAt) }));
}
