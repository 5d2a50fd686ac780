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
    /** Of the browser that signed up, until the address is confirmed: a hash of its cookie. */
    signUpBrowser: p.blob().strictNullable(),
    /** The password was chosen before anybody had confirmed the address. */
    isPasswordUnproven: p.boolean().default(false),
    isOperator: p.boolean().default(false),
    /** Until when an operator without a passkey may add one. */
    passkeyEnrolmentUntil: p.datetime(3).strictNullable(),
    /** Asked for in the console; kept once it was decided in their favour. */
    builderRequestedAt: p.datetime(3).strictNullable(),
    builderVerifiedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    /** Of the first sign-in nobody is mailed. */
    firstSignedInAt: p.datetime(3).strictNullable(),
    deletedAt: p.datetime(3).strictNullable(),
    /** Nobody: keeps the handle of a sign-up whose address had an account already, until then. */
    heldUntil: p.datetime(3).strictNullable(),
  },
});
