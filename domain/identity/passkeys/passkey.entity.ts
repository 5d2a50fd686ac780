import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../person.entity.ts';

/** Grows with passkeys; kept until its person removes it; removed by `deletePasskey`. */
export const Passkey = defineEntity({
  name: 'Passkey',
  properties: {
    credentialId: p.text().primary(),
    id: p.uuid().unique(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    publicKey: p.blob(),
    counter: p.bigint('number'),
    transports: p.array(),
    name: p.text(),
    /** Made before the address was confirmed: it opens no confirmed account. */
    isUnproven: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    lastUsedAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: 'passkey_person', properties: ['personId'] }],
});

/**
 * A challenge for one browser and one use, once.
 * Grows with passkey ceremonies; kept for minutes; removed by `removeEndedChallenges`.
 */
export const PasskeyChallenge = defineEntity({
  name: 'PasskeyChallenge',
  properties: {
    cookieHash: p.blob().primary(),
    challenge: p.text(),
    registrationId: p.uuid().strictNullable(),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'passkey_challenge_expiry', properties: ['expiresAt'] }],
});
