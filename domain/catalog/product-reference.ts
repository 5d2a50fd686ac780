import { parseUuid } from '../shared/ids.ts';

const SLUG = /^[a-z0-9-]{3,48}$/;

/** Any other text names no product, and is not looked up. */
export function isReference(ref: string): boolean {
  return SLUG.test(ref) || parseUuid(ref) !== null;
}

/** Its page is for those who manage it. */
export function isHidden({ state }: { state: string }): boolean {
  return state === 'draft' || state === 'removed';
}
