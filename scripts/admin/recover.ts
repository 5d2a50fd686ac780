// `operator recover`: the way back for an operator who lost every passkey.
import { queueMail } from '../../domain/identity/mail/mail.repository.ts';
import {
  listOperators,
  recoverOperator,
} from '../../domain/identity/operators/operator.repository.ts';
import type { Database } from '../../platform/database/database.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import {
  audit,
  describeLink,
  makeLink,
  named,
  refused,
  Refused,
  type LinkSettings,
} from './operators.ts';

/** Every operator is mailed, the recovered one included. */
export async function letOperatorBeginAnew(
  database: Database,
  { email, links }: { email: string; links: LinkSettings | null },
): Promise<string[]> {
  const done = await database.transaction(async (em) => {
    const operator = await recoverOperator(em, email);
    if (operator === null || isRefusal(operator)) return operator;
    await audit(em, 'operator.recovered', operator);
    for (const { personId, email: address } of await listOperators(em)) {
      await queueMail(em, { purpose: 'operator_recovered', personId, address });
    }
    return { operator, linkId: await makeLink(em, operator, links === null) };
  });
  if (done === null) throw new Refused('unknown');
  if (isRefusal(done)) return refused(done);
  const { operator, linkId } = done;
  return [
    `The passkeys, password and sessions of ${named(operator)} were removed.`,
    ...describeLink(operator, linkId, links),
    'The operator has 24 hours from now to sign in and add a passkey in the settings.',
  ];
}
