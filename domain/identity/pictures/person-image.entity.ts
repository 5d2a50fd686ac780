import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../person.entity.ts';

/**
 * Hot statements read the row of a person, so its picture is in a table of its own.
 * Grows with people with a picture; kept until it is replaced; removed by `removePersonImage`.
 */
export const PersonImage = defineEntity({
  name: 'PersonImage',
  properties: {
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').primary(),
    /** WebP. */
    bytes: p.blob(),
  },
});
