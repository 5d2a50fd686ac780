import { z } from 'zod';

// What browsers make of `credential.toJSON()`, as far as it is looked at.
const base64url = z
  .string()
  .regex(/^[\w-]*$/)
  .max(20_000);

const shared = { id: base64url.max(1_400), rawId: base64url, type: z.literal('public-key') };

const registration = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(10)
      .default([]),
  }),
});

const assertion = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
});

export const registrationField = z.string().transform(parseJson).pipe(registration);
export const assertionField = z.string().transform(parseJson).pipe(assertion);

export type RegistrationAnswer = z.output<typeof registrationField>;
export type AssertionAnswer = z.output<typeof assertionField>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
