import { findAccount } from '../records/account.repository.ts';
import type { Transaction } from '../database.ts';
import { ApiError, noSuch } from './api-error.ts';

/** Money is passed on to an account that exists, and that may receive it. */
export async function requireAccount(
  client: Transaction,
  { id, param }: { id: string; param: string },
): Promise<void> {
  const account = await findAccount(client, id);
  if (!account || account.state === 'closed')
    throw noSuch('destination', { id, param, status: 400 });
  if (account.state === 'enabled') return;
  throw new ApiError(400, {
    code: 'insufficient_capabilities_for_transfer',
    message:
      'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
  });
}
