import { rows, type EntityManager } from '../../../platform/database/database.ts';

export type EndpointOption = { endpointId: string; url: string; isDisabled: boolean };

/** The current endpoints of a product, for a choice. */
export async function listEndpointOptions(
  em: EntityManager,
  productId: string,
): Promise<EndpointOption[]> {
  return rows(
    em,
    `select id as "endpointId", url, disabled_at is not null as "isDisabled"
     from webhook_endpoint where product_id = ? and deleted_at is null order by slot`,
    [productId],
  );
}
