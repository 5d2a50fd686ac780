import { defineEntity, p } from '@mikro-orm/core';

/** How often something has happened since the first time; begins anew when its time is over. */
export const Throttle = defineEntity({
  name: 'Throttle',
  properties: {
    key: p.text().primary(),
    n: p.integer(),
    endsAt: p.datetime(3),
  },
});
