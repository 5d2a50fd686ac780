import type { EntityManager } from '../../platform/database/database.ts';
import { recordEvent } from '../webhooks/event.repository.ts';
import { writeCode, type CodeRequest } from './authorization.repository.ts';
import { writeConsent } from './consent.repository.ts';

/**
 * Writes the person's consent and a code for it. The product is notified when the person had no live
 * authorization of this client, or allows more than before. A first-party client has no product.
 */
export async function grantCode(
  em: EntityManager,
  personId: string,
  request: CodeRequest,
): Promise<string> {
  const { productId, scopes, grantedAt, isCovered } = await writeConsent(em, personId, request);
  if (productId !== null && !isCovered) {
    await recordEvent(em, {
      productId,
      name: 'authorization.granted',
      data: {
        user_id: personId,
        product_id: productId,
        scopes,
        occurred_at: grantedAt.toISOString(),
      },
    });
  }
  return writeCode(em, personId, request);
}
