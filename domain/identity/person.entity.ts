import { defineEntity, p } from '@mikro-orm/core';

/** Grows with accounts; kept for good: a deleted account is emptied by `erasePerson`. */
export const Person = defineEntity({
  name: 'Person',
  properties: {
    id: p.uuid().primary(),
    handle: p.text().unique(),
    displayName: p.text(),
    /** The name of the chosen picture. */
    imageName: p.text().strictNullable(),
    email: p.text(),
    passwordHash: p.text().strictNullable(),
    emailVerifiedAt: p.datetime(3).strictNullable(),
    /**
     * The hash of the sign-up cookie, until the address is confirmed: any number of sign-ups wait for
     * one address.
     */
    signUpBrowser: p.blob().strictNullable(),
    /** The password was chosen before the address was confirmed. */
    isPasswordUnproven: p.boolean().default(false),
    isOperator: p.boolean().default(false),
    /** The end of the time in which an operator without a passkey may add one. */
    passkeyEnrolmentUntil: p.datetime(3).strictNullable(),
    /** The instant at which the person asked in the console; a refusal clears it. */
    builderRequestedAt: p.datetime(3).strictNullable(),
    builderVerifiedAt: p.datetime(3).strictNullable(),
    /** The instant at which an operator revoked the verification; a later one clears it. */
    builderRevokedAt: p.datetime(3).strictNullable(),
    /** Why the last request was declined; the next one clears it. */
    builderDeclinedFor: p.text().strictNullable(),
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
  indexes: [
    // Searches by the start of a handle work in every collation of the database.
    {
      name: 'person_builder_start',
      columns: [{ name: 'handle', collation: 'C' }],
      where: `builder_verified_at is not null and deleted_at is null`,
    },
    {
      name: 'person_handle_start',
      columns: [{ name: 'handle', collation: 'C' }],
      where: `deleted_at is null`,
    },
    {
      name: 'person_deleted',
      properties: ['deletedAt'],
      where: `deleted_at is not null`,
    },
    { name: 'person_held', properties: ['heldUntil'], where: `held_until is not null` },
    { name: 'person_operator', properties: ['id'], where: `is_operator` },
    {
      name: 'person_sign_up',
      expression: `create index person_sign_up on person (lower(email)) where deleted_at is null and sign_up_browser is not null`,
    },
    {
      name: 'person_unconfirmed',
      properties: ['createdAt'],
      where: `email_verified_at is null and deleted_at is null`,
    },
    {
      name: 'person_waiting',
      properties: ['builderRequestedAt', 'id'],
      where: `builder_requested_at is not null and builder_verified_at is null and deleted_at is null`,
    },
  ],
  uniques: [
    {
      name: 'person_email',
      expression: `create unique index person_email on person (lower(email)) where deleted_at is null and sign_up_browser is null`,
    },
  ],
  checks: [
    { name: 'person_handle_check', expression: `handle ~ '^[a-z0-9_]{3,24}$'` },
    {
      name: 'person_declined_for',
      expression: `length(builder_declined_for) <= 500`,
    },
    {
      name: 'person_revoked',
      expression: `builder_revoked_at is null or builder_verified_at is null`,
    },
    {
      name: 'person_password_proven',
      expression: `email_verified_at is null or not is_password_unproven`,
    },
    {
      name: 'person_held',
      expression: `held_until is null or deleted_at is not null and email = ''`,
    },
  ],
});
