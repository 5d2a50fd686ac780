import { rows, type EntityManager } from '../../platform/database/database.ts';
import type { Role, ProductRole } from '../teams/permissions.ts';
import {
  PRODUCT_COLUMNS,
  PRODUCT_TABLES,
  referTo,
  type ProductView,
} from './catalog.repository.ts';

/** A product with the roles of the person who looks at it. */
export type ManagedProduct = ProductView & { roles: ProductRole[] };

type Manager = { personId: string; isOperator: boolean };

type ManagedRow = ProductView & { role: Role | null; isLoneBuilder: boolean; isVerified: boolean };

const MANAGED = `
  select ${PRODUCT_COLUMNS}, member.role, p.owner_person_id = me.id as "isLoneBuilder",
    me.builder_verified_at is not null and me.email_verified_at is not null as "isVerified"
  from person me cross join ${PRODUCT_TABLES}
  left join team_member member on member.team_id = p.owner_team_id and member.person_id = me.id
  where me.id = ?`;

const IS_MINE = '(p.owner_person_id = me.id or member.person_id is not null)';

/** Null for a person without a role: the product's existence stays hidden. */
export async function findManagedProduct(
  em: EntityManager,
  { manager, ref }: { manager: Manager; ref: string },
): Promise<ManagedProduct | null> {
  const { where, value } = referTo(ref);
  const [found] = await rows<ManagedRow>(em, `${MANAGED} and ${where} and (${IS_MINE} or ?)`, [
    manager.personId,
    value,
    manager.isOperator,
  ]);
  return found ? toManaged(found, manager) : null;
}

/** The products of a person and of the person's teams, the oldest first. */
export async function listProductsOf(
  em: EntityManager,
  personId: string,
): Promise<ManagedProduct[]> {
  return listOwned(em, personId, `p.state <> 'removed'`);
}

/** Removed products: their sales still belong to their owner. */
export async function listRemovedProductsOf(
  em: EntityManager,
  personId: string,
): Promise<ManagedProduct[]> {
  return listOwned(em, personId, `p.state = 'removed'`);
}

async function listOwned(em: EntityManager, personId: string, where: string) {
  const found = await rows<ManagedRow>(
    em,
    `${MANAGED} and ${IS_MINE} and ${where} order by p.created_at, p.id limit 1000`,
    [personId],
  );
  return found.map((row) => toManaged(row, { personId, isOperator: false }));
}

function toManaged({ role, isLoneBuilder, isVerified, ...product }: ManagedRow, manager: Manager) {
  const roles: ProductRole[] = [];
  if (role !== null) roles.push(role);
  if (isLoneBuilder) roles.push(isVerified ? 'verified_lone_builder' : 'lone_builder');
  if (manager.isOperator) roles.push('operator');
  return { ...product, roles };
}
