import { defineEntity, p } from '@mikro-orm/core';

export const Person = defineEntity({
  name: 'Person',
  properties: {
    id: p.uuid().primary(),
    handle: p.text(),
    displayName: p.text(),
    /** Of the picture that they have chosen. */
    imageName: p.text().strictNullable(),
    email: p.text(),
    passwordHash: p.text().strictNullable(),
    emailVerifiedAt: p.datetime(3).strictNullable(),
    isOperator: p.boolean().default(false),
    /** Asked for in the console; kept once it was decided in their favour. */
    builderRequestedAt: p.datetime(3).strictNullable(),
    builderVerifiedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    deletedAt: p.datetime(3).strictNullable(),
  },
});
