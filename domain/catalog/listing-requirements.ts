// What a listing says before the store shows its product for the first time.
import type { ProductListing } from './listing.repository.ts';

export const SHORTEST_DESCRIPTION = 100;

export type ListingRequirementCode =
  | 'website'
  | 'category'
  | 'description'
  | 'icon'
  | 'support_address';

export type ListingRequirement = { code: ListingRequirementCode; isMet: boolean };

type RequiredFields = Pick<
  ProductListing,
  'websiteUrl' | 'category' | 'description' | 'supportAddress'
> & { hasIcon: boolean };

/** Lists each requirement, in the order in which the form asks for it. */
export function listListingRequirements(listing: RequiredFields): ListingRequirement[] {
  const length = [...(listing.description ?? '')].length;
  return [
    { code: 'website', isMet: listing.websiteUrl !== null },
    { code: 'category', isMet: listing.category !== null },
    { code: 'description', isMet: length >= SHORTEST_DESCRIPTION },
    { code: 'icon', isMet: listing.hasIcon },
    { code: 'support_address', isMet: listing.supportAddress !== null },
  ];
}

export function isComplete(listing: RequiredFields): boolean {
  return listListingRequirements(listing).every(({ isMet }) => isMet);
}
