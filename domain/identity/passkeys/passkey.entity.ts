import { defineEntity, p } from '@mikro-orm/core';

export const Passkey = defineEntity({
  name: 'Passkey',
  properties: {
    credentialId: p.text().primary(),
    id: p.uuid(),
    personId: p.uuid(),
    publicKey: p.blob(),
    counter: p.bigint('number'),
    transports: p.array(),
    name: p.text(),
    /** Made before the address was confirmed: it opens no confirmed account. */
    isUnproven: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    lastUsedAt: p.datetime(3).strictNullable(),
  },
});

/** A challenge for one browser and one use, once. */
export const PasskeyChallenge = defineEntity({
  name: 'PasskeyChallenge',
  properties: {
    cookieHash: p.blob().primary(),
    challenge: p.text(),
    registrationId: p.uuid().strictNullable(),
    expiresAt: p.datetime(3),
  },
});
