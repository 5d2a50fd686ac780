import { hash, verify } from '@node-rs/argon2';

const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };

// Verified where no person is found, so that an unknown address costs the same time.
const DECOY = hash('no such person', COST);

export async function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

export async function isPasswordRight(
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  const isRight = await verify(passwordHash ?? (await DECOY), password);
  return isRight && passwordHash !== null;
}
