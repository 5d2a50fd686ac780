import { z } from 'zod';
import { NOT_COUNTED_REASONS, type UsageDecision } from '../../domain/usage/decide-usage.ts';

export const usageAnswer = z
  .object({
    ok: z.literal(true).meta({ description: 'Always true' }),
    counted: z.boolean().meta({ description: 'Whether the report was recorded' }),
    qualifying: z
      .boolean()
      .meta({ description: 'Whether the report makes today a Qualified Active Day of the person' }),
    test_mode: z.boolean().meta({ description: 'True for a test key' }),
    reason: z
      .enum(NOT_COUNTED_REASONS)
      .optional()
      .meta({ description: 'Why the report was not counted; absent otherwise' }),
  })
  .meta({
    id: 'UsageAnswer',
    examples: [
      { ok: true, counted: true, qualifying: true, test_mode: false },
      {
        ok: true,
        counted: false,
        qualifying: false,
        test_mode: false,
        reason: 'not_signed_in_or_entitled',
      },
    ],
  });

export function presentUsage(
  decision: UsageDecision,
  { isTest }: { isTest: boolean },
): z.infer<typeof usageAnswer> {
  const { counted, qualifying } = decision;
  const reason = decision.counted ? {} : { reason: decision.reason };
  return { ok: true, counted, qualifying, test_mode: isTest, ...reason };
}
