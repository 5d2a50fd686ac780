import { defineEntity, p } from '@mikro-orm/core';

export const PersonImage = defineEntity({
  name: 'PersonImage',
  properties: {
    personId: p.uuid().primary(),
    /** WebP. */
    bytes: p.blob(),
  },
});
