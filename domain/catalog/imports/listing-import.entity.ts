import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../../identity/person.entity.ts';
import { Product } from '../product.entity.ts';
import type { ImportFindings } from './import-findings.ts';
import { IMPORT_KINDS, IMPORT_REFUSALS, IMPORT_STATES } from './import-state.ts';
import type { TakenPicture } from './taken-pictures.ts';

/**
 * What a page or a repository says about a product, for its listing. Who asked stands in the audit.
 * Grows with imports, at most ten an hour and product; kept for 60 days after it ended, and ready
 * for 30; removed by `removeOldImports`.
 */
export const ListingImport = defineEntity({
  name: 'ListingImport',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    kind: p.enum(IMPORT_KINDS),
    address: p.text(),
    state: p.enum(IMPORT_STATES).default('queued'),
    /** The instant until which the forge, or its quota, lets the import wait. */
    waitUntil: p.datetime(3).strictNullable(),
    /** How often it has waited. */
    waits: p.integer().default(0),
    refusal: p.enum(IMPORT_REFUSALS).strictNullable(),
    findings: p.json<ImportFindings>().strictNullable(),
    /** The person who took what was found. */
    appliedBy: () => p.manyToOne(Person).mapToPk().joinColumn('applied_by').strictNullable(),
    /** The pictures that the person took, and what became of each. */
    pictures: p.json<TakenPicture[]>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    changedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    { name: 'listing_import_product', properties: ['productId', 'createdAt', 'id'] },
    {
      name: 'listing_import_over',
      properties: ['changedAt'],
      where: `state in ('ready', 'refused', 'applied', 'expired')`,
    },
    {
      name: 'listing_import_open',
      properties: ['changedAt'],
      where: `state in ('queued', 'fetching', 'waiting', 'applying')`,
    },
  ],
  checks: [
    {
      name: 'listing_import_address_check',
      expression: `length(address) >= 1 and length(address) <= 2048`,
    },
    {
      name: 'listing_import_waiting',
      expression: `(state = 'waiting') = (wait_until is not null)`,
    },
    { name: 'listing_import_refused', expression: `(state = 'refused') = (refusal is not null)` },
    {
      name: 'listing_import_found',
      expression: `(state in ('ready', 'applying', 'applied')) = (findings is not null)`,
    },
    {
      name: 'listing_import_findings_check',
      expression: `octet_length(findings::text) <= 65536`,
    },
    {
      name: 'listing_import_taken',
      expression: `(state in ('applying', 'applied')) = (pictures is not null)`,
    },
    {
      name: 'listing_import_applied',
      expression: `(pictures is null) = (applied_by is null)`,
    },
    {
      name: 'listing_import_pictures_check',
      expression: `octet_length(pictures::text) <= 65536`,
    },
  ],
});

/**
 * The requests that a forge still allows this installation.
 * Grows with the hosts of forges, which are three; kept for good.
 */
export const UpstreamQuota = defineEntity({
  name: 'UpstreamQuota',
  properties: {
    host: p.text().primary(),
    used: p.integer(),
    resetsAt: p.datetime(3),
  },
  checks: [{ name: 'upstream_quota_used_check', expression: `used >= 0 and used <= 60` }],
});
