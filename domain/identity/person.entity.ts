import { defineEntity, p } from '@mikro-orm/core';

export const Person = defineEntity({
  name: 'Person',
  properties: {
    id: p.uuid().primary(),
    handle: p.text(),
    displayName: p.text(),
    /** The name of the chosen picture. */
    imageName: p.text().strictNullable(),
    email: p.text(),
    passwordHash: p.text().strictNullable(),
    emailVerifiedAt: p.datetime(3).strictNullable(),
    /** The hash of the sign-up cookie, until the address is confirmed. */
    signUpBrowser: p.blob().strictNullable(),
    /** The password was chosen before the address was confirmed. */
    isPasswordUnproven: p.boolean().default(false),
    isOperator: p.boolean().default(false),
    /** Until when an operator without a passkey may add one. */
    passkeyEnrolmentUntil: p.datetime(3).strictNullable(),
    /** When the person asked in the console; a refusal clears it. */
    builderRequestedAt: p.datetime(3).strictNullable(),
    builderVerifiedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    /** The first sign-in is not mailed. */
    firstSignedInAt: p.datetime(3).strictNullable(),
    deletedAt: p.datetime(3).strictNullable(),
    /**
     * Set for a row that is nobody: it keeps the handle of a sign-up with a known address until
     * then.
     */
    heldUntil: p.datetime(3).strictNullable(),
  },
});
