import { z } from 'zod';
import type { EffectiveAccess } from '../../domain/entitlements/effective-access.ts';

export const entitlement = z
  .object({
    product_id: z.guid().meta({ description: 'The product of the API key' }),
    user_id: z.guid().meta({ description: 'The person' }),
    active: z
      .boolean()
      .meta({ description: 'The only field a gate should branch on; it accounts for `ends_at`' }),
    type: z
      .enum(['purchase', 'subscription', 'member', 'complimentary'])
      .nullable()
      .meta({ description: 'Why access exists' }),
    source: z.string().nullable().meta({
      description:
        'A payment reference `pay_...`, `member`, a grant `grant_...`, or `test` where a test key forces the answer',
    }),
    ends_at: z.iso
      .datetime({ precision: 3 })
      .nullable()
      .meta({ description: 'When access ends; null if it does not expire' }),
    test_mode: z.boolean().meta({ description: 'True for a test key' }),
  })
  .meta({
    id: 'Entitlement',
    examples: [
      {
        product_id: '0199f3a8-6c1e-7000-8000-3b1f5c9a7d20',
        user_id: '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81',
        active: true,
        type: 'purchase',
        source: 'pay_01K7SXG7JW8V5T2N4M6Q8R0ZAB',
        ends_at: null,
        test_mode: false,
      },
    ],
  });

export function presentEntitlement(
  access: EffectiveAccess,
  about: { productId: string; personId: string; isTest: boolean },
): z.infer<typeof entitlement> {
  return {
    product_id: about.productId,
    user_id: about.personId,
    active: access.isActive,
    type: access.type,
    source: access.source,
    ends_at: access.endsAt?.toISOString() ?? null,
    test_mode: about.isTest,
  };
}
