import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { ENTITIES } from '../domain/entities.ts';
import { ConfigurationError, readMigrationConfig } from '../platform/config.ts';
import { ABANDONED } from '../platform/database/database.ts';
import { Foundation } from '../migrations/0001-foundation.ts';
import { Oauth } from '../migrations/0002-oauth.ts';
import { People } from '../migrations/0003-people.ts';
import { Teams } from '../migrations/0004-teams.ts';
import { Invitations } from '../migrations/0005-invitations.ts';
import { Operators } from '../migrations/0006-operators.ts';
import { Usage } from '../migrations/0007-usage.ts';
import { Access } from '../migrations/0008-access.ts';
import { Dispatch } from '../migrations/0010-dispatch.ts';
import { Deliveries } from '../migrations/0012-deliveries.ts';
import { Identity } from '../migrations/0013-identity.ts';
import { Exchange } from '../migrations/0014-exchange.ts';
import { Counts } from '../migrations/0015-counts.ts';
import { Refunds } from '../migrations/0016-refunds.ts';
import { Catalogue } from '../migrations/0017-catalogue.ts';
import { Receipts } from '../migrations/0018-receipts.ts';
import { Reconcile } from '../migrations/0019-reconcile.ts';
import { PersonImage } from '../migrations/0020-person-image.ts';
import { Subscriptions } from '../migrations/0021-subscriptions.ts';
import { Statements } from '../migrations/0022-statements.ts';
import { UsageByDay } from '../migrations/0023-usage-by-day.ts';
import { Member } from '../migrations/0024-member.ts';
import { Subscribers } from '../migrations/0025-subscribers.ts';
import { Library } from '../migrations/0026-library.ts';
import { MemberReturns } from '../migrations/0027-member-returns.ts';
import { DeliveryLeases } from '../migrations/0028-delivery-leases.ts';
import { DeliveryState } from '../migrations/0029-delivery-state.ts';
import { CheckBatches } from '../migrations/0030-check-batches.ts';
import { UnprovenCredentials } from '../migrations/0031-unproven-credentials.ts';
import { NobodyLearns } from '../migrations/0032-nobody-learns.ts';
import { LeaseOwners } from '../migrations/0036-lease-owners.ts';
import { Overdue } from '../migrations/0037-overdue.ts';
import { FreshProof } from '../migrations/0033-fresh-proof.ts';
import { EdgesOfOwnership } from '../migrations/0038-edges-of-ownership.ts';
import { BoundedLeftovers } from '../migrations/0034-bounded-leftovers.ts';
import { UnconfirmedAccounts } from '../migrations/0034-unconfirmed-accounts.ts';

/** Applies what is missing, in one transaction; two at once wait for each other. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const orm = await MikroORM.init({
    clientUrl: databaseUrl,
    driverOptions: { connectionString: databaseUrl, options: ABANDONED },
    entities: ENTITIES,
    extensions: [Migrator],
    logger: () => undefined,
    migrations: {
      tableName: 'migration',
      allOrNothing: true,
      snapshot: false,
      migrationsList: [
        { name: '0001-foundation', class: Foundation },
        { name: '0002-oauth', class: Oauth },
        { name: '0003-people', class: People },
        { name: '0004-teams', class: Teams },
        { name: '0005-invitations', class: Invitations },
        { name: '0006-operators', class: Operators },
        { name: '0007-usage', class: Usage },
        { name: '0008-access', class: Access },
        { name: '0010-dispatch', class: Dispatch },
        { name: '0012-deliveries', class: Deliveries },
        { name: '0013-identity', class: Identity },
        { name: '0014-exchange', class: Exchange },
        { name: '0015-counts', class: Counts },
        { name: '0016-refunds', class: Refunds },
        { name: '0017-catalogue', class: Catalogue },
        { name: '0018-receipts', class: Receipts },
        { name: '0019-reconcile', class: Reconcile },
        { name: '0020-person-image', class: PersonImage },
        { name: '0021-subscriptions', class: Subscriptions },
        { name: '0022-statements', class: Statements },
        { name: '0023-usage-by-day', class: UsageByDay },
        { name: '0024-member', class: Member },
        { name: '0025-subscribers', class: Subscribers },
        { name: '0026-library', class: Library },
        { name: '0027-member-returns', class: MemberReturns },
        { name: '0028-delivery-leases', class: DeliveryLeases },
        { name: '0029-delivery-state', class: DeliveryState },
        { name: '0030-check-batches', class: CheckBatches },
        { name: '0031-unproven-credentials', class: UnprovenCredentials },
        { name: '0032-nobody-learns', class: NobodyLearns },
        { name: '0036-lease-owners', class: LeaseOwners },
        { name: '0037-overdue', class: Overdue },
        { name: '0033-fresh-proof', class: FreshProof },
        { name: '0038-edges-of-ownership', class: EdgesOfOwnership },
        { name: '0034-bounded-leftovers', class: BoundedLeftovers },
        { name: '0034-unconfirmed-accounts', class: UnconfirmedAccounts },
      ],
    },
  });
  try {
    const applied = await orm.em.fork().transactional(async (em) => {
      await em.execute(`select pg_advisory_xact_lock(hashtext('gatehouse migrations'))`);
      return await orm.migrator.up({ transaction: em.getTransactionContext() });
    });
    await orm.close(true);
    return applied.map(({ name }) => name);
  } catch (fault) {
    void orm.close(true); // never done where the connection broke: MikroORM still waits for it
    throw fault;
  }
}

if (import.meta.main) {
  try {
    const applied = await migrate(readMigrationConfig().databaseUrl);
    console.log(applied.length === 0 ? 'Nothing to apply.' : `Applied: ${applied.join(', ')}`);
  } catch (fault) {
    console.error(fault instanceof ConfigurationError ? fault.message : fault);
    process.exitCode = 1;
  }
}
