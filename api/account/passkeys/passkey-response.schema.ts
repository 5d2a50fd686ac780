import { z } from 'zod';
import { given, matching } from '../../http/fields.ts';

// The fields of `credential.toJSON()` that the server reads.
const base64url = matching(/^[\w-]*$/, 20_000);

const shared = { id: matching(/^[\w-]*$/, 1_400), rawId: base64url, type: z.literal('public-key') };

const registration = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(matching(/^[a-z-]{1,20}$/, 20))
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

/** Some thousand characters, most of them of the authenticator's statement. */
export const LONGEST_RESPONSE = 10_000;

export const registrationField = given(LONGEST_RESPONSE).transform(parseJson).pipe(registration);
export const assertionField = given(LONGEST_RESPONSE).transform(parseJson).pipe(assertion);

export type RegistrationAnswer = z.output<typeof registrationField>;
export type AssertionAnswer = z.output<typeof assertionField>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
