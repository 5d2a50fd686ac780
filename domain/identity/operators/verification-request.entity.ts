import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../person.entity.ts';

/**
 * The answers of a builder's latest verification request.
 * Grows with requests, at most one a person; kept until the account is deleted; removed by
 * `erasePerson`.
 */
export const VerificationRequest = defineEntity({
  name: 'VerificationRequest',
  properties: {
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').primary(),
    sells: p.text(),
    place: p.text(),
    contact: p.text(),
  },
  checks: [
    {
      name: 'verification_request_lengths',
      expression: `length(sells) <= 500 and length(place) <= 300 and length(contact) <= 200`,
    },
  ],
});
