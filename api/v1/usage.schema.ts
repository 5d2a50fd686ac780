import { z } from 'zod';
import { USAGE_KINDS } from '../../domain/usage/decide-usage.ts';
import { uuid } from '../http/fields.ts';

export const usageReport = z
  .object({
    kind: z.enum(USAGE_KINDS).meta({
      description:
        '`session`: the app opened. `heartbeat`: still in use, sent while the person is actually working. `activity`: the person did what your product counts as use.',
    }),
    user_id: uuid('must be given once, as a UUID')
      .toLowerCase()
      .optional()
      .meta({ description: "Required with an API key; must be absent with a person's token" }),
  })
  .meta({
    id: 'UsageReport',
    examples: [
      { kind: 'activity' },
      { kind: 'heartbeat', user_id: '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81' },
    ],
  });
