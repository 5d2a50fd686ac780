import { consumeChallenge } from '../../../domain/identity/passkeys/challenge.repository.ts';
import {
  findPasskey,
  recordPasskeyUse,
} from '../../../domain/identity/passkeys/passkey.repository.ts';
import type { RouteContext } from '../../http/route.ts';
import { readPasskeyUse } from './ceremonies.ts';
import type { AssertionAnswer } from './passkey-response.schema.ts';

/**
 * Consumes the browser's challenge and returns the owner of the passkey. Returns null if the
 * response is invalid.
 */
export async function findPasskeyOwner(
  { services }: RouteContext,
  { cookie, answer }: { cookie: string | null; answer: AssertionAnswer },
): Promise<string | null> {
  const em = services.database.em();
  const open = await consumeChallenge(em, { cookie, use: 'assertion' });
  if (!open) return null;
  const { challenge } = open;
  const passkey = await findPasskey(em, answer.id);
  if (!passkey) return null;
  const { baseUrl } = services.config;
  const use = await readPasskeyUse(baseUrl, { answer, challenge, passkey });
  if (!use) return null;
  const isNewer = await recordPasskeyUse(em, { credentialId: answer.id, counter: use.counter });
  return isNewer ? passkey.personId : null;
}
