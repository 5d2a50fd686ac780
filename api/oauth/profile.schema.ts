import { z } from 'zod';
import type { Union } from '../../domain/entitlements/union.ts';
import type { Bearer } from '../../domain/identity/oauth/token.store.ts';
import { entitlement, presentEntitlement } from '../entitlements/entitlement.schema.ts';

export const profile = z
  .object({
    id: z.guid().meta({ description: 'The person identifier: `user_id` in all other calls' }),
    handle: z.string(),
    display_name: z.string(),
    image: z.url(),
    entitlement: entitlement.omit({ user_id: true, test_mode: true }).optional().meta({
      id: 'ProfileEntitlement',
      description: "Only with the scope `entitlements`; to the product of the token's client",
    }),
  })
  .meta({ id: 'Profile' });

export function presentProfile(
  { personId, handle, displayName, productId }: Bearer,
  { union, baseUrl }: { union: Union | null; baseUrl: string },
): z.infer<typeof profile> {
  return {
    id: personId,
    handle,
    display_name: displayName,
    image: `${baseUrl}/people/${personId}/avatar.svg`,
    ...(union && productId ? { entitlement: presentOwn(union, { productId, personId }) } : {}),
  };
}

function presentOwn(union: Union, key: { productId: string; personId: string }) {
  const {
    user_id: _user,
    test_mode: _mode,
    ...own
  } = presentEntitlement(union, {
    ...key,
    isTest: false,
  });
  return own;
}
