import { reviewSeals, type ReviewedPage, type ReviewPlace } from '../domain/seal/review.command.ts';
import type { Services } from './services.ts';

export function createSealActivities({ database }: Pick<Services, 'database'>) {
  return {
    /** Reviews a page of products; a repeated page changes nothing. */
    reviewSeals: (place: ReviewPlace): Promise<ReviewedPage> => reviewSeals(database, place),
  };
}
