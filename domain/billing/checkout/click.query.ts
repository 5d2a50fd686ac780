import type pg from 'pg';
import {
  OFFERING_COLUMNS,
  PRODUCT_TABLES,
  presentOffering,
  productIdOf,
  splitReference,
  type Offering,
  type OfferingRow,
} from '../../catalog/storefront-product.query.ts';
import { clickSource, type Attribution } from './attribution.ts';

type ClickedOffering = Offering & {
  clickId: string;
  /** The `src` of a click that returned from sign-in, as it was sent. */
  resumedRaw: string | null;
};

// A draft has no clicks: nobody is to know of it.
const RECORD_CLICK = `
  with found as materialized (
    select ${OFFERING_COLUMNS} from ${PRODUCT_TABLES}
    where p.id = ${productIdOf('$1', '$2')} and p.state in ('listed', 'unlisted')),
  clicked as (
    insert into click (id, product_id, source, campaign, raw, is_automatic)
    select time_ordered_id(), id, $4::text, $5::text, $6::text, $7::boolean
    from found where $3::uuid is null
    returning id)
  select found.*, coalesce($3, (select id from clicked)) as "clickId",
    (select raw from click where id = $3) as "resumedRaw" from found`;

/**
 * Writes the click and reads the offering in one statement, so that nothing comes before the click.
 * A click that returned from sign-in is already recorded.
 */
export async function recordClick(
  pool: pg.Pool,
  click: {
    ref: string;
    attribution: Attribution;
    resumedId: string | null;
    /** A program that previews the link clicked. */
    isAutomatic: boolean;
  },
): Promise<ClickedOffering | null> {
  const { ref, resumedId, attribution, isAutomatic } = click;
  const { serviceCampaign: campaign, serviceCampaignRaw: raw } = attribution;
  const { rows } = await pool.query<OfferingRow & Omit<ClickedOffering, keyof Offering>>({
    name: 'record_click',
    text: RECORD_CLICK,
    values: [...splitReference(ref), resumedId, clickSource(campaign), campaign, raw, isAutomatic],
  });
  if (!rows[0]) return null;
  const { clickId, resumedRaw, ...offering } = rows[0];
  return { ...presentOffering(offering), clickId, resumedRaw };
}
