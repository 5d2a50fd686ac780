import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';

type Addressed = { url: string | null };

/** The path or query of an endpoint may hold a token: viewers see the host alone. */
export function withShownAddress<Row extends Addressed>(
  { roles }: Pick<ManagedProduct, 'roles'>,
  row: Row,
): Row {
  if (row.url === null || isAllowed(roles, 'see_payloads')) return row;
  return { ...row, url: new URL(row.url).host };
}
